// SPDX-License-Identifier: Apache-2.0
// Random small spaces against brute force with the plain evaluator.
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/expression/expression.hpp"
#include "gridsmith/search/space/space.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/sanitized.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>

namespace space_property_test {

using namespace gridsmith;

namespace {

/// Writes random constraints over a, b, c, … ; deliberately with divisions by zero and overflow.
class Writer {
public:
  Writer(Random& random, std::size_t names, bool texts)
      : random_(random), names_(names), texts_(texts) {}

  std::string condition(int depth) {
    switch (pick(depth > 0 ? 10 : 5)) {
    case 0:
      return number(1) + " % " + number(0) + " == 0";
    case 1:
      return one_of({"1", "2", "8"}) + " <= " + number(1) + " <= " + one_of({"9", "40", "300"});
    case 2:
      return name() + (pick(2) ? " in (1, 2, 4)" : " not in [3, 8, 0.5]");
    case 3:
      return texts_ ? "mode " + one_of({"==", "!=", "<"}) + " 'row'" : name() + " != " + name();
    case 4:
    case 5:
    case 6:
      return number(2) + " " + one_of({"<", "<=", ">", ">=", "==", "!="}) + " " + number(1);
    case 7:
      return "(" + condition(depth - 1) + " and " + condition(depth - 1) + ")";
    case 8:
      return "(" + condition(depth - 1) + " or " + condition(depth - 1) + ")";
    default:
      return "not " + condition(depth - 1);
    }
  }

  std::string number(int depth) {
    if (depth == 0)
      return pick(3) ? name() : one_of({"0", "1", "2", "3", "16", "64", "0.5"});
    const std::string left = number(depth - 1), right = number(depth - 1);
    switch (pick(12)) {
    case 0:
      return "min(" + left + ", " + right + ")";
    case 1:
      return "max(" + left + ", " + right + ")";
    case 2:
      return "abs(" + left + " - " + right + ")";
    case 3:
      return "(" + left + " if " + right + " > 2 else " + name() + ")";
    case 4:
      return one_of({"ceil", "floor", "round", "int"}) + "(" + left + " / " + right + ")";
    case 5:
      return "log2(" + left + ")";
    case 6:
      return "(" + left + " ** " + one_of({"2", right}) + ")";
    default:
      return "(" + left + " " + one_of({"+", "-", "*", "*", "//", "%", "/"}) + " " + right + ")";
    }
  }

private:
  std::size_t pick(std::size_t n) { return random_() % n; }

  std::string name() { return std::string(1, static_cast<char>('a' + pick(names_))); }

  std::string one_of(const std::vector<std::string>& choices) {
    return choices[pick(choices.size())];
  }

