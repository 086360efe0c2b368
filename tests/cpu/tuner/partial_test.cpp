// SPDX-License-Identifier: Apache-2.0
// A configuration of which a person names some values, or all.
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/cli/definitions/partial.hpp"

#include <filesystem>
#include <string>

namespace partial_test {

using namespace gridsmith;

TEST_CASE("what is named replaces the usual, in the order of the parameters") {
  const std::filesystem::path catalogue =
      std::filesystem::path(GRIDSMITH_SOURCE_DIR) / "kernels/catalogue";
  const KernelInstance instance =
      instantiate(read_definition(find_definition("transpose", catalogue)),
                  ProblemSize{{8192, 8192}}, device_of_capability(90));
  const UsualConfiguration usual = usual_configuration(instance, {});
  const auto ask = [&] { return usual; };

  const UsualConfiguration none = named_configuration("", instance, ask);
  CHECK(none.configuration == usual.configuration);
  CHECK(none.origin == "the definition's default");

  const auto& [name, value] = *usual.configuration.begin();
  const UsualConfiguration some = named_configuration(name + "=" + to_text(value), instance, ask);
  CHECK(some.configuration == usual.configuration);
  CHECK(some.origin == "named; what is not, the definition's default");

  std::string reversed;
  for (const auto& [each, of] : usual.configuration)
    reversed = each + "=" + to_text(of) + (reversed.empty() ? "" : ",") + reversed;
  const UsualConfiguration all =
      named_configuration(reversed, instance, []() -> UsualConfiguration {
        FAIL("nothing is missing");
        return {};
      });
  CHECK(to_text(all.configuration) == to_text(usual.configuration));
  CHECK(all.origin == "named");
  CHECK_THROWS_AS(named_configuration("NO_SUCH=1", instance, ask), InputError);
}

} // namespace partial_test
