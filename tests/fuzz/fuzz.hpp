// SPDX-License-Identifier: Apache-2.0
// What the targets share. A target is one function, run() in a namespace of its name: bytes in, and it ends
// the process where a promise is broken. Errors that a person can act on (Error) are an answer; anything
// else that leaves a reader is a finding.
#pragma once

#include "gridsmith/base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count);

namespace gridsmith::fuzz {

using Target = void (*)(const std::uint8_t* bytes, std::size_t count);

/// Of this program; null: it has none of that name.
Target find_target(std::string_view name);

inline std::string_view text_of(const std::uint8_t* bytes, std::size_t count) {
  return {reinterpret_cast<const char*>(bytes), count};
}

/// Ends the process, saying what is broken, unless it holds.
void require(bool holds, const std::string& what);

/// Whether the call was answered; false: refused with an error for people.
template <typename Call>
bool answered(const Call& call) {
  try {
    call();
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Like answered(), for what a reader has accepted and we must therefore be able to use.
template <typename Call>
void must_answer(const std::string& what, const Call& call) {
  std::string said;
  try {
    call();
    return;
  } catch (const Error& error) {
    said = error.what();
  }
  require(false, what + ": " + said);
}

std::vector<std::string> lines_of(std::string_view text);

/// A folder of this process, in memory where there is such a place; gone at its end.
const std::filesystem::path& folder();
/// Writes folder()/name, replacing what was there.
std::filesystem::path file_with(std::string_view content, const std::string& name);

} // namespace gridsmith::fuzz
