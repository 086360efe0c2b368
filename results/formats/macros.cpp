// SPDX-License-Identifier: Apache-2.0
// The best configuration as compiler options for old build systems, one -DNAME=value a line: a
// response file for g++ and clang++ (@FILE) and, as far as no value needs quotes (which it reads twice),
// nvcc (--options-file FILE); and words of a shell.
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/results/formats/newest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace gridsmith {
namespace {

/// Between quotes where a compiler or a shell would take a character for more than itself.
std::string word(const std::string& option) {
  const bool plain = std::all_of(option.begin(), option.end(), [](const char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("-_=.+,:/").find(c) != std::string_view::npos;
  });
  if (plain)
    return option;
  std::string text = "\"";
  for (const char c : option) {
    if (std::string_view("\"\\$`").find(c) != std::string_view::npos)
      text += '\\';
    text += c;
  }
  return text + '"';
}

} // namespace

/// @throws InputError: nothing correct, several of what it holds once, or a name or value that no line holds
std::string macros_text(std::span<const Export> exports) {
  const std::vector<const Export*> list = newest_of(exports);
  if (list.size() > 1)
    throw InputError(fmt::format("format 'macros' holds one kernel, problem and device, {} match; "
                                 "choose with --kernel, --problem and --device",
                                 list.size()));
  std::string text;
  for (const auto& [name, value] : best_of(*list.front()).configuration) {
    check_macro_name("macros", name);
    const std::string option = "-D" + name + "=" + to_macro(value);
    if (printable(option) != option)
      throw InputError("format 'macros': the value '" + printable(to_macro(value)) + "' of '" +
                       printable(name) + "' has characters that a line of options cannot hold");
    text += word(option) + "\n";
  }
  return text;
}

} // namespace gridsmith
