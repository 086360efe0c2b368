// SPDX-License-Identifier: Apache-2.0
// How C++ says which function a definition's kernel is. Of several that have one name, the types of the parameters say it.
#pragma once

#include <string>
#include <string_view>

namespace gridsmith {

/// "ns::scale<float>" and "(float*, int)" of "ns::scale<float>(float*, int)".
struct KernelWords {
  std::string_view name;
  std::string_view parameters; ///< "": the name alone says which it is
};

/// @param kernel as in a definition, which outlives the result
KernelWords kernel_words(std::string_view kernel);

struct KernelExpression {
  std::string type;        ///< of the function: "decltype(ns::scale<float>)"
  std::string address;     ///< "&ns::scale<float>"
  std::string declaration; ///< of the type, behind the source: one line; "": none is needed
};

/// Types of the parameters mean what they mean in the kernel's namespace.
KernelExpression kernel_expression(const std::string& kernel);

/// What asks for a kernel is a file of its own behind the source, for the place of an error.
constexpr std::string_view asking_file = "gridsmith_asks";

/// The declaration as such a file; "" for none.
std::string asking_lines(const KernelExpression& kernel);

} // namespace gridsmith
