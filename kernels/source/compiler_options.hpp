// SPDX-License-Identifier: Apache-2.0
// The compiler options that a definition may name. NVRTC has others that write and read any file
// (--time=F, --create-pch=F, -Xcudafe …), so what is not in the list here is refused.
#pragma once

#include "gridsmith/base/value.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// One option with its value, as one word: "-DTILE=4", "--use_fast_math", "--ptxas-options=-v".
struct CompilerOption {
  std::string prefix; ///< what stands before the value: "-D", "--include-path="
  std::string value;
  bool names_folder = false; ///< the value is a folder to be searched for headers

  std::string word() const { return prefix + value; }
};

/// @param words as one types them: an argument may be joined to its option or be the next word.
/// @throws InputError naming the word that is not allowed and all that are.
std::vector<CompilerOption> parse_compiler_options(const std::vector<std::string>& words);

/// The option that a parameter's value adds, as one word: "{}" in the form is the value; a form without
/// it is added where the value is true. @throws InputError for one that is not allowed, or that says
/// what headers are read, which no parameter does
std::optional<std::string> option_of_value(const std::string& form, const Value& value);

/// "nvcc" or "NVRTC" where the other one does not have it; "": both do.
std::string_view only_compiler_with(std::string_view option);

/// What is allowed, with the form of the values: "-D NAME[=TEXT]", "--fmad=true|false".
std::vector<std::string> allowed_compiler_options();

/// What can be the name of a macro: letters, digits and underscores, no digit first.
bool is_macro_name(std::string_view text);
/// No line ends in it, nor anything else that is not printed.
bool is_one_line(std::string_view text);

} // namespace gridsmith
