// SPDX-License-Identifier: Apache-2.0
// One reader of recordings: GRIDSMITH_READER says which. What it accepts makes a space, so that it
// can be replayed.
#include "gridsmith/results/formats/readers.hpp"
#include "gridsmith/tests/fuzz/fuzz.hpp"

using namespace gridsmith;
using namespace gridsmith::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  answered([&] {
    const Recording recording = GRIDSMITH_READER(text_of(bytes, count), "input");
    describe(recording);
    answered([&] { RecordedSpace(recording).optimum_ms(); });
  });
  return 0;
}
