// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/processes/compile_order.hpp"

#include <vector>

namespace compile_order_test {

using namespace gridsmith;

namespace {

constexpr CompileForecast unknown{}, hopeless{.ms = 50, .hopeless = true};

std::size_t next(const std::vector<CompileForecast>& waiting, std::size_t compilers) {
  return next_to_compile(waiting, compilers);
}

} // namespace

TEST_CASE("of those of which nothing is known the one asked first is compiled first") {
  CHECK(next({unknown, unknown, unknown}, 4) == 0);
  CHECK(next({unknown}, 1) == 0);
}

TEST_CASE("what would keep everybody waiting in the end begins at once") {
  CHECK(next({{100}, {100}, {100}, {400}}, 1) == 3);
  CHECK(next({{100}, {100}, {100}, {290}}, 1) == 0); // the others take longer
  CHECK(next({{100}, {100}, {100}, {290}}, 2) == 3); // not on two
}

TEST_CASE("what cannot be launched comes last, and does come") {
  CHECK(next({hopeless, {10}, {20}, {25}}, 1) == 1);
  CHECK(next({hopeless, unknown}, 1) == 1);
  CHECK(next({hopeless, hopeless}, 1) == 0);
}

} // namespace compile_order_test
