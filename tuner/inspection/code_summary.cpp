// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/inspection/code_summary.hpp"

namespace gridsmith {

CodeSummary code_summary(const CodeObject& code, const Device& device, const Geometry& geometry) {
  std::optional<Occupancy> predicted;
  if (device.max_threads_per_sm > 0)
    predicted = occupancy(device, code.facts, static_cast<int>(geometry.threads_per_block()),
                          geometry.dynamic_shared_bytes);
  CodeFacts facts;
  try {
    facts = code_facts(*code.cubin, code.kernel);
  } catch (const InputError&) { // what the compiler says is known all the same
  }
  return summarise(facts, code.facts, predicted);
}

std::optional<SassSummary> sass_summary(const CodeObject& code, const Disassembler& disassembler) {
  if (!disassembler.program())
    return std::nullopt;
  const Disassembly listing = disassembler.disassemble(*code.cubin);
  return listing.sass ? summarise_sass(*listing.sass, code.kernel) : std::nullopt;
}

} // namespace gridsmith
