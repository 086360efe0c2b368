// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/compiler/nvcc/wrapped_source.hpp"

#include "gridsmith/base/demangled.hpp"
#include "gridsmith/kernels/source/kernel_expression.hpp"
#include "gridsmith/kernels/source/kernel_line.hpp"
#include "gridsmith/metrics/code/cubin.hpp"
#include "gridsmith/tuner/compiler/log/parameter_macros.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gridsmith {
namespace {

constexpr std::string_view before_all = "--pre-include=";
constexpr std::string_view namer = "gridsmith_named"; // a kernel whose template argument is another

/// "V 4" of "V=4"; "V" alone is 1, as on a command line.
std::string definition(std::string_view macro) {
  const std::size_t equals = macro.find('=');
  return equals == macro.npos
             ? fmt::format("{} 1", macro)
             : fmt::format("{} {}", macro.substr(0, equals), macro.substr(equals + 1));
}

/// "void k<4>(int*)" of "void gridsmith_named<void (int*), &(void k<4>(int*))>()"; a kernel that is no template stands there by
/// its name alone: "lib::k(int*)" of "void gridsmith_named<void (int*), &lib::k>()".
std::string argument_in(const std::string& text) {
  const std::size_t type = text.find('<');
  const std::size_t last = text.rfind(">()");
  if (type == text.npos || last == text.npos)
    return "";
  int open = 0;
  std::size_t at = type + 1;
  for (; at < last && (open > 0 || text[at] != ','); ++at)
    open += text[at] == '<' || text[at] == '(' ? 1 : text[at] == '>' || text[at] == ')' ? -1 : 0;
  constexpr std::string_view start = ", &";
  if (text.compare(at, start.size(), start) != 0 || at + start.size() >= last)
    return "";
  const std::string argument = text.substr(at + start.size(), last - at - start.size());
  const std::size_t parameters = std::min(text.find('(', type), at);
  return argument.front() == '(' ? argument.substr(1, argument.size() - 2)
                                 : argument + text.substr(parameters, at - parameters);
}

/// One of C linkage is known by its own name.
bool is_named(const std::string& name, const std::string& wanted) {
  return demangled(name) == wanted || own_name(wanted) == name;
}

} // namespace

std::string wrap_unit(const CompileRequest& watched, const std::string& unit) {
  std::string text, headers;
  for (const std::string& option : watched.options)
    if (option.starts_with("-D"))
      text += fmt::format("#define {}\n", definition(std::string_view(option).substr(2)));
    else if (option.starts_with("-U"))
      text += fmt::format("#undef {}\n", option.substr(2));
    else if (option.starts_with(before_all))
      headers += fmt::format("#include \"{}\"\n", option.substr(before_all.size()));
  return text + headers + fmt::format("#include \"{}\"\n", unit);
}

WrappedSource wrap(const CompileRequest& watched) {
  WrappedSource wrapped;
  for (const std::string& option : watched.options)
    if (!option.starts_with("-D") && !option.starts_with("-U") && !option.starts_with(before_all))
      wrapped.options.push_back(option);
  std::string& text = wrapped.text;
  text = wrap_unit(watched, watched.source->main.name);
  const KernelExpression kernel = kernel_expression(watched.kernel);
  text += fmt::format(
      "#line 1 \"{0}\"\n{1}\n"
      "template <class {2}_t, {2}_t* {2}_k> __global__ void {2}() {{}}\n" // T may be a macro
      "template __global__ void {2}<{3}, &{4}>();\n",
      asking_file, kernel.declaration, namer, kernel.type, kernel_words(watched.kernel).name);
  text += watching_lines(watched);
  return wrapped;
}

std::string named_kernel(const Bytes& cubin) {
  const auto file = read_cubin(cubin);
  if (!file)
    return "";
  constexpr std::string_view start = ".text.";
  std::vector<std::string> names;
  std::string wanted;
  for (const CubinSection& section : file->sections)
    if (section.name.starts_with(start)) {
      const std::string name(section.name.substr(start.size()));
      if (name.find(namer) == name.npos)
        names.push_back(name);
      else
        wanted = argument_in(demangled(name));
    }
  std::string found;
  for (const std::string& name : names)
    if (!wanted.empty() && is_named(name, wanted))
      found = name;
  return found;
}

} // namespace gridsmith
