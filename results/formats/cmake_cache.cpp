// SPDX-License-Identifier: Apache-2.0
// The best configurations as a CMake script that presets a cache (cmake -C FILE, or include()): per
// kernel a variable <kernel>_<parameter> of each parameter, which -D on the command line overrides,
// and <kernel>_DEFINITIONS, all of them as target_compile_definitions() takes them. A cache has one
// value a name, so each kernel is of one problem and device.
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/results/formats/newest.hpp"

#include <fmt/format.h>

#include <cctype>
#include <set>

namespace gridsmith {
namespace {

/// A name that needs no quotes and no escapes where it is used.
std::string variable(const std::string& kernel, const std::string& parameter) {
  std::string name = (kernel.empty() ? "kernel" : kernel) + "_" + parameter;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)))
      c = '_';
  return name;
}

/// A quoted argument. cmake-language(7): what is escaped in one.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '$')
      out += '\\';
    out += c;
  }
  return out + '"';
}

std::string entry(const std::string& name, const std::string& value, const char* type,
                  const std::string& says) {
  return fmt::format("set({} {} CACHE {} {})\n", name, quoted(value), type, quoted(says));
}

/// What is written of one kernel. @throws InputError: values and names that a cache cannot hold
std::string entries_of(const Export& exported, std::set<std::string>& used) {
  const Recording& of = exported.recording;
  const std::string where = printable(of.problem + " on " + of.device.name);
  std::string text = "\n# " + provenance_of(exported) + "\n", definitions;
  const auto claim = [&](const std::string& parameter) {
    const std::string name = variable(of.kernel, parameter);
    if (!used.insert(name).second)
      throw InputError(fmt::format("format 'cmake': two values would be called '{}'", name));
    return name;
  };
  for (const auto& [name, value] : best_of(exported).configuration) {
    check_macro_name("cmake", name);
    const std::string macro = to_macro(value);
    const std::string all = name + macro; // a ';' ends a definition, escaped or not
    if (printable(all) != all || all.find(';') != std::string::npos)
      throw InputError(fmt::format("format 'cmake': the value '{}' of '{}' has characters that a "
                                   "cache cannot hold",
                                   printable(macro), printable(name)));
    text += entry(claim(name), macro, std::holds_alternative<bool>(value) ? "BOOL" : "STRING",
                  fmt::format("Tuned for {}", where));
    definitions += (definitions.empty() ? "" : ";") + name + "=" + macro;
  }
  return text + entry(claim("DEFINITIONS"), definitions, "STRING",
                      fmt::format("All of them, tuned for {}", where));
}

} // namespace

/// @throws InputError: a kernel at several problems or devices, or what entries_of() does
std::string cmake_cache_text(std::span<const Export> exports) {
  std::string text = "# Tuned by Gridsmith. Use: cmake -C FILE …, then "
                     "target_compile_definitions(target PRIVATE ${<kernel>_DEFINITIONS})\n";
  const std::vector<const Export*> list = newest_of(exports);
  std::set<std::string> used;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Recording& of = list[i]->recording;
    if (i > 0 && list[i - 1]->recording.kernel == of.kernel)
      throw InputError(fmt::format(
          "format 'cmake' holds one problem and device of a kernel, of '{}' there are several; "
          "name the device and the problem",
          printable(of.kernel)));
    text += entries_of(*list[i], used);
  }
  return text;
}

} // namespace gridsmith
