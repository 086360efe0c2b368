// SPDX-License-Identifier: Apache-2.0
// Numbers beyond 64 bits, expressions as long as they may be, spaces that take for ever.
#include "gridsmith/base/error.hpp"
#include "gridsmith/search/space/space.hpp"
#include "gridsmith/tests/catch.hpp"

#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace space_bounds_test {

using namespace gridsmith;
using namespace std::chrono_literals;

namespace {

using Texts = std::vector<std::string>;

std::vector<Value> numbers(std::int64_t first, std::int64_t last) {
  std::vector<Value> values;
  for (std::int64_t i = first; i <= last; ++i)
    values.emplace_back(i);
  return values;
}

SearchSpace space_of(std::vector<Parameter> parameters, const Texts& texts,
                     const SpaceWatch& watch = {}) {
  std::vector<Constraint> constraints;
  for (const std::string& text : texts)
    constraints.push_back({Expression::parse(text), text});
  return SearchSpace::build(std::move(parameters), std::move(constraints), {}, watch);
}

std::string too_large(const std::function<void()>& act) {
  try {
    act();
  } catch (const NumberTooLarge& error) {
    return error.what();
  }
  return "";
}

std::string repeated(const std::string& first, const std::string& next, std::size_t count) {
  std::string text = first;
  for (std::size_t i = 1; i < count; ++i)
    text += next;
  return text;
}

} // namespace

TEST_CASE("bounds: integers beyond 64 bits remove nothing that Python keeps") {
  const std::vector<Parameter> a = {{"A", numbers(0, 31)}};
  for (const auto& [text, kept] : std::vector<std::pair<const char*, std::uint64_t>>{
           {"A*9223372036854775807 > 0", 31},
           {"2**(A*20) > 100", 31},
           {"(A + 1) * 9223372036854775809 % 7 == 0", 4},
           {"A * 2**62 // 2**61 == 2 * A", 32},
           {"A * 10**30 - 10**30 >= 0", 31},
           {"-A * 2**63 <= -2**64", 30}}) {
    INFO(text);
    const SearchSpace space = space_of(a, {text});
    CHECK(space.size() == kept);
    CHECK_FALSE(space.report().front().division_by_zero);
    CHECK(space.report().front().removed == 32 - static_cast<double>(kept));
  }
  const SearchSpace space =
      space_of({{"y", {std::int64_t{0}, std::int64_t{5}, 2.5}}}, {"33364 ** y"});
  CHECK(space.size() == 3);
  CHECK(space.why_not({{"y", std::int64_t{5}}}).empty());
}

TEST_CASE("bounds: products beyond 64 bits are cut early all the same") {
  std::vector<Parameter> parameters;
  std::string product;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
    parameters.push_back({name, {}});
    for (int bit = 0; bit <= 10; ++bit)
      parameters.back().values.emplace_back(std::int64_t{1} << bit);
    product += (product.empty() ? "" : " * ") + std::string(name);
  }
  const auto start = std::chrono::steady_clock::now();
  CHECK(space_of(parameters, {product + " <= 1000"}).size() == 24'310);             // C(9 + 8, 8)
  CHECK(space_of(parameters, {"1000 >= " + product, "a * b == 4"}).size() == 5148); // 3 * 1716
  CHECK(std::chrono::steady_clock::now() - start < 5s);
  parameters.resize(3); // both sides beyond 64 bits: one by one
  CHECK(space_of(parameters, {"(a * b * c) ** 4 + 8 > 2 ** 116"}).size() == 4);
}

TEST_CASE("bounds: constants that are not folded are no part of a program") {
  const std::vector<Parameter> both = {{"A", numbers(1, 9)}, {"B", numbers(1, 9)}};
  CHECK(space_of(both, {"A * B < 9007199254740993 + 1000"}).size() == 81);
  CHECK(space_of(both, {"A * B < 2**62 - 2**62 + 9"}).size() == 20);
  CHECK(space_of(both, {"A * B < 4 or A * B > 7 % 0 + 1"}).size() == 5);
  CHECK(space_of(both, {"A * B < 4 or A + 7 % 0 + 1 > B"}).size() == 5);
}

