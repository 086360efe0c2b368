// SPDX-License-Identifier: Apache-2.0
// Whether what the device gave, the reference kernel's answer or a formula's, is what Reference.Element says
// on the host, at single elements. Knows no device.
#pragma once

#include "gridsmith/kernels/definition/filling.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>

namespace gridsmith {

/// Bits of an element of the answer, by the name of the output.
using AnswerBits = std::function<std::uint64_t(const std::string& output, std::uint64_t element)>;

struct SpotChecked {
  std::uint64_t elements = 0;         ///< compared, of all outputs
  std::optional<std::string> problem; ///< one line: the first that differs, or has no value
};

/// Whose answer it is. A kernel's may be off by the tolerances; what the device makes of the same formula
/// by nothing.
enum class AnswerOf { kernel, formula };

/// The corners, where boundary code is, then any: up to 64 of each output that has a formula, each once, or as many
/// as are done within `limit`. One that takes longer is not counted.
/// @throws InputError for a formula that cannot be read here
SpotChecked spot_check(const OpenWork& work, DataSeed seed, const AnswerBits& answer,
                       AnswerOf made_by, std::chrono::milliseconds limit);

/// How long each of a process's works is checked: a fifth of a second until something of its kernel was, then a
/// tenth of that. What is wrong with a reference is seldom wrong at one size alone, and many sizes are opened.
class SpotCheckTime {
public:
  std::chrono::milliseconds limit(const OpenWork& work) const {
    return std::chrono::milliseconds(checked_.contains(work.label) ? 20 : 200);
  }

  void checked(const OpenWork& work, std::uint64_t elements) {
    if (elements > 0)
      checked_.insert(work.label);
  }

private:
  std::set<std::string> checked_; ///< labels
};

} // namespace gridsmith
