// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/source/host_headers.hpp"

#include "gridsmith/base/content_hash.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace gridsmith {
namespace {

/// That the toolkit has for the device, in cuda::std.
constexpr std::array of_toolkit{"array",   "atomic",     "bit",
                                "complex", "concepts",   "cstddef",
                                "cstdint", "functional", "initializer_list",
                                "limits",  "numeric",    "optional",
                                "ratio",   "span",       "type_traits",
                                "tuple",   "utility",    "variant"};

/// That device code has no use for, or whose names NVRTC knows: printf, assert, memcpy.
constexpr std::array empty{"assert.h",      "cassert",       "cerrno",  "chrono",   "csignal",
                           "cstdio",        "cstdlib",       "cstring", "ctime",    "deque",
                           "errno.h",       "exception",     "fstream", "getopt.h", "iomanip",
                           "ios",           "iostream",      "istream", "iterator", "list",
                           "malloc.h",      "map",           "memory",  "mutex",    "ostream",
                           "queue",         "random",        "set",     "sstream",  "stdexcept",
                           "stdio.h",       "stdlib.h",      "string",  "string.h", "string_view",
                           "sys/time.h",    "sys/types.h",   "thread",  "time.h",   "unistd.h",
                           "unordered_map", "unordered_set", "vector"};

/// Functions that NVRTC has outside of any namespace.
constexpr std::string_view of_math =
    "abs acos acosf acosh asin asinf asinh atan atan2 atan2f atanf atanh cbrt cbrtf ceil ceilf copysign copysignf cos cosf "
    "cosh coshf erf erfc erfcf erff exp exp2 exp2f expf expm1 expm1f fabs fabsf fdim floor floorf fma fmaf fmax fmaxf fmin "
    "fminf fmod fmodf frexp hypot hypotf ilogb isfinite isinf isnan ldexp lgamma llrint llround log log10 log10f log1p "
    "log1pf log2 log2f logb logf lrint lround modf nearbyint nearbyintf nextafter pow powf remainder rint rintf round "
    "roundf scalbn signbit sin sinf sinh sinhf sqrt sqrtf tan tanf tanh tanhf tgamma trunc truncf";

using Macros = std::vector<std::pair<std::string_view, std::string_view>>;

/// IEEE 754, and the value of pi and its kin as glibc has them.
const Macros math_macros{{"INFINITY", "__int_as_float(0x7f800000)"},
                         {"NAN", "__int_as_float(0x7fc00000)"},
                         {"HUGE_VALF", "__int_as_float(0x7f800000)"},
                         {"HUGE_VAL", "__longlong_as_double(0x7ff0000000000000LL)"},
                         {"M_E", "2.7182818284590452354"},
                         {"M_LOG2E", "1.4426950408889634074"},
                         {"M_LOG10E", "0.43429448190325182765"},
                         {"M_LN2", "0.69314718055994530942"},
                         {"M_LN10", "2.30258509299404568402"},
                         {"M_PI", "3.14159265358979323846"},
                         {"M_PI_2", "1.57079632679489661923"},
                         {"M_PI_4", "0.78539816339744830962"},
                         {"M_1_PI", "0.31830988618379067154"},
                         {"M_2_PI", "0.63661977236758134308"},
                         {"M_2_SQRTPI", "1.12837916709551257390"},
                         {"M_SQRT2", "1.41421356237309504880"},
                         {"M_SQRT1_2", "0.70710678118654752440"}};

const Macros float_macros{{"FLT_MAX", "3.402823466e+38F"},
                          {"FLT_MIN", "1.175494351e-38F"},
                          {"FLT_EPSILON", "1.192092896e-07F"},
                          {"FLT_DIG", "6"},
                          {"FLT_MANT_DIG", "24"},
                          {"DBL_MAX", "1.7976931348623158e+308"},
                          {"DBL_MIN", "2.2250738585072014e-308"},
                          {"DBL_EPSILON", "2.2204460492503131e-16"},
                          {"DBL_DIG", "15"},
                          {"DBL_MANT_DIG", "53"}};

constexpr std::array limit_names{"CHAR_BIT",   "CHAR_MAX",  "CHAR_MIN", "INT_MAX",   "INT_MIN",
                                 "LLONG_MAX",  "LLONG_MIN", "LONG_MAX", "LONG_MIN",  "SCHAR_MAX",
                                 "SCHAR_MIN",  "SHRT_MAX",  "SHRT_MIN", "UCHAR_MAX", "UINT_MAX",
                                 "ULLONG_MAX", "ULONG_MAX", "USHRT_MAX"};

constexpr std::array integer_names{"int8_t",   "uint8_t", "int16_t",  "uint16_t",  "int32_t",
                                   "uint32_t", "int64_t", "uint64_t", "uintptr_t", "intptr_t"};

struct StdName {
  std::string_view name, header;
};

constexpr StdName std_names[] = {
    {"array", "array"},
    {"clamp", "algorithm"},
    {"common_type", "type_traits"},
    {"common_type_t", "type_traits"},
    {"conditional", "type_traits"},
    {"conditional_t", "type_traits"},
    {"decay_t", "type_traits"},
    {"enable_if", "type_traits"},
    {"enable_if_t", "type_traits"},
    {"false_type", "type_traits"},
    {"integral_constant", "type_traits"},
    {"is_floating_point", "type_traits"},
    {"is_floating_point_v", "type_traits"},
    {"is_integral", "type_traits"},
    {"is_integral_v", "type_traits"},
    {"is_same", "type_traits"},
    {"is_same_v", "type_traits"},
    {"is_signed", "type_traits"},
    {"make_unsigned_t", "type_traits"},
    {"max", "algorithm"},
    {"min", "algorithm"},
    {"numeric_limits", "limits"},
    {"pair", "utility"},
    {"plus", "functional"},
    {"remove_cv_t", "type_traits"},
    {"remove_reference_t", "type_traits"},
    {"size_t", "cstddef"},
    {"swap", "utility"},
    {"true_type", "type_traits"},
    {"tuple", "tuple"},
    {"void_t", "type_traits"},
};

std::string defined(const Macros& macros) {
  std::string text;
  for (const auto& [name, value] : macros)
    text += fmt::format("#ifndef {0}\n#define {0} {1}\n#endif\n", name, value);
  return text;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size(); at += words.back().size() + 1)
    words.push_back(text.substr(at, text.find(' ', at) - at));
  return words;
}

