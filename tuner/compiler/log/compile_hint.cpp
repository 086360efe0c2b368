// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/compiler/log/compile_hint.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/source/kernel_line.hpp"

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

/// Headers of the host that kernels can do without, and what serves in their place.
constexpr Pair replaceable[] = {
    {"cmath", "its functions are there without it"},
    {"math.h", "its functions are there without it"},
    {"cassert", "assert is there without it"},
    {"assert.h", "assert is there without it"},
    {"cstdio", "printf is there without it"},
    {"stdio.h", "printf is there without it"},
    {"cstdint", "<cuda/std/cstdint> has its names"},
    {"stdint.h", "<cuda/std/cstdint> has its names"},
    {"climits", "<cuda/std/climits> has its names"},
    {"limits.h", "<cuda/std/climits> has its names"},
    {"limits", "<cuda/std/limits> has its names, in cuda::std"},
    {"cfloat", "<cuda/std/limits> has the limits, in cuda::std"},
    {"float.h", "<cuda/std/limits> has the limits, in cuda::std"},
    {"type_traits", "<cuda/std/type_traits> has its names, in cuda::std"},
    {"utility", "<cuda/std/utility> has its names, in cuda::std"},
    {"array", "<cuda/std/array> has its names, in cuda::std"},
    {"tuple", "<cuda/std/tuple> has its names, in cuda::std"},
    {"complex", "<cuda/std/complex> has its names, in cuda::std"},
};

/// Headers that only code of the host has a use for.
constexpr std::string_view host_headers[] = {
    "algorithm", "chrono",     "cstdlib",  "cstring",   "ctime",         "exception",
    "fstream",   "functional", "getopt.h", "iomanip",   "iostream",      "malloc.h",
    "map",       "memory",     "mpi.h",    "mutex",     "numeric",       "omp.h",
    "random",    "set",        "sstream",  "stdexcept", "stdlib.h",      "string",
    "string.h",  "thread",     "time.h",   "unistd.h",  "unordered_map", "vector",
};

/// Names of the host's headers that kernels use, and what has them here.
constexpr Pair names[] = {
    {"INFINITY", "CUDART_INF_F of <math_constants.h>"},
    {"NAN", "CUDART_NAN_F of <math_constants.h>"},
    {"FLT_MAX", "CUDART_MAX_NORMAL_F of <math_constants.h>"},
    {"M_PI", "CUDART_PI of <math_constants.h>"},
    {"FLT_MIN", "cuda::std::numeric_limits<float>::min() of <cuda/std/limits>"},
    {"FLT_EPSILON", "cuda::std::numeric_limits<float>::epsilon() of <cuda/std/limits>"},
    {"DBL_MAX", "cuda::std::numeric_limits<double>::max() of <cuda/std/limits>"},
    {"DBL_MIN", "cuda::std::numeric_limits<double>::min() of <cuda/std/limits>"},
    {"DBL_EPSILON", "cuda::std::numeric_limits<double>::epsilon() of <cuda/std/limits>"},
    {"INT_MAX", "<cuda/std/climits>"},
    {"INT_MIN", "<cuda/std/climits>"},
    {"UINT_MAX", "<cuda/std/climits>"},
    {"int8_t", "<cuda/std/cstdint>"},
    {"uint8_t", "<cuda/std/cstdint>"},
    {"int16_t", "<cuda/std/cstdint>"},
    {"uint16_t", "<cuda/std/cstdint>"},
    {"int32_t", "<cuda/std/cstdint>"},
    {"uint32_t", "<cuda/std/cstdint>"},
    {"int64_t", "<cuda/std/cstdint>"},
    {"uint64_t", "<cuda/std/cstdint>"},
    {"uintptr_t", "<cuda/std/cstdint>"},
    {"intptr_t", "<cuda/std/cstdint>"},
};

std::string_view text_of(std::string_view name, const auto& pairs) {
  const auto found = std::find_if(std::begin(pairs), std::end(pairs),
                                  [&](const Pair& one) { return one.name == name; });
  return found == std::end(pairs) ? std::string_view() : found->text;
}

std::string_view quoted_behind(std::string_view error, std::string_view start) {
  const std::size_t at = error.find(start);
  if (at == error.npos)
    return "";
  error.remove_prefix(at + start.size());
  return error.substr(0, std::min(error.find('"'), error.size()));
}

bool is_of_host(std::string_view header) {
  return header.starts_with("sys/") || std::find(std::begin(host_headers), std::end(host_headers),
                                                 header) != std::end(host_headers);
}

/// "file(3): "; "" where the error has no place.
std::string place_of(const std::string& error) {
  const std::size_t end = error.find("): ");
  return end == error.npos ? "" : error.substr(0, end + 3);
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
  if (known && error.find("is undefined") != error.npos)
    return fmt::format("{}: {}; in a namespace its name is 'NAMESPACE::{}'", what, error, kernel);
  if (known || there.empty())
    return fmt::format("{}: {}", what, error);
  const std::string meant = nearest_name(name, there);
  return fmt::format("{}{} (it has: {})", what,
                     meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant),
                     fmt::join(there, ", "));
}

std::string with_hint(const std::string& error) {
  if (const auto header = quoted_behind(error, "open source file \""); !header.empty()) {
    if (is_of_host(header))
      return host_code(error, fmt::format("<{}>", header));
    const auto instead = text_of(header, replaceable);
    return instead.empty()
               ? error + "; headers are read next to the file that includes them, in the source's "
                         "folder and below -I of CompilerOptions"
               : fmt::format("{}; delete the line: {}", error, instead);
  }
  for (const auto& [said, meant] : of_host)
    if (error.find(said) != error.npos)
      return host_code(error, meant);
  const std::string_view name = quoted_behind(error, "error: identifier \"");
  if (name.size() > 4 && name.starts_with("cuda") && 'A' <= name[4] && name[4] <= 'Z')
    return host_code(error, "a name of the CUDA runtime");
  const auto instead = text_of(name, names);
  return instead.empty()
             ? error
             : fmt::format("{}; NVRTC has no headers of the host; use {}", error, instead);
}

} // namespace gridsmith
