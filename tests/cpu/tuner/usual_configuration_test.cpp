// SPDX-License-Identifier: Apache-2.0
// What stands for a kernel where nobody named a configuration: the best of a real recording, and the
// default where there is none, or none of this space.
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/session/usual_configuration.hpp"

#include <algorithm>

namespace usual_configuration_test {

using namespace gridsmith;
namespace fs = std::filesystem;

namespace {

const fs::path catalogue = fs::path(GRIDSMITH_SOURCE_DIR) / "kernels/catalogue";
const fs::path recorded = catalogue / "transpose/recordings/8192x8192__h200.json.gz";

KernelInstance transpose(const Device& device) {
  return instantiate(read_definition(find_definition("transpose", catalogue)),
                     ProblemSize{{8192, 8192}}, device);
}

} // namespace

TEST_CASE("the newest tuning is of what is wanted, and has a best") {
  CHECK(newest_tuning(recorded, {.kernel = "transpose"}));
  CHECK_FALSE(newest_tuning(recorded, {.kernel = "reduction"}));
  CHECK_FALSE(newest_tuning("absent.db", {}));
  std::vector<Holding> held = holdings_of(recorded);
  held.push_back(held.front());
  held.front().date = "1999-01-01T00:00:00Z";
  held.push_back(held.front());
  held.back().date = "2999-01-01T00:00:00Z";
  held.back().correct = 0;
  CHECK(newest_tuning(held)->date == held[1].date);
}

TEST_CASE("the best where it is measured and of the space, else the default") {
  const Holding held = holdings_of(recorded).front();
  const Export exported = held.load();
  const Configuration best = best_of(exported).configuration;
  KernelInstance instance = transpose(exported.recording.device);
  const UsualConfiguration tuned = usual_configuration(instance, held);
  CHECK(tuned.is_best);
  CHECK(tuned.configuration == best);
  CHECK_THAT(tuned.origin, contains_text("the best of " + recorded.string()));

  const UsualConfiguration untuned = usual_configuration(instance, {});
  CHECK_FALSE(untuned.is_best);
  CHECK(untuned.configuration == instance.definition.defaults);
  CHECK(untuned.origin == "the definition's default");

  for (Parameter& parameter :
       instance.parameters) // as if the definition had lost the best's values
    if (parameter.values.size() > 1)
      std::erase_if(parameter.values, [&](const Value& value) {
        const Value* usual = find_value(instance.definition.defaults, parameter.name);
        return same_value(value, *find_value(best, parameter.name)) && !same_value(value, *usual);
      });
  const UsualConfiguration stale = usual_configuration(instance, held);
  CHECK_FALSE(stale.is_best);
  CHECK(stale.configuration == instance.definition.defaults);
  CHECK_THAT(stale.origin, contains_text("is not in the space; the definition's default"));
}

} // namespace usual_configuration_test
