// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/source/kernel_expression.hpp"

#include "gridsmith/base/text_layout.hpp"

#include <fmt/format.h>

namespace gridsmith {
namespace {

constexpr std::string_view type_name = "gridsmith_overload";

/// "a::b::" of "::a::b::scale<c::d>".
std::string_view scope_of(std::string_view name) {
  name = name.substr(0, name.find('<'));
  name = name.substr(0, name.rfind("::") == name.npos ? 0 : name.rfind("::") + 2);
  return name.starts_with("::") ? name.substr(2) : name;
}

/// `namespace a { namespace b { TEXT } }`
std::string in_scope(std::string_view scope, const std::string& text) {
  const std::size_t end = scope.find("::");
  return end == scope.npos ? text
                           : fmt::format("namespace {} {{ {} }}", scope.substr(0, end),
                                         in_scope(scope.substr(end + 2), text));
}

} // namespace

KernelWords kernel_words(std::string_view kernel) {
  int depth = 0;
  for (std::size_t at = kernel.size(); at-- > 0 && kernel.ends_with(')');) {
    depth += kernel[at] == ')' ? 1 : kernel[at] == '(' ? -1 : 0;
    if (depth == 0)
      return {trimmed(kernel.substr(0, at)), kernel.substr(at)};
  }
  return {kernel, ""};
}

KernelExpression kernel_expression(const std::string& kernel) {
  const auto [name, parameters] = kernel_words(kernel);
  if (parameters.empty())
    return {fmt::format("decltype({})", name), fmt::format("&{}", name), ""};
  const std::string_view scope = scope_of(name);
  const std::string type = fmt::format("{}{}", scope, type_name);
  return {type, fmt::format("static_cast<{}*>(&{})", type, name),
          in_scope(scope, fmt::format("typedef void {}{};", type_name, parameters))};
}

std::string asking_lines(const KernelExpression& kernel) {
  return kernel.declaration.empty()
             ? ""
             : fmt::format("\n#line 1 \"{}\"\n{}\n", asking_file, kernel.declaration);
}

} // namespace gridsmith
