// SPDX-License-Identifier: Apache-2.0
// The text of nvdisasm and cuobjdump: its instructions are lines, numbered alike each time.
#include "gridsmith/metrics/code/sass.hpp"
#include "gridsmith/tests/fuzz/fuzz.hpp"

namespace gridsmith::fuzz::disassembly {

void run(const std::uint8_t* bytes, std::size_t count) {
  const std::string_view text = text_of(bytes, count);
  for (const char* kernel : {"k", "_Z1kPf"}) {
    const auto code = sass_of(text, kernel);
    require(normalised_text(code) == normalised_text(sass_of(text, kernel)), "two readings differ");
    for (const SassInstruction& one : code)
      require(one.text.find('\n') == std::string::npos, "an instruction of two lines");
  }
}

} // namespace gridsmith::fuzz::disassembly
