// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/judge/sanitizer_log.hpp"

#include <cctype>
#include <sstream>

namespace gridsmith {
namespace {

constexpr std::string_view prefix = "========= ";

/// More of it is further in: where it happened, by which thread, called from where.
bool is_detail(std::string_view line) {
  return line.starts_with("    ");
}

bool is_place(std::string_view line) {
  return line.starts_with("    at ");
}

/// Of a kernel called "add" no "address".
bool names(std::string_view line, std::string_view kernel) {
  const auto in_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (auto at = line.find(kernel); at != line.npos; at = line.find(kernel, at + 1)) {
    const std::size_t end = at + kernel.size();
    if ((at == 0 || !in_word(line[at - 1])) && (end == line.size() || !in_word(line[end])))
      return true;
  }
  return false;
}

} // namespace

SanitizerLog read_sanitizer_log(std::string_view log, std::string_view kernel) {
  SanitizerLog read;
  std::string headline;
  bool counted = true;
  std::istringstream lines{std::string(log)};
  for (std::string whole; std::getline(lines, whole);) {
    if (!whole.starts_with(prefix))
      continue;
    const std::string_view line = std::string_view(whole).substr(prefix.size());
    if (line.find("SUMMARY:") != std::string_view::npos) {
      read.whole = true;
      continue;
    }
    if (!is_detail(line)) {
      headline = line;
      counted = false;
    }
    if (counted || (is_detail(line) && !is_place(line)) || !names(line, kernel))
      continue;
    counted = true;
    if (read.findings++ == 0)
      read.first = headline;
  }
  return read;
}

} // namespace gridsmith
