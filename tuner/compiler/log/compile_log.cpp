// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/compiler/log/compile_log.hpp"

#include "gridsmith/base/text_layout.hpp"

#include <charconv>
#include <cstdint>
#include <optional>

namespace gridsmith {

namespace {

/// Calls `use(line)` for each line until it gives false.
template <typename Use>
void for_lines(std::string_view text, const Use& use) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (!use(text.substr(0, end)))
      return;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

bool contains(std::string_view line, std::string_view part) {
  return line.find(part) != std::string_view::npos;
}

/// The number right before `word` in "Used 72 registers, used 1 barriers, 1024 bytes smem".
std::optional<std::int64_t> number_before(std::string_view line, std::string_view word) {
  const std::size_t at = line.find(word);
  if (at == std::string_view::npos || at == 0)
    return std::nullopt;
  std::size_t first = at;
  while (first > 0 && line[first - 1] >= '0' && line[first - 1] <= '9')
    --first;
  std::int64_t number = 0;
  if (std::from_chars(line.data() + first, line.data() + at, number).ec != std::errc{})
    return std::nullopt;
  return number;
}

template <typename T>
void take(std::string_view line, std::string_view word, T& into) {
  if (const auto number = number_before(line, word))
    into = static_cast<T>(*number);
}

} // namespace

std::string take_headers_lines(std::string& log) {
  std::string what, left;
  for_lines(log, [&](std::string_view line) {
    // "a.cu": using precompiled header file "/…/a.pch"
    if (!contains(line, " precompiled header file \"")) {
      left += line;
      left += '\n';
    } else if (contains(line, "using ")) {
      what = "used";
    } else if (contains(line, "creating ")) {
      what = "made";
    }
    return true;
  });
  log = left;
  return what;
}

std::string first_error(std::string_view log) {
  std::string found;
  for_lines(log, [&](std::string_view line) {
    // "file(3): error: …", "file(3): catastrophic error: …", "ptxas error   : …", "nvrtc: error: …"
    const bool is_error = contains(line, "error:") || contains(line, "error   :");
    if (is_error)
      found = trimmed(line);
    return !is_error;
  });
  return found;
}

CompileFacts facts_from_log(std::string_view log, std::string_view kernel) {
  const std::string entry = "'" + std::string(kernel) + "'";
  CompileFacts facts;
  bool ours = false;
  for_lines(log, [&](std::string_view line) {
    if (contains(line, "Compiling entry function")) {
      ours = contains(line, entry);
    } else if (ours) {
      take(line, " bytes stack frame", facts.local_bytes);
      take(line, " bytes spill stores", facts.spill_store_bytes);
      take(line, " bytes spill loads", facts.spill_load_bytes);
      take(line, " registers", facts.registers_per_thread);
      take(line, " barriers", facts.block_barriers);
      take(line, " bytes smem", facts.static_shared_bytes);
      take(line, " bytes cmem[0]", facts.constant_bytes);
    }
    return true;
  });
  return facts;
}

} // namespace gridsmith
