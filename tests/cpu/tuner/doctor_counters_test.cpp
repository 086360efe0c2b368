// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/cli/hardware/doctor_counters.hpp"

#include <nlohmann/json.hpp>

namespace doctor_counters_test {

using namespace gridsmith;

TEST_CASE("devices that differ have a paragraph each, with lines to copy as they stand") {
  const CounterFinding readable{
      {0, 2}, {.code = 0}, {CounterState::readable, "readable for every user", {}}};
  const CounterFinding refused{
      {1},
      {.code = 35, .message = "cannot start"},
      {CounterState::not_permitted,
       "not permitted to this\x1b process, as the driver says",
       {{"in the pod:", {"a line that is longer than the terminal is:", "  b: 1"}}}}};
  CHECK(counters_text({readable, refused}, 12, 40) ==
        "counters    device 0, 2: readable for\n"
        "            every user\n"
        "            device 1: not permitted to\n"
        "            this\uFFFD process, as the driver\n"
        "            says\n"
        "            - in the pod:\n"
        "                a line that is longer than "
        "the terminal is:\n"
        "                  b: 1\n");
  CHECK(counters_text({readable}, 12, 80) == "counters    readable for every user\n");
  const nlohmann::json json = counters_json({readable, refused});
  CHECK(json[0]["devices"] == std::vector<int>{0, 2});
  CHECK(json[0]["state"] == "readable");
  CHECK(json[1]["state"] == "not_permitted");
  CHECK(json[1]["cupti_error"] == 35);
  CHECK(json[1]["message"] == "cannot start");
  CHECK(json[1]["remedies"][0]["lines"].size() == 2);
}

} // namespace doctor_counters_test
