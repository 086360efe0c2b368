// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/error.hpp"
#include "gridsmith/search/space/space.hpp"
#include "gridsmith/tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <set>

namespace space_test {

using namespace gridsmith;

namespace {

std::vector<Value> numbers(std::int64_t first, std::int64_t last) {
  std::vector<Value> values;
  for (std::int64_t i = first; i <= last; ++i)
    values.emplace_back(i);
  return values;
}

std::vector<Constraint> constraints(const std::vector<std::string>& texts) {
  std::vector<Constraint> all;
  for (const std::string& text : texts)
    all.push_back({Expression::parse(text), text});
  return all;
}

/// Letter and number. (`"p" + to_string(i)` makes g++ 12 warn of an overlap that is not there.)
std::string numbered(char letter, std::size_t i) {
  std::string name(1, letter);
  return name.append(std::to_string(i));
}

/// n parameters p0, p1, … of the values 1 … 10.
std::vector<Parameter> tens(std::size_t n) {
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < n; ++i)
    parameters.push_back({numbered('p', i), numbers(1, 10)});
  return parameters;
}

std::string join(std::size_t n, const std::string& with) {
  std::string text;
  for (std::size_t i = 0; i < n; ++i)
    text += (i ? with : "") + numbered('p', i);
  return text;
}

std::string error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void check_contains(const std::string& text, const std::string& part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
}

const std::vector<Parameter> blocks = {
    {"x", {std::int64_t{16}, std::int64_t{32}, std::int64_t{64}}},
    {"y", {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}}},
    {"pad", {false, true}},
    {"fixed", {std::int64_t{7}}},
};

} // namespace

TEST_CASE("spaces: a configuration by its id, and back") {
  const SearchSpace space =
      SearchSpace::build(blocks, constraints({"x * y <= 64", "not pad or x > 16"}));
  REQUIRE(space.size() == 9);
  CHECK(space.product() == 18);
  std::set<std::string> texts;
  for (ConfigurationId id = 0; id < space.size(); ++id) {
    const Configuration configuration = space.at(id);
    CHECK(space.find(configuration) == id);
    CHECK(space.why_not(configuration).empty());
    texts.insert(to_text(configuration));
  }
  CHECK(texts.size() == 9);
  CHECK(texts.contains("x=32 y=2 pad=True fixed=7"));
  const std::vector<Position> some = space.list(3, 5), all = space.list();
  CHECK(std::equal(some.begin(), some.end(), all.begin() + 3 * 4));
  CHECK(space.list(20).empty());
}

TEST_CASE("spaces: facts, and the largest value of a parameter") {
  const Bindings facts = {{"limit", std::int64_t{64}}, {"max(y)", std::int64_t{4}}};
  const SearchSpace space =
      SearchSpace::build(blocks, constraints({"x * y <= limit", "y * 2 <= max(y)"}), facts);
  CHECK(space.size() == (3 + 2) * 2);
}

TEST_CASE("spaces: two constraints share a term that one of them remembers by pairs") {
  const std::vector<Parameter> parameters = {
      {"x", {8.0, -0.5}}, {"between", numbers(0, 16)}, {"y", numbers(1, 20)}};
  const SearchSpace space =
      SearchSpace::build(parameters, constraints({"x <= between or y != x", "x % y != 0"}));
  std::uint64_t inside = 0;
  for (const double x : {8.0, -0.5})
    for (int between = 0; between <= 16; ++between)
      for (int y = 1; y <= 20; ++y)
        inside += (x <= between || y != x) && std::fmod(x, y) != 0;
  CHECK(space.size() == inside);
}

TEST_CASE("spaces: without constraints, without choices") {
  CHECK(SearchSpace::build(blocks).size() == 18);
  CHECK(SearchSpace::build({blocks[3]}).size() == 1);
  const SearchSpace fixed = SearchSpace::build({blocks[3]}, constraints({"fixed == 7"}));
  CHECK(fixed.size() == 1);
  CHECK(to_text(fixed.at(0)) == "fixed=7");
  CHECK(fixed.report()[0].always_true);
  CHECK(fixed.neighbours(0, Neighbourhood::hamming).empty());
}

