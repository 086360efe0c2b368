// SPDX-License-Identifier: Apache-2.0
// What a generated header computes is what Python computes, or the header says that it does not know: random expressions
// as code of Numbers, and as plain code where that is proven.
#include "gridsmith/results/header/expression_code.hpp"
#include "gridsmith/results/header/plain_code.hpp"
#include "gridsmith/results/header/runtime.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/python_expressions.hpp"
#include "gridsmith/tests/cpu/results/shipped.hpp"

#include <algorithm>
#include <cstdlib>

namespace expression_code_test {

using namespace gridsmith;

namespace {

/// A Number of the header across the border of its library.
struct Given {
  int kind = 0; ///< Number::Kind
  std::int64_t i = 0;
  double r = 0;
};

constexpr const char* names_in_order = "abcndmhf";

constexpr const char* frame = R"(
using namespace tuned;
enum class Text { row, col, none };
[[maybe_unused]] static const char* text(Text value) {
  return value == Text::row ? "row" : value == Text::col ? "col" : "";
}
struct Names { Number a, b, c, n, d, m, h, f; Text s; };
)";

constexpr const char* calls = R"(
struct Given { int kind; std::int64_t i; double r; };
extern "C" void gives(int line, const Given* given, int text_of_s, Given* result) {
  const auto number = [&](int k) { return given[k].kind == 1 ? Number(given[k].i) : Number(given[k].r); };
  const Names names{number(0), number(1), number(2), number(3), number(4), number(5), number(6), number(7),
                    static_cast<Text>(text_of_s)};
  const Number got = numbers[line](names);
  *result = {got.kind, got.i, got.r};
}
)";

Given given(const Value& value) {
  if (const auto* real = std::get_if<double>(&value))
    return {2, 0, *real};
  const auto* truth = std::get_if<bool>(&value);
  return {1, truth ? (*truth ? 1 : 0) : std::get<std::int64_t>(value), 0};
}

bool is_true(const Given& number) {
  return number.kind == 1 ? number.i != 0 : number.r != 0;
}

/// Whether a number is what Python prints.
bool is_python(const Given& number, const std::string& text) {
  if (text == "True" || text == "False")
    return number.kind == 1 && number.i == (text == "True" ? 1 : 0);
  if (text.find_first_of(".en") != std::string::npos)
    return number.kind == 2 && number.r == std::strtod(text.c_str(), nullptr);
  return number.kind == 1 && std::to_string(number.i) == text;
}

struct Wrong {
  std::size_t count = 0;
  std::string shown;

  void expect(bool right, const std::string& what) {
    if (!right && ++count <= 20)
      shown += what + "\n";
  }
};

/// Lines that a header can hold, every `step`th.
struct Written {
  std::vector<const PythonLine*> lines;
  std::string code, table = "static Number (*const numbers[])(const Names&) = {";
  std::size_t refused = 0; ///< texts otherwise than by == != in

  Written(const PythonExpressions& data, std::size_t step) {
    std::map<std::string, CodeName> meanings;
    for (const char* name = names_in_order; *name; ++name)
      meanings[std::string(1, *name)] = {fmt::format("p.{}", *name)};
    meanings["s"] = {"p.s", {{"row", "Text::row"}, {"col", "Text::col"}, {"", "Text::none"}}};
    const CodeNames names = [&](std::string_view name) -> const CodeName* {
      const auto found = meanings.find(std::string(name));
      return found == meanings.end() ? nullptr : &found->second;
    };
    for (std::size_t at = 0; at < data.lines.size(); at += step)
      try {
        const std::string text = expression_code(Expression::parse(data.lines[at].text), names);
        code += fmt::format(
            "// {}\nstatic Number f{}([[maybe_unused]] const Names& p) {{ return {}; }}\n",
            data.lines[at].text, lines.size(), text);
        table += fmt::format("f{},", lines.size());
        lines.push_back(&data.lines[at]);
      } catch (const InputError&) {
        ++refused;
      }
    table += "};\n";
  }
};

std::string header() {
  return "#include <cassert>\n#include <cmath>\n#include <cstdint>\n#include <limits>\n#include <optional>\n#include <type_traits>\n" +
         runtime_text();
}

/// Expressions of which plain code is proven while a, b and n are within the values that they have in the data.
struct Proven {
  std::vector<const PythonLine*> lines;
  std::string code,
      table =
          "extern \"C\" { extern std::int64_t (*const plain[])(std::int64_t, std::int64_t, "
          "std::int64_t); std::int64_t (*const plain[])(std::int64_t, std::int64_t, std::int64_t) = {";

