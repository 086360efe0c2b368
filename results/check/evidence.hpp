// SPDX-License-Identifier: Apache-2.0
// A judgement with what it rests on, as a file: the same candidate gets the same judgement from it, and whoever
// doubts it judges again.
#pragma once

#include "gridsmith/base/fields.hpp"
#include "gridsmith/results/check/judgement.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace gridsmith {

struct Evidence {
  /// Of all that decides: candidate, definition, incumbent, device, driver, sizes, rules.
  std::string key;
  std::uint64_t seed = 0; ///< of data and further sizes
  Judgement judgement;
};

template <Like<Evidence> T>
void for_fields(T& v, auto&& visit) {
  visit("key", v.key);
  visit("seed", v.seed);
  visit("judgement", v.judgement);
}

/// None: there is no such file. @throws InputError: it is no evidence, or is damaged
std::optional<Evidence> read_evidence(const std::filesystem::path& file);
/// @throws Error: it cannot be written; then the old one is still there
void write_evidence(const std::filesystem::path& file, const Evidence& evidence);

} // namespace gridsmith