  Random& random_;
  std::size_t names_;
  bool texts_;
};

std::vector<Parameter> random_parameters(Random& random, std::size_t count, bool texts) {
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < count; ++i) {
    Parameter& parameter = parameters.emplace_back();
    parameter.name = static_cast<char>('a' + i);
    const std::size_t kind = random() % 6;
    const std::size_t values = 1 + random() % 7;
    for (std::size_t v = 0; v < values; ++v)
      switch (kind) {
      case 0:
        parameter.values.emplace_back(std::int64_t{1} << v);
        break;
      case 1:
        parameter.values.emplace_back(static_cast<double>(v) * 0.5);
        break;
      case 2:
        parameter.values.emplace_back(static_cast<std::int64_t>(v) - 2);
        break;
      default:
        parameter.values.emplace_back(static_cast<std::int64_t>(kind * (v + 1)));
      }
  }
  if (texts)
    parameters.push_back({"mode", {"row", "col", "tile"}});
  return parameters;
}

struct Truth {
  std::set<std::vector<Position>> rows;
  std::vector<double> removed;
  std::vector<bool> undefined;
};

Truth brute_force(const std::vector<Parameter>& parameters,
                  const std::vector<Constraint>& constraints) {
  Truth truth{{}, std::vector<double>(constraints.size()), std::vector<bool>(constraints.size())};
  std::vector<Position> row(parameters.size());
  const Lookup lookup = [&](std::string_view name) -> const Value* {
    for (std::size_t i = 0; i < row.size(); ++i)
      if (parameters[i].name == name)
        return &parameters[i].values[row[i]];
    return nullptr;
  };
  for (;;) {
    bool valid = true;
    for (std::size_t c = 0; c < constraints.size(); ++c) {
      bool holds = false;
      try {
        holds = is_true(constraints[c].expression.evaluate(lookup));
      } catch (const EvaluationError&) {
        truth.undefined[c] = true;
      }
      truth.removed[c] += !holds;
      valid = valid && holds;
    }
    if (valid)
      truth.rows.insert(row);
    std::size_t i = 0;
    while (i < row.size() && ++row[i] == parameters[i].values.size())
      row[i++] = 0;
    if (i == row.size())
      return truth;
  }
}

void check_rows(const SearchSpace& space, const Truth& truth) {
  REQUIRE(space.size() == truth.rows.size());
  const std::size_t width = space.parameters().size();
  const std::vector<Position> listed = space.list();
  REQUIRE(listed.size() == width * space.size());
  std::vector<Position> row(width);
  for (ConfigurationId id = 0; id < space.size(); ++id) {
    space.positions(id, row);
    REQUIRE(truth.rows.contains(row));
    REQUIRE(space.find(row) == id);
    REQUIRE(std::equal(row.begin(), row.end(),
                       listed.begin() + static_cast<std::ptrdiff_t>(id * width)));
  }
}

std::set<std::vector<Position>>
expected_neighbours(const Truth& truth, const std::vector<Position>& row, Neighbourhood kind) {
  std::set<std::vector<Position>> expected;
  for (const std::vector<Position>& other : truth.rows) {
    std::size_t differ = 0, far = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      differ += row[i] != other[i];
      far += std::abs(static_cast<int>(row[i]) - static_cast<int>(other[i])) > 1;
    }
    const bool one = kind == Neighbourhood::one_step || differ == 1;
    const bool near = kind == Neighbourhood::hamming || far == 0;
    if (differ > 0 && one && near)
      expected.insert(other);
  }
  return expected;
}

void check_neighbours(const SearchSpace& space, const Truth& truth, Random& random) {
  if (space.size() == 0)
    return;
  std::vector<Position> row(space.parameters().size());
  for (const auto kind :
       {Neighbourhood::hamming, Neighbourhood::adjacent, Neighbourhood::one_step}) {
    const ConfigurationId id = random() % space.size();
    const std::vector<ConfigurationId> found = space.neighbours(id, kind);
    CHECK(std::ranges::is_sorted(found));
    space.positions(id, row);
    const auto expected = expected_neighbours(truth, row, kind);
    std::set<std::vector<Position>> rows;
    for (const ConfigurationId other : found) {
      space.positions(other, row);
      rows.insert(row);
    }
    CHECK(rows.size() == found.size());
    CHECK(rows == expected);
  }
}

void check_report(const SearchSpace& space, const Truth& truth) {
  for (std::size_t c = 0; c < truth.removed.size(); ++c) {
    const ConstraintReport& report = space.report()[c];
    INFO("constraint " << report.text);
    CHECK(report.removed == Approx(truth.removed[c]));
    CHECK(report.always_true == (truth.removed[c] == 0));
    CHECK(report.never_true == (truth.removed[c] == space.product()));
    CHECK(report.division_by_zero == truth.undefined[c]);
  }
}

/// How many random spaces: a fifth where each takes ten times as long.
std::uint64_t seeds(std::uint64_t all) {
  return sanitized() ? all / 5 : all;
}

} // namespace

TEST_CASE("spaces: equal to brute force, whatever the constraints") {
  for (std::uint64_t seed = 1; seed <= seeds(400); ++seed) {
    Random random(seed);
    const bool texts = seed % 5 == 0;
    const std::size_t count = 2 + random() % 5;
    const std::vector<Parameter> parameters = random_parameters(random, count, texts);
    Writer writer(random, count, texts);
    std::vector<Constraint> constraints;
    std::string all;
    for (std::size_t c = 0; c < 1 + seed % 4; ++c) {
      const std::string text = writer.condition(2);
      all += text + "\n";
      constraints.push_back({Expression::parse(text), text});
    }
    INFO("seed " << seed << "\n" << all);
    std::optional<Truth> known;
    try {
      known = brute_force(parameters, constraints);
    } catch (const InputError& error) { // beyond what is exact; pruning may never meet it
      CHECK_THAT(error.what(), contains_text("the number is too large"));
      continue;
    }
    const Truth& truth = *known;
    const SearchSpace space = SearchSpace::build(parameters, constraints);
    check_rows(space, truth);
    check_neighbours(space, truth, random);
    check_report(space, truth);
    CHECK(space.conflict_set().empty() == (space.size() > 0));
  }
}

