// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/definition/problem_size.hpp"

#include "gridsmith/base/error.hpp"

#include <charconv>

namespace gridsmith {
namespace {

/// More than 64 bits may hold.
bool has_too_many_digits(std::string_view text) {
  constexpr std::size_t most = 18;
  std::size_t digits = 0;
  for (const char c : text) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > most)
      return true;
  }
  return false;
}

} // namespace

std::string to_text(const ProblemSize& size) {
  std::string text;
  for (const std::int64_t extent : size.extents) {
    text += text.empty() ? "" : "x";
    text += std::to_string(extent);
  }
  return text;
}

ProblemSize problem_size_from_text(std::string_view text) {
  ProblemSize size{extents_of(text)};
  if (size.extents.empty() || size.extents.size() > 3)
    throw InputError("problem size '" + std::string(text) +
                     "': expected 1 to 3 positive integers joined by x, such as 8192x8192" +
                     (has_too_many_digits(text) ? ", each below 2^63" : ""));
  return size;
}

std::vector<std::int64_t> extents_of(std::string_view text) {
  std::vector<std::int64_t> extents;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    std::int64_t extent = 0;
    const auto [stop, error] = std::from_chars(at, end, extent);
    const bool more = stop < end;
    if (error != std::errc{} || extent < 1 || (more && (*stop != 'x' || stop + 1 == end)))
      return {};
    extents.push_back(extent);
    at = stop + (more ? 1 : 0);
  }
  return extents;
}

} // namespace gridsmith