TEST_CASE("bounds: a number too large is an error that names expression and values") {
  const std::vector<Parameter> both = {{"A", numbers(0, 9)}, {"B", numbers(0, 3)}};
  CHECK(too_large([&] { space_of(both, {"2 ** (A * B * 200) > 5"}); }) ==
        "expression '2 ** (A * B * 200) > 5', column 3: the number is too large: integers have at "
        "most 4096 bits, reals end at 1.8e308, with A=7, B=3");
  CHECK(too_large([&] { space_of(both, {"2 ** (A * 1000) > 5"}); }).ends_with("with A=5"));
  CHECK(too_large([&] { space_of(both, {"2 ** 5000 > 5"}); }) != "");
  CHECK(too_large([&] { space_of(both, {"A ** 0.5 ** B > 0", "1e200 ** A > 1"}); }) != "");
  // Where another constraint forbids the configuration, nobody needs the answer.
  CHECK(space_of(both, {"2 ** (A * 1000) >= 2", "A < 5"}).size() == 16);
  CHECK(space_of(both, {"2 ** (A * B * 200) >= 2", "A * B <= 20"}).size() == 24);
  const SearchSpace space = space_of(both, {"2 ** (A * 1000) >= 2", "A < 5", "B == 0"});
  CHECK(space.report().front().removed == 4); // A = 0; of the rest it says nothing
  CHECK(space_of(both, {"2 ** (A * 1000) > 0", "A > 9"}).conflict_set() == Texts{"A > 9"});
}

TEST_CASE("bounds: 10^5 terms of each operator become a space at once",
          "[.][needs:optimised-build]") {
  const std::vector<Parameter> both = {{"A", numbers(1, 8)}, {"B", numbers(1, 8)}};
  const std::size_t many = 100'000;
  std::string sum = "A*B", both_positive = "A+B > 0", list = "A+B in [0";
  for (std::size_t i = 1; i < many / 4; ++i) { // each one another
    sum += " + A*B*" + std::to_string(i);
    both_positive += " and A+B > -" + std::to_string(i);
    list += "," + std::to_string(i);
  }
  for (const auto& [text, size] : std::vector<std::pair<std::string, std::uint64_t>>{
           {repeated("A", "+A", many) + " > 100000", 56},
           {repeated("A", "+B", many) + " > 100000", 63},
           {repeated("A", "*1", many) + " > 1", 56},
           {repeated("A*B", " - B", many) + " < 0", 64},
           {repeated("A", "/1", many) + " > 1", 56},
           {repeated("A/B", "+A/B", many) + " > 100000", 28},
           {repeated("A>0", " and A>0", many), 64},
           {repeated("A*B>1", " and A*B>1", many), 63},
           {repeated("A*B<2", " or A*B<2", many), 1},
           {repeated("A", "<=A", many), 64},
           {repeated("A", "<=B", many), 36},
           {"A in [5" + repeated("", ",5", many) + "]", 8},
           {"min(A" + repeated("", ",B", many) + ") > 1", 49},
           {sum + " > 0", 64},
           {both_positive, 64},
           {list + "]", 64}}) {
    INFO(text.substr(0, 30));
    const auto start = std::chrono::steady_clock::now();
    CHECK(space_of(both, {text}).size() == size);
    CHECK(std::chrono::steady_clock::now() - start < 5s); // a second where nothing else runs
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  CHECK(usage.ru_maxrss < 300L * 1024); // KiB
}

TEST_CASE("bounds: the building of a hard space tells how far it is and stops when asked",
          "[.][needs:optimised-build]") {
  std::vector<Parameter> parameters;
  for (const char* name : {"A", "B", "C", "D", "E"})
    parameters.push_back({name, numbers(1, 1000)});
  std::vector<Parameter> bits;
  std::string weighted;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::string name = std::string("v").append(std::to_string(i));
    bits.push_back({name, numbers(0, 1)});
    weighted += (i ? " + " : "") + name + " * " + std::to_string(1'000'003 + i * i * 7919 * 31);
  }
  for (const auto& [hard, text] : std::vector<std::pair<std::vector<Parameter>, std::string>>{
           {parameters, "A*B*C*D*E % 7919 == 1234"},
           {parameters, "A**2 + B**2 + C**2 == D**2 * E + 17"},
           {parameters, "log2(A*B) + log2(C*D) == log2(E) * 3.3 or 'x' < 'a'"},
           {bits, weighted + " == 987654321"}}) {
    INFO(text.substr(0, 30));
    const auto start = std::chrono::steady_clock::now();
    double last = 0;
    std::size_t asked = 0;
    const auto watch = [&](const SpaceProgress& progress) {
      CHECK(progress.part >= last);
      CHECK(progress.part <= 1);
      last = progress.part;
      ++asked;
      return std::chrono::steady_clock::now() - start < 300ms;
    };
    CHECK_THROWS_AS(space_of(hard, {text}, watch), SpaceNotBuilt);
    CHECK(std::chrono::steady_clock::now() - start < 2s);
    CHECK(asked > 1); // more often on a machine with nothing else to do
  }
}

} // namespace space_bounds_test
