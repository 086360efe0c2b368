// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/error.hpp"
#include "gridsmith/metrics/catalogue/acceptance.hpp"
#include "gridsmith/tests/catch.hpp"

namespace acceptance_test {

using namespace gridsmith;

TEST_CASE("a condition accepts, refuses with the values, and knows its names") {
  const CounterValues differences = {{"result__difference.rms", 0.5},
                                     {"result__abs_difference.max", 2}};
  CHECK(Acceptance("rms_error < 1").refusal(differences).empty());
  CHECK(Acceptance("rms_error < 1 and max_abs_error < 1").refusal(differences) ==
        "max_abs_error is 2, rms_error is 0.5; accepted: rms_error < 1 and max_abs_error < 1");
  CHECK(Acceptance("cosine_similarity > 0.9").refusal(differences) ==
        "cosine_similarity is not finite; accepted: cosine_similarity > 0.9");
}

TEST_CASE("a condition on anything else is refused with the choices") {
  CHECK_THROWS_WITH(Acceptance("rms_eror < 1"), contains_text("did you mean 'rms_error'"));
  CHECK_THROWS_AS(Acceptance("energy_mj < 1"), InputError);
  CHECK_THROWS_AS(Acceptance("1 < 2"), InputError);
  CHECK_THROWS_AS(Acceptance("rms_error <"), InputError);
  CHECK_THROWS_WITH(Acceptance("rms_error"), contains_text("expected a condition on"));
}

TEST_CASE("metrics of results are those seven") {
  CHECK(accepted_metrics() == std::vector<std::string>{"max_abs_error", "max_rel_error",
                                                       "mean_abs_error", "mean_rel_error",
                                                       "rms_error", "max_ulp_error",
                                                       "cosine_similarity"});
}

} // namespace acceptance_test
