// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/code/code_summary.hpp"

#include "gridsmith/base/content_hash.hpp"

namespace gridsmith {

CodeSummary summarise(const CodeFacts& code, const CompileFacts& compile,
                      const std::optional<Occupancy>& predicted) {
  CodeSummary summary;
  summary.compile = compile;
  summary.stack_bytes = code.stack_bytes;
  summary.occupancy = predicted ? predicted->fraction : 0;
  summary.code_bytes = static_cast<std::int64_t>(code.code.size() * instruction_bytes);
  summary.instructions = code.mix.instructions;
  for (std::size_t i = 0; i < code.mix.by_class.size(); ++i)
    if (code.mix.by_class[i] > 0)
      summary.classes[std::string(Words<CodeClass>::list[i])] = code.mix.by_class[i];
  summary.mix = code.mix.by_name;
  summary.in_flight = code.in_flight;
  if (const LoopFacts* loop = code.hottest_loop())
    summary.hottest_loop =
        LoopSummary{loop->mix.instructions, loop->mix.multiply_adds, loop->mix.overhead()};
  return summary;
}

std::optional<SassSummary> summarise_sass(std::string_view listing, std::string_view kernel) {
  const std::vector<SassInstruction> code = sass_of(listing, kernel);
  if (code.empty())
    return std::nullopt;
  SassSummary summary{sha256_hex(normalised_text(code)), {}};
  for (const SassInstruction& one : code)
    ++summary.mix[one.mnemonic];
  return summary;
}

} // namespace gridsmith