TEST_CASE("spaces: samples are uniform and never repeat") {
  const SearchSpace space = SearchSpace::build(blocks, constraints({"x * y <= 64"}));
  const std::uint64_t size = space.size();
  std::map<ConfigurationId, int> drawn;
  Random random(1);
  constexpr int rounds = 6000;
  for (int round = 0; round < rounds; ++round) {
    const std::vector<ConfigurationId> some = space.sample(3, random);
    CHECK(std::set<ConfigurationId>(some.begin(), some.end()).size() == 3);
    for (const ConfigurationId id : some)
      ++drawn[id];
  }
  REQUIRE(drawn.size() == size);
  double chi_squared = 0;
  const double expected = 3.0 * rounds / static_cast<double>(size);
  for (const auto& [id, times] : drawn)
    chi_squared += (times - expected) * (times - expected) / expected;
  CHECK(chi_squared < 31.3); // 0.1 % of the distribution with 11 degrees of freedom lies above
  Random again(5), same(5);
  CHECK(space.sample(4, again) == space.sample(4, same));
  std::vector<ConfigurationId> all = space.sample(1000, random);
  std::ranges::sort(all);
  CHECK(all.size() == size);
  CHECK(all.back() == size - 1);
}

TEST_CASE("spaces: why a configuration is not in it") {
  const SearchSpace space = SearchSpace::build(blocks, constraints({"x * y <= 64", "y != 4"}));
  const Configuration configuration = {
      {"x", std::int64_t{64}}, {"y", std::int64_t{4}}, {"pad", true}, {"fixed", std::int64_t{7}}};
  const std::vector<std::string> reasons = space.why_not(configuration);
  REQUIRE(reasons.size() == 2);
  CHECK(reasons[0] == "constraint 'x * y <= 64' does not hold for x=64, y=4");
  CHECK(reasons[1] == "constraint 'y != 4' does not hold for y=4");
  const std::vector<std::string> others =
      space.why_not({{"x", std::int64_t{17}}, {"pda", true}, {"fixed", std::int64_t{7}}});
  REQUIRE(others.size() == 4);
  CHECK(others[0] == "parameter 'x' has no value 17 (valid: 16, 32, 64)");
  CHECK(others[1] == "no value for parameter 'y'");
  check_contains(others[3], "unknown parameter 'pda'; did you mean 'pad'?");
}

TEST_CASE("spaces: constraints that always or never hold, and divisions by zero, are reported") {
  const std::vector<Parameter> parameters = {{"a", numbers(0, 3)}, {"b", numbers(0, 4)}};
  const SearchSpace space = SearchSpace::build(
      parameters, constraints({"a + b >= 0", "8 % a == 0", "b == 0 or a % b == 0", "a > b"}));
  const std::vector<ConstraintReport>& report = space.report();
  REQUIRE(report.size() == 4);
  CHECK(report[0].always_true);
  CHECK(report[1].removed == 10); // a of 0 and of 3, five b each
  CHECK(report[1].division_by_zero);
  CHECK_FALSE(report[2].division_by_zero);
  CHECK(report[3].removed == 14);
  const SearchSpace empty = SearchSpace::build(parameters, constraints({"a * b > 12"}));
  CHECK(empty.report()[0].never_true);
  CHECK(empty.report()[0].removed == 20);
}

TEST_CASE("spaces: an impossible set names few constraints that conflict") {
  const SearchSpace space = SearchSpace::build(
      tens(4), constraints({"p0 != 3", "p0 * p1 > 50", "p2 <= p3", "p0 + p1 < 9", "p1 > 1"}));
  CHECK(space.size() == 0);
  CHECK(space.conflict_set() == std::vector<std::string>{"p0 * p1 > 50", "p0 + p1 < 9"});
  CHECK(space.list().empty());
  Random random(1);
  CHECK(space.sample(5, random).empty());
  const SearchSpace one = SearchSpace::build(tens(2), constraints({"p0 < p1", "1 > 2", "p0 > 11"}));
  CHECK(one.conflict_set().size() == 1);
  const SearchSpace alone =
      SearchSpace::build(tens(2), constraints({"p0 > 5", "p1 > 1", "p0 < 4"}));
  CHECK(alone.conflict_set() == std::vector<std::string>{"p0 > 5", "p0 < 4"});
  CHECK(SearchSpace::build(tens(2)).conflict_set().empty());
}

