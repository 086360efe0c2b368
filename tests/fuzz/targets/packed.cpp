// SPDX-License-Identifier: Apache-2.0
// A file that may be packed, told apart by its content.
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/tests/fuzz/fuzz.hpp"

namespace gridsmith::fuzz::packed {

void run(const std::uint8_t* bytes, std::size_t count) {
  const auto file = file_with(text_of(bytes, count), "recording.json");
  answered([&] { describe(read_recording(file)); });
}

} // namespace gridsmith::fuzz::packed
