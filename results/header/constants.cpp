// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/header/constants.hpp"

#include "gridsmith/results/header/cpp_text.hpp"

#include <fmt/format.h>

#include <limits>
#include <set>

namespace gridsmith {
namespace {

struct Declared {
  std::string type, literal;

  Declared(bool value) : type("bool"), literal(value ? "true" : "false") {}

  Declared(std::int64_t value) : type("int"), literal(fmt::format("{}", value)) {
    using Int = std::numeric_limits<int>;
    if (value >= Int::min() && value <= Int::max())
      return;
    type = "long long";
    // The least one is no literal: its digits alone are too large.
    literal = value == std::numeric_limits<std::int64_t>::min() ? fmt::format("{}LL - 1", value + 1)
                                                                : literal + "LL";
  }

  Declared(double value) : type("double"), literal(real_literal(value)) {}

  Declared(const std::string& value) : type("const char*"), literal(string_literal(value)) {}
};

} // namespace

std::string constants_text(const std::string& name, const Configuration& configuration) {
  std::set<std::string> used{identifier(name)}; // no member is called like its class
  std::string text = fmt::format("struct {} {{\n", identifier(name));
  for (const auto& [parameter, value] : configuration) {
    const Declared declared = std::visit([](const auto& held) { return Declared(held); }, value);
    const std::string field = identifier_beside(parameter, used);
    text +=
        fmt::format("  static constexpr {} {} = {};{}\n", declared.type, field, declared.literal,
                    field == parameter ? "" : " // " + comment_text(parameter));
  }
  return text + "};\n";
}

} // namespace gridsmith
