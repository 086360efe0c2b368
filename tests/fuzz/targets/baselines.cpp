// SPDX-License-Identifier: Apache-2.0
// A baseline that somebody checked in: what is accepted is written and read again, unchanged.
#include "gridsmith/results/check/baseline.hpp"
#include "gridsmith/tests/fuzz/fuzz.hpp"

namespace gridsmith::fuzz::baselines {

void run(const std::uint8_t* bytes, std::size_t count) {
  answered([&] {
    const std::string text = to_text(baseline_of_text(text_of(bytes, count), "input"));
    must_answer("our own baseline is not read", [&] {
      require(to_text(baseline_of_text(text, "again")) == text,
              "a baseline changes when read again");
    });
  });
}

} // namespace gridsmith::fuzz::baselines
