// SPDX-License-Identifier: Apache-2.0
// A configuration that is compiled to be looked at, by a compiler that does not end, and what is its code.
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"
#include "gridsmith/tuner/inspection/inspection.hpp"
#include "gridsmith/tuner/inspection/recorded_code.hpp"

#include <chrono>
#include <functional>
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

TEST_CASE("a fact that an old recording does not have is no other code") {
  const CompileFacts now{.registers_per_thread = 32,
                         .static_shared_bytes = 1024,
                         .local_bytes = 16,
                         .spill_store_bytes = 8,
                         .spill_load_bytes = 8,
                         .block_barriers = 1};
  const auto same = [&](const std::function<void(CompileFacts&)>& change) {
    CompileFacts then = now;
    change(then);
    return may_be_same(now, then);
  };
  CHECK(same([](CompileFacts& then) { then.block_barriers = 0; }));
  CHECK(same([](CompileFacts& then) { then.local_bytes.reset(); }));
  CHECK(same([](CompileFacts& then) { then.spill_store_bytes = then.spill_load_bytes = {}; }));
  CHECK(same([](CompileFacts& then) { then.constant_bytes = 300; }));
  CHECK(same([](CompileFacts& then) { then.max_threads_per_block = 1024; }));
  CHECK_FALSE(same([](CompileFacts& then) { then.block_barriers = 2; }));
  CHECK_FALSE(same([](CompileFacts& then) { then.registers_per_thread = 33; }));
  CHECK_FALSE(same([](CompileFacts& then) { then.local_bytes = 0; }));
  CHECK_FALSE(same([](CompileFacts& then) { then.static_shared_bytes = 0; }));
}

} // namespace inspection_test
