// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/expression/value_list.hpp"
#include "gridsmith/tests/catch.hpp"

#include <cstdint>

namespace value_list_test {

using namespace gridsmith;

namespace {

std::vector<Value> integers(std::initializer_list<std::int64_t> numbers) {
  return {numbers.begin(), numbers.end()};
}

std::string error_of(std::string_view text) {
  try {
    parse_value_list(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void check_contains(const std::string& text, const std::string& part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
}

} // namespace

TEST_CASE("value lists: what T1 files hold") {
  CHECK(parse_value_list("[16, 32, 64]") == integers({16, 32, 64}));
  CHECK(parse_value_list("[1, 2,]") == integers({1, 2}));
  CHECK(parse_value_list("(1, 2)") == integers({1, 2}));
  CHECK(parse_value_list("range(3)") == integers({0, 1, 2}));
  CHECK(parse_value_list("list(range(16, 65, 16))") == integers({16, 32, 48, 64}));
  CHECK(parse_value_list("range(3, 0, -1)") == integers({3, 2, 1}));
  CHECK(parse_value_list("[1, 2] + list(range(32, 96+1, 32))") == integers({1, 2, 32, 64, 96}));
  CHECK(parse_value_list("[2**i for i in range(0, 6)]") == integers({1, 2, 4, 8, 16, 32}));
  CHECK(parse_value_list("[i for i in range(1, 10+1) if i % 2 == 0]") ==
        integers({2, 4, 6, 8, 10}));
  CHECK(parse_value_list("[i * i for i in [1, 2, 3] if i > 1 if i < 3]") == integers({4}));
  CHECK(parse_value_list("['row', \"col\"]") == std::vector<Value>{"row", "col"});
  CHECK(parse_value_list("[True, 0.5, -1]") == std::vector<Value>{true, 0.5, std::int64_t{-1}});
  CHECK(parse_value_list("[]").empty());
}

TEST_CASE("value lists: errors name the column") {
  check_contains(error_of("[1, 2"), "column 6: expected ',' or ']', found the end");
  check_contains(error_of("16"), "column 1: expected a list");
  check_contains(error_of("range(1, 5, 0)"), "the step of range() must not be 0");
  check_contains(error_of("range(1.5)"), "column 7: expected a whole number");
  check_contains(error_of("[j for i in range(3)]"), "column 2: unknown name 'j'");
  check_contains(error_of("range(1000000000)"), "more than 65535 values");
  check_contains(error_of("[1 // 0]"), "division by zero");
  check_contains(error_of("[1] 2"), "column 5");
  check_contains(error_of("__import__('os')"), "column 1");
}

} // namespace value_list_test