TEST_CASE("spaces: what tuners write, against brute force with pruning at work") {
  // Larger products, so that bounds and remembered pairs come into play.
  const std::vector<std::string> pool = {
      "a * b * c <= 64",
      "32 <= a * b <= 1024",
      "(a * c + 2) * (b * d + 2) * 4 <= 2000",
      "a % c == 0",
      "64 % (a * b) == 0",
      "d == 0 or a * b * d <= 100",
      "a + b + c + d == 12",
      "a * 2 - b >= c",
      "c <= d and d % c == 0",
      "a / b * c < 10",
      "b - a * d > -40",
      "e == 0 or (a * b // 4) * e <= 50",
      "64 % ((a * c) / d) == 0",
      "e <= c or b == 1",
      "e * e + d * d == 25",
      "min(a, b) + max(c, d) <= 12",
  };
  for (std::uint64_t seed = 1; seed <= seeds(80); ++seed) {
    Random random(seed);
    std::vector<Parameter> parameters;
    for (const char* name : {"a", "b", "c", "d", "e"}) {
      parameters.push_back({name, {}});
      const bool powers = random() % 2;
      for (std::int64_t v = 0; v < 6; ++v)
        parameters.back().values.emplace_back(powers ? std::int64_t{1} << v : v + 1);
    }
    std::vector<Constraint> constraints;
    std::string all;
    for (std::size_t c = 0; c < 3; ++c) {
      const std::string& text = pool[random() % pool.size()];
      all += text + "\n";
      constraints.push_back({Expression::parse(text), text});
    }
    INFO("seed " << seed << "\n" << all);
    const Truth truth = brute_force(parameters, constraints);
    const SearchSpace space = SearchSpace::build(parameters, constraints);
    check_rows(space, truth);
    check_report(space, truth);
  }
}

TEST_CASE("spaces: long value lists, where the ends of what is allowed are bisected") {
  const std::vector<std::string> pool = {
      "a * b <= 200",         "a * c + b * 2 == 60", "40 <= a + b", "b // c > 3",
      "a / 4 + c < b",        "a * b * c == 480",    "100 > a * a", "a - b < c",
      "c * 3 - a >= -20",     "a * c > b * 5",       "b == a + c",  "a <= 12.5 or b < 4",
      "a * c <= b or c == 1", "a ** 2 < b * c * 9",  "b % c == 0",  "a + c == b + 2.0",
  };
  for (std::uint64_t seed = 1; seed <= seeds(60); ++seed) {
    Random random(seed);
    std::vector<Parameter> parameters = {{"a", {}}, {"b", {}}, {"c", {}}};
    for (Parameter& parameter : parameters) {
      const std::size_t kind = random() % 4;
      const int values = parameter.name == "c" ? 5 : 30;
      for (int v = 1; v <= values; ++v)
        if (kind == 0)
          parameter.values.emplace_back(v * 0.5);
        else
          parameter.values.emplace_back(std::int64_t{kind == 1 ? values + 1 - v : v});
    }
    std::vector<Constraint> constraints;
    std::string all;
    for (std::size_t c = 0; c < 1 + seed % 3; ++c) {
      const std::string& text = pool[random() % pool.size()];
      all += text + "\n";
      constraints.push_back({Expression::parse(text), text});
    }
    INFO("seed " << seed << "\n" << all);
    const Truth truth = brute_force(parameters, constraints);
    const SearchSpace space = SearchSpace::build(parameters, constraints);
    check_rows(space, truth);
    check_report(space, truth);
  }
}

} // namespace space_property_test
