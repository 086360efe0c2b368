// SPDX-License-Identifier: Apache-2.0
// A configuration that is compiled to be looked at, by a compiler that does not end.
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"
#include "gridsmith/tuner/inspection/inspection.hpp"

#include <chrono>
#include <thread>

namespace inspection_test {

using namespace gridsmith;
using namespace std::chrono_literals;

TEST_CASE("what is compiled to be looked at ends with a stop") {
  const test::Folder folder;
  test::install_fakes(folder.path());
  const KernelDefinition definition =
      read_definition(test::write_kernel(folder.path(), "k", 2, "COMPILE", R"(["fine", "hang"])"));
  const KernelInstance instance = instantiate(definition, {{32}}, device_of_capability(90));
  const HelperSettings helpers{.installation = {.programs = folder.path(), .catalogue = ""}};
  const auto wanted = [](const char* compile) {
    return Configuration{{"X", std::int64_t{1}}, {"COMPILE", std::string(compile)}};
  };
  CHECK(inspect(instance, wanted("fine"), {.helpers = helpers}).code->cubin);
  std::stop_source source;
  const std::jthread later([&] {
    std::this_thread::sleep_for(300ms);
    source.request_stop();
  });
  const auto begin = std::chrono::steady_clock::now();
  CHECK_THROWS_AS(
      inspect(instance, wanted("hang"), {.helpers = helpers, .stop = source.get_token()}),
      InspectionStopped);
  CHECK(std::chrono::steady_clock::now() - begin < 5s);
}

} // namespace inspection_test
