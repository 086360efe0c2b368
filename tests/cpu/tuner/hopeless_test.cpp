// SPDX-License-Identifier: Apache-2.0
// What ends a tuning whose definition no configuration can mend.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/loop/hopeless.hpp"

namespace hopeless_test {

using namespace gridsmith;

namespace {

/// After ten that failed so.
bool ends(const std::string& reason) {
  Hopeless hopeless;
  Measurement failed;
  failed.status = Status::compile;
  failed.reason = reason;
  for (int i = 0; i < 10; ++i)
    hopeless.see(failed);
  return hopeless.verdict().has_value();
}

} // namespace

TEST_CASE("a source that no value of a parameter reaches ends a tuning") {
  CHECK(ends(
      "k.cu(1): error: TILE is defined again, so the definition's value has no effect; put the line in "
      "#ifndef TILE and #endif, or delete it"));
  CHECK(ends("k.cu(2): error: host code (<iostream>): Gridsmith compiles the kernel only"));
  CHECK_FALSE(ends("k.cu(2): error: expected a \";\"")); // may be of the values
}

} // namespace hopeless_test