  Proven(const PythonExpressions& data, std::size_t most) {
    const PlainNames names = [&](std::string_view name) -> PlainName {
      for (const Parameter& parameter : data.parameters)
        if (parameter.name == name)
          return meaning(parameter);
      return std::monostate();
    };
    for (const PythonLine& line : data.lines) {
      if (lines.size() == most)
        break;
      const auto text = plain_code(Expression::parse(line.text), names);
      if (!text || text->constant())
        continue;
      code += fmt::format(
          "// {}\nstatic std::int64_t g{}([[maybe_unused]] std::int64_t a, [[maybe_unused]] std::int64_t "
          "b, [[maybe_unused]] std::int64_t n) {{ return {}; }}\n",
          line.text, lines.size(), text->text);
      table += fmt::format("g{},", lines.size());
      lines.push_back(&line);
    }
    table += "};}\n";
  }

  static bool is_extent(const std::string& name) {
    return name == "a" || name == "b" || name == "n";
  }

  static PlainName meaning(const Parameter& parameter) {
    if (!is_extent(parameter.name))
      return parameter.values.front();
    std::vector<std::int64_t> values;
    values.reserve(parameter.values.size());
    for (const Value& value : parameter.values)
      values.push_back(std::get<std::int64_t>(value));
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    return PlainCode{parameter.name, *least, *most};
  }
};

} // namespace

TEST_CASE("random expressions as code of Numbers are what Python says, or not known") {
  const PythonExpressions data = read_python_expressions();
  const Written written(data, 11);
  CHECK(written.lines.size() > 1000);
  const CompiledHeader compiled(header(), frame + written.code + written.table + calls, "-O0");
  auto* const gives = compiled.function<void(int, const Given*, int, Given*)>("gives");
  Wrong wrong;
  std::size_t known = 0, unknown = 0;
  for (std::size_t at = 0; at < written.lines.size(); ++at) {
    const PythonLine& line = *written.lines[at];
    const auto used = data.parameters_of(Expression::parse(line.text).names());
    const auto all = combinations(used);
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::array<Given, 8> values;
      int text_of_s = 0;
      for (std::size_t k = 0; k < used.size(); ++k)
        if (used[k].name == "s")
          text_of_s = static_cast<int>(
              std::find(used[k].values.begin(), used[k].values.end(), all[i][k].second) -
              used[k].values.begin());
        else
          values.at(std::string(names_in_order).find(used[k].name)) = given(all[i][k].second);
      Given got;
      gives(static_cast<int>(at), values.data(), text_of_s, &got);
      const char truth = line.truths[i];
      (got.kind ? known : unknown) += truth == '0' || truth == '1';
      const std::string where =
          line.text + "|" + line.value + "|" + truth + " at " + to_text(all[i]);
      wrong.expect(!got.kind || truth == (is_true(got) ? '1' : '0'),
                   fmt::format("{}: kind {}, {} or {}", where, got.kind, got.i, got.r));
      wrong.expect(i || !got.kind || is_python(got, line.value),
                   fmt::format("{}: the value is {} or {}", where, got.i, got.r));
    }
  }
  INFO(wrong.shown);
  CHECK(wrong.count == 0);
  CHECK(known > unknown);
}

TEST_CASE("random expressions as plain code are what Python says wherever that is proven") {
  const PythonExpressions data = read_python_expressions();
  const Proven proven(data, 1500);
  CHECK(proven.lines.size() > 500);
  const CompiledHeader compiled(header(), "using namespace tuned;\n" + proven.code + proven.table,
                                "-O0 -Wno-tautological-compare");
  auto* const* const plain =
      compiled.function<std::int64_t (*const)(std::int64_t, std::int64_t, std::int64_t)>("plain");
  Wrong wrong;
  std::size_t compared = 0;
  for (std::size_t at = 0; at < proven.lines.size(); ++at) {
    const PythonLine& line = *proven.lines[at];
    const auto used = data.parameters_of(Expression::parse(line.text).names());
    const auto all = combinations(used);
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::map<std::string, std::int64_t> extents;
      bool fixed = true; // all others have their first values
      for (std::size_t k = 0; k < used.size(); ++k)
        if (Proven::is_extent(used[k].name))
          extents[used[k].name] = std::get<std::int64_t>(all[i][k].second);
        else
          fixed = fixed && all[i][k].second == used[k].values.front();
      if (!fixed)
        continue;
      ++compared;
      const std::int64_t got = plain[at](extents["a"], extents["b"], extents["n"]);
      const std::string where =
          line.text + "|" + line.value + "|" + line.truths[i] + " at " + to_text(all[i]);
      wrong.expect(line.truths[i] == (got ? '1' : '0'), fmt::format("{}: {}", where, got));
      wrong.expect(i || is_python({1, got, 0}, line.value),
                   fmt::format("{}: the value is {}", where, got));
    }
  }
  INFO(wrong.shown);
  CHECK(wrong.count == 0);
  CHECK(compared > 10000);
}

} // namespace expression_code_test
