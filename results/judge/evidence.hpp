// SPDX-License-Identifier: Apache-2.0
// A verdict with what it rests on, as a file or in a store: the same candidate gets the same verdict from it, until it
// is judged again.
#pragma once

#include "gridsmith/base/fields.hpp"
#include "gridsmith/results/judge/candidate_verdict.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace gridsmith {

struct Evidence {
  /// Of all that decides: candidate, definition, incumbent, device, driver, sizes, rules.
  std::string key;
  std::uint64_t seed = 0; ///< of data and further sizes
  CandidateVerdict verdict;
};

template <Like<Evidence> T>
void for_fields(T& v, auto&& visit) {
  visit("key", v.key);
  visit("seed", v.seed);
  visit("verdict", v.verdict);
}

/// As a file or a store holds it.
std::string evidence_text(const Evidence& evidence);
/// @throws InputError: it is no evidence
Evidence evidence_of_text(std::string_view text);

/// None: there is no such file. @throws InputError: it is no evidence, or is damaged
std::optional<Evidence> read_evidence(const std::filesystem::path& file);
/// @throws Error: it cannot be written; then the old one is still there
void write_evidence(const std::filesystem::path& file, const Evidence& evidence);

} // namespace gridsmith