std::string math() {
  std::string text = defined(math_macros) + "namespace std {\n";
  for (const std::string_view name : words_of(of_math))
    text += fmt::format("using ::{};\n", name);
  return text + "}\n";
}

/// Its names are reserved: any other may be a parameter, and so a macro.
constexpr const char* algorithm = R"(#ifndef GRIDSMITH_ALGORITHM
#define GRIDSMITH_ALGORITHM
namespace std {
template <class _Tp> __host__ __device__ constexpr const _Tp& max(const _Tp& _a, const _Tp& _b) { return _a < _b ? _b : _a; }
template <class _Tp> __host__ __device__ constexpr const _Tp& min(const _Tp& _a, const _Tp& _b) { return _b < _a ? _b : _a; }
template <class _Tp> __host__ __device__ constexpr const _Tp& clamp(const _Tp& _x, const _Tp& _low, const _Tp& _high) {
  return _x < _low ? _low : _high < _x ? _high : _x;
}
}
#endif
)";

/// Its other headers launch kernels, which NVRTC refuses.
std::string device_part_of_cub() {
  constexpr std::array parts{"block/block_adjacent_difference",
                             "block/block_discontinuity",
                             "block/block_exchange",
                             "block/block_histogram",
                             "block/block_load",
                             "block/block_merge_sort",
                             "block/block_radix_rank",
                             "block/block_radix_sort",
                             "block/block_reduce",
                             "block/block_run_length_decode",
                             "block/block_scan",
                             "block/block_shuffle",
                             "block/block_store",
                             "warp/warp_exchange",
                             "warp/warp_load",
                             "warp/warp_merge_sort",
                             "warp/warp_reduce",
                             "warp/warp_scan",
                             "warp/warp_store"};
  std::string text;
  for (const char* part : parts)
    text += fmt::format("#include <cub/{}.cuh>\n", part);
  return text;
}

std::vector<HostHeader> all_headers() {
  std::vector<HostHeader> all{{"algorithm", algorithm},
                              {"cfloat", defined(float_macros)},
                              {"climits", "#include <cuda/std/climits>\n"},
                              {"cmath", math()},
                              {"cub/cub.cuh", device_part_of_cub()},
                              {"float.h", defined(float_macros)},
                              {"limits.h", "#include <cuda/std/climits>\n"},
                              {"math.h", math()},
                              {"stddef.h", "#include <cuda/std/cstddef>\n"},
                              {"stdint.h", "#include <cuda/std/cstdint>\n"}};
  for (const char* name : of_toolkit)
    all.push_back({name, fmt::format("#include <cuda/std/{}>\n"
                                     "namespace std {{ using namespace cuda::std; }}\n",
                                     name)});
  for (const char* name : empty)
    all.push_back({name, ""});
  return all;
}

bool has(const auto& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool defines(const Macros& macros, std::string_view name) {
  return std::any_of(macros.begin(), macros.end(),
                     [name](const auto& one) { return one.first == name; });
}

} // namespace

const std::vector<HostHeader>& host_headers() {
  static const std::vector<HostHeader> all = all_headers();
  return all;
}

const std::string& host_headers_hash() {
  static const std::string hash = [] {
    std::vector<std::string_view> parts;
    for (const HostHeader& header : host_headers()) {
      parts.push_back(header.name);
      parts.push_back(header.text);
    }
    return sha256_hex_of(parts);
  }();
  return hash;
}

std::string_view host_header_of(std::string_view name) {
  return defines(math_macros, name)    ? "cmath"
         : defines(float_macros, name) ? "cfloat"
         : has(limit_names, name)      ? "climits"
         : has(integer_names, name)    ? "cstdint"
                                       : "";
}

std::string_view std_header_of(std::string_view name) {
  const auto found = std::find_if(std::begin(std_names), std::end(std_names),
                                  [name](const StdName& one) { return one.name == name; });
  if (found != std::end(std_names))
    return found->header;
  const auto functions = words_of(of_math);
  return has(functions, name) ? "cmath" : host_header_of(name);
}

} // namespace gridsmith
