// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/field_sums.hpp"
#include "gridsmith/tests/catch.hpp"

#include <optional>
#include <string>

namespace field_sums_test {

using namespace gridsmith;

namespace {

struct Inner {
  double ms = 0;
  std::size_t starts = 0;
};

template <Like<Inner> T>
constexpr void for_fields(T& v, auto&& visit) {
  visit("ms", v.ms);
  visit("starts", v.starts);
}

struct Outer {
  double ms = 0; ///< the type of two fields of Inner
  Inner inner;
  std::optional<std::string> why;
};

template <Like<Outer> T>
constexpr void for_fields(T& v, auto&& visit) {
  visit("ms", v.ms);
  visit("inner", v.inner);
  visit("why", v.why);
}

struct Forgetful {
  std::size_t listed = 0;
  bool listed_too = false, forgotten = false;
};

template <Like<Forgetful> T>
constexpr void for_fields(T& v, auto&& visit) {
  visit("listed", v.listed);
  visit("listed_too", v.listed_too);
}

} // namespace

TEST_CASE("a list that lacks a field is detected, also where padding has room for it") {
  CHECK(lists_all_fields<Inner>());
  CHECK(lists_all_fields<Outer>());
  CHECK_FALSE(lists_all_fields<Forgetful>());
}

TEST_CASE("each field is added to its own, and the first word stays") {
  Outer sum{1, {2, 3}, std::nullopt};
  add_fields(sum, {10, {20, 30}, "first"});
  add_fields(sum, {100, {200, 300}, "second"});
  CHECK(sum.ms == 111);
  CHECK(sum.inner.ms == 222);
  CHECK(sum.inner.starts == 333);
  CHECK(sum.why == "first");
}

TEST_CASE("what was added is subtracted field by field") {
  Inner left{5, 7};
  subtract_fields(left, {2, 3});
  CHECK(left.ms == 3);
  CHECK(left.starts == 4);
}

} // namespace field_sums_test
