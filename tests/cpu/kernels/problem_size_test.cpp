// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/definition/problem_size.hpp"
#include "gridsmith/tests/catch.hpp"

namespace problem_size_test {

using namespace gridsmith;

TEST_CASE("problem sizes as text") {
  CHECK(problem_size_from_text("8192x8192").extents == std::vector<std::int64_t>{8192, 8192});
  CHECK(problem_size_from_text("7").extents == std::vector<std::int64_t>{7});
  CHECK(to_text(problem_size_from_text("1x22x333")) == "1x22x333");
  for (const char* bad :
       {"", "x", "8x", "x8", "0", "-3", "8x8x8x8", "8 x 8", "8X8", "8.5", "99999999999999999999"})
    CHECK_THROWS_AS(problem_size_from_text(bad), InputError);
}

TEST_CASE("extents of a text, any number of them") {
  CHECK(extents_of("8192x4096x1") == std::vector<std::int64_t>{8192, 4096, 1});
  CHECK(extents_of("2x2x2x2").size() == 4);
  for (const char* bad : {"", "12x", "0x3", "x3", "3 x 3"})
    CHECK(extents_of(bad).empty());
}

} // namespace problem_size_test
