// SPDX-License-Identifier: Apache-2.0
// The text of nvdisasm and cuobjdump: its instructions are lines, numbered alike each time.
#include "gridsmith/metrics/code/sass.hpp"
#include "gridsmith/tests/fuzz/fuzz.hpp"

using namespace gridsmith;
using namespace gridsmith::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  const std::string_view text = text_of(bytes, count);
  for (const char* kernel : {"k", "_Z1kPf"}) {
    const auto code = sass_of(text, kernel);
    require(normalised_text(code) == normalised_text(sass_of(text, kernel)), "two readings differ");
    for (const SassInstruction& one : code)
      require(one.text.find('\n') == std::string::npos, "an instruction of two lines");
  }
  return 0;
}
