// Whether the reference kernel's answer is what Reference.Element says, at single elements. Knows no
// device.
#pragma once

#include "gridsmith/tuner/protocol/messages.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace gridsmith {

/// Bits of an element of the reference kernel's answer, by the name of the output.
using AnswerBits = std::function<std::uint64_t(const std::string& output, std::uint64_t element)>;

struct SpotChecked {
  std::uint64_t elements = 0;         ///< compared, of all outputs
  std::optional<std::string> problem; ///< one line: the first that differs, or has no value
};

/// The corners, where boundary code is, then any: 64 of each output that has a formula, or as many
/// as are done within `limit`. One that takes longer is not counted.
/// @throws InputError for a formula that cannot be read here
SpotChecked spot_check(const OpenWork& work, std::uint64_t seed, const AnswerBits& answer,
                       std::chrono::milliseconds limit = std::chrono::milliseconds(200));

} // namespace gridsmith
