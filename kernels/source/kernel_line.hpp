// SPDX-License-Identifier: Apache-2.0
// Where in a source a kernel begins, for those who report about it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// The line, from 1, on which a __global__ function of this name has its name. 0: the source has
/// none, or one that a macro writes.
/// @param kernel as in a definition: "scale", "ns::scale", "scale<float, TILE>"
int kernel_line(std::string_view source, std::string_view kernel);

/// The names of its __global__ functions, each once, without namespaces and template arguments, as
/// far as they are seen without a preprocessor.
std::vector<std::string> kernel_names(std::string_view source);

/// "scale" of "ns::scale<float>" and of "ns::scale(ns::Grid*)".
std::string_view own_name(std::string_view kernel);

} // namespace gridsmith
