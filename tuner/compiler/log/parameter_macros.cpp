// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/compiler/log/parameter_macros.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace gridsmith {
namespace {

constexpr std::string_view nothing = "GRIDSMITH_NOTHING";  // an empty macro
constexpr std::string_view behind = "gridsmith_behind_it"; // as a file, for the place of a warning
constexpr std::string_view of_nvrtc = "incompatible redefinition of macro \"";
constexpr std::string_view of_gcc = "warning: \"", end_of_gcc = "\" redefined";

bool switches_warnings_off(const std::string& option) {
  return option == "-w" || option == "--disable-warnings";
}

/// "64" of "-DTILE=64", where this is the name.
std::optional<std::string_view> value_in(std::string_view option, const std::string& name) {
  const std::string start = "-D" + name + "=";
  if (!option.starts_with(start))
    return std::nullopt;
  return option.substr(start.size());
}

std::string_view between(std::string_view text, std::string_view from, std::string_view to) {
  const std::size_t begin = text.find(from);
  if (begin == text.npos)
    return "";
  text.remove_prefix(begin + from.size());
  const std::size_t end = text.find(to);
  return end == text.npos ? "" : text.substr(0, end);
}

/// "x.cu(4)" of "x.cu:4: …" or "x.cu:4:9: …".
std::string place_of_gcc(std::string_view line) {
  const std::size_t name = line.find(':');
  if (name == line.npos)
    return "the source";
  const std::string_view number = line.substr(name + 1);
  return fmt::format("{}({})", line.substr(0, name), number.substr(0, number.find(':')));
}

/// What NVRTC or nvcc's preprocessor calls defined again; "" where the line says no such thing.
std::string redefined_in(std::string_view line) {
  if (line.find(end_of_gcc) != line.npos)
    return std::string(between(line, of_gcc, end_of_gcc));
  return std::string(between(line, of_nvrtc, "\""));
}

/// "x.cu(4)" of "x.cu(4): warning …" or, behind the source, of "… (declared at line 4 of x.cu)".
std::string defined_at(std::string_view line) {
  if (!line.starts_with(behind))
    return std::string(line.substr(0, line.find(": ")));
  const std::string_view declared = between(line, "(declared at line ", ")");
  const std::size_t of = declared.find(" of ");
  if (of == declared.npos)
    return std::string(declared.empty() ? "the source" : declared);
  std::string_view file = declared.substr(of + 4);
  if (file.size() > 1 && file.front() == '"' && file.back() == '"')
    file = file.substr(1, file.size() - 2);
  return fmt::format("{}({})", file, declared.substr(0, of));
}

} // namespace

CompileRequest with_watched_parameters(CompileRequest request) {
  if (request.parameters.empty())
    return request;
  std::erase_if(request.options, switches_warnings_off);
  for (const ParameterMacro& parameter : request.parameters)
    for (std::string& option : request.options)
      if (const auto value = value_in(option, parameter.name); value && parameter.varies)
        option = fmt::format("-D{}={} {}", parameter.name, nothing, *value);
  request.options.push_back(fmt::format("-D{}=", nothing));
  request.options.emplace_back("--diag-warn=47");
  return request;
}

std::string watching_lines(const CompileRequest& watched) {
  std::string lines;
  for (const ParameterMacro& parameter : watched.parameters)
    for (const std::string& option : watched.options)
      if (const auto value = value_in(option, parameter.name))
        lines += fmt::format("#define {} {}\n", parameter.name, *value);
  return lines.empty() ? "" : fmt::format("\n#line 1 \"{}\"\n{}", behind, lines);
}

std::optional<std::string> redefined_parameter(std::string_view log,
                                               const CompileRequest& request) {
  std::istringstream lines{std::string(log)};
  for (std::string line; std::getline(lines, line);) {
    const std::string name = redefined_in(line);
    if (std::none_of(request.parameters.begin(), request.parameters.end(),
                     [&](const ParameterMacro& one) { return one.name == name; }))
      continue;
    const bool gcc = line.find(end_of_gcc) != line.npos;
    if (gcc && line.starts_with(behind)) // the source's line is in the note that follows
      while (std::getline(lines, line) && line.find(": note: ") == line.npos) {
      }
    return fmt::format("{0}: error: {1} is defined again, so the definition's value has no effect; "
                       "put the line in #ifndef {1} and #endif, or delete it",
                       gcc ? place_of_gcc(line) : defined_at(line), name);
  }
  return std::nullopt;
}

} // namespace gridsmith
