// SPDX-License-Identifier: Apache-2.0
// Evidence of a verdict that a file or a store has: what is accepted is written and read again, unchanged, and gives a
// verdict of at most two kilobytes and a page.
#include "gridsmith/results/judge/evidence.hpp"

#include "gridsmith/tests/fuzz/fuzz.hpp"

namespace gridsmith::fuzz::evidence {

void run(const std::uint8_t* bytes, std::size_t count) {
  answered([&] {
    const Evidence evidence = evidence_of_text(text_of(bytes, count));
    must_answer("our own evidence is not read", [&] {
      const std::string text = evidence_text(evidence);
      require(evidence_text(evidence_of_text(text)) == text, "evidence changes when read again");
      require(candidate_verdict_json(evidence.verdict).size() <= longest_candidate_verdict,
              "a verdict is longer than two kilobytes");
      require(!candidate_verdict_page(evidence.verdict).empty(), "a verdict has no page");
      require(!candidate_verdict_text(evidence.verdict, 80).empty(), "a verdict has no text");
    });
  });
}

} // namespace gridsmith::fuzz::evidence