TEST_CASE("spaces: bad input is named") {
  check_contains(error_of([] { SearchSpace::build(blocks, constraints({"x * padd <= 64"})); }),
                 "constraint 'x * padd <= 64', column 5: unknown name 'padd'; did you mean 'pad'?");
  check_contains(
      error_of([] { SearchSpace::build(blocks, constraints({"pad and 1 or 'a' < z"})); }),
      "unknown name 'z'");
  check_contains(error_of([] { SearchSpace::build({blocks[0], blocks[0]}); }),
                 "'x' is defined twice");
  check_contains(error_of([] { SearchSpace::build({{"a", {}}}); }), "'a' has no values");
  check_contains(error_of([] { SearchSpace::build({{"a", {std::int64_t{1}, 1.0}}}); }),
                 "'a' lists the value 1.0 twice");
  check_contains(error_of([] { SearchSpace::build({{"a", {"p", "q"}}}, constraints({"a < 3"})); }),
                 "a text cannot be used here with a number");
}

TEST_CASE("spaces: products of 10^12 and more with few or many survivors") {
  const SearchSpace one = SearchSpace::build(tens(12), constraints({join(12, " + ") + " == 12"}));
  CHECK(one.size() == 1);
  CHECK(one.product() == Approx(1e12));
  CHECK(one.report()[0].removed == Approx(1e12));
  const SearchSpace equal = SearchSpace::build(tens(13), constraints({join(13, " == ")}));
  CHECK(equal.size() == 10);
  const SearchSpace power =
      SearchSpace::build(tens(12), constraints({join(12, " * ") + " == 1024"}));
  CHECK(power.size() > 100'000); // far too many to list one by one in the time this takes
  const SearchSpace many = SearchSpace::build(tens(18), constraints({"p0 < p1"}));
  CHECK(many.size() == 45 * std::uint64_t{10'000'000'000'000'000});
  Random random(3);
  for (const ConfigurationId id : many.sample(100, random))
    CHECK(many.find(many.at(id)) == id);
  const SearchSpace beyond = SearchSpace::build(tens(20), constraints({"p0 < p1"}));
  CHECK_THROWS_AS(beyond.size(), InputError);
}

TEST_CASE("spaces: more parameters in one group than a word has bits") {
  std::vector<Parameter> parameters;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 80; ++i) {
    parameters.push_back({numbered('v', i), numbers(0, 1)});
    if (i > 0)
      texts.push_back(numbered('v', i - 1) + " <= " + numbered('v', i));
  }
  const SearchSpace space = SearchSpace::build(parameters, constraints(texts));
  CHECK(space.size() == 81);
}

TEST_CASE("spaces: from listed configurations") {
  const SearchSpace space = SearchSpace::from_rows(
      blocks, {{2, 0, 1, 0}, {0, 0, 0, 0}, {1, 0, 1, 0}, {0, 0, 0, 0}, {1, 2, 0, 0}});
  REQUIRE(space.size() == 4);
  CHECK(to_text(space.at(0)) == "x=16 y=1 pad=False fixed=7");
  CHECK(to_text(space.at(3)) == "x=64 y=1 pad=True fixed=7");
  for (ConfigurationId id = 0; id < space.size(); ++id)
    CHECK(space.find(space.at(id)) == id);
  CHECK(space.neighbours(3, Neighbourhood::hamming) == std::vector<ConfigurationId>{1});
  CHECK(space.neighbours(0, Neighbourhood::one_step) == std::vector<ConfigurationId>{1});
  Configuration absent = space.at(0);
  absent[2].second = true;
  CHECK(space.why_not(absent) ==
        std::vector<std::string>{"it is not among the configurations listed"});
  CHECK(space.report().empty());
  CHECK(space.list().size() == 16);
  CHECK_THROWS_AS(SearchSpace::from_rows(blocks, {{3, 0, 0, 0}}), InputError);
  CHECK(SearchSpace::from_rows(blocks, {}).size() == 0);
}

} // namespace space_test
