// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/compiler/log/compile_hint.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/source/host_headers.hpp"
#include "gridsmith/kernels/source/kernel_line.hpp"
#include "gridsmith/kernels/syntax/signature.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace gridsmith {
namespace {

constexpr std::string_view what_to_keep =
    "Gridsmith compiles the kernel only; keep the __global__ function and what it calls";

struct Pair {
  std::string_view name, text;
};

/// How NVRTC puts it, and what it means.
constexpr Pair of_host[] = {
    {"is considered a host function", "a function without __device__"},
    {"is considered a host variable", "a variable without __device__ or __constant__"},
    {"kernel launch from", "a launch of a kernel"},
};

std::string_view quoted_behind(std::string_view error, std::string_view start) {
  const std::size_t at = error.find(start);
  if (at == error.npos)
    return "";
  const std::size_t begin = at + start.size();
  return error.substr(begin, error.find('"', begin) - begin);
}

/// "file(3): "; "" where the error has no place.
std::string place_of(const std::string& error) {
  const std::size_t end = error.find("): ");
  return end == error.npos ? "" : error.substr(0, end + 3);
}

/// "scale(float*, int), scale(double*, int)": all of a name.
std::string signatures(const std::string& source, std::string_view name) {
  const Tokens tokens = tokens_of(source);
  std::string found;
  for (const KernelSignature& one : kernels_of(tokens, declarations_of(tokens)))
    if (one.name == name)
      found += (found.empty() ? "" : ", ") + signature_text(one);
  return found;
}

std::string host_code(const std::string& error, std::string_view what) {
  return fmt::format("{}error: host code ({}): {}", place_of(error), what, what_to_keep);
}

} // namespace

std::string unknown_kernel(const SourceFile& source, const std::string& kernel,
                           const std::string& error) {
  const std::vector<std::string> there = kernel_names(source.text);
  const std::string name(own_name(kernel));
  const std::string what = fmt::format("{} has no kernel '{}'", source.name, kernel);
  const bool known = std::find(there.begin(), there.end(), name) != there.end();
  if (known && error.find("which instance of function template") != error.npos)
    return fmt::format("{}: it is a template; give its arguments too, such as '{}<float>'", what,
                       kernel);
  if (known && error.find("which instance of overloaded function") != error.npos)
    return fmt::format("{}: several functions have this name; the types of its parameters are part "
                       "of the kernel's (valid: {})",
                       what, signatures(source.text, name));
  if (known && error.find("invalid type conversion") != error.npos)
    return fmt::format("{}: its parameters have other types (valid: {})", what,
                       signatures(source.text, name));
  if (known && error.find(fmt::format("\"{}\" is undefined", name)) != error.npos)
    return fmt::format("{}: {}; in a namespace its name is 'NAMESPACE::{}'", what, error, kernel);
  if (known || there.empty())
    return fmt::format("{}: {}", what, error);
  const std::string meant = nearest_name(name, there);
  return fmt::format("{}{} (it has: {})", what,
                     meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant),
                     fmt::join(there, ", "));
}

std::string with_hint(const std::string& error) {
  if (error.find("open source file \"") != error.npos)
    return error + "; headers are read next to the file that includes them, in the source's folder "
                   "and below -I of CompilerOptions";
  for (const auto& [said, meant] : of_host)
    if (error.find(said) != error.npos)
      return host_code(error, meant);
  const std::string_view name = quoted_behind(error, "error: identifier \"");
  if (name.size() > 4 && name.starts_with("cuda") && 'A' <= name[4] && name[4] <= 'Z')
    return host_code(error, "a name of the CUDA runtime");
  const std::string_view in_std = quoted_behind(error, "namespace \"std\" has no member \"");
  const std::string_view header = in_std.empty() ? host_header_of(name) : std_header_of(in_std);
  return header.empty() ? error
                        : fmt::format("{}; NVRTC knows it with #include <{}>", error, header);
}

} // namespace gridsmith
