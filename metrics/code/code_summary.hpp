// SPDX-License-Identifier: Apache-2.0
// What is known of a compiled kernel without running it, small enough to be kept next to the
// source: resources, predicted occupancy, and what its machine code consists of. The same compiler
// makes the same facts of the same source.
#pragma once

#include "gridsmith/base/fields.hpp"
#include "gridsmith/metrics/code/code_facts.hpp"
#include "gridsmith/metrics/code/sass.hpp"
#include "gridsmith/metrics/device/occupancy.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace gridsmith {

/// Names of instructions, classes or mnemonics, with how often they stand in the code.
using CodeCounts = std::map<std::string, int, std::less<>>;

/// The innermost loop in which most is done (CodeFacts::hottest_loop).
struct LoopSummary {
  int instructions = 0; ///< of one turn, as all that follows
  int multiply_adds = 0;
  double overhead = 0; ///< share of instructions that neither compute on data nor access it, 0 … 1

  bool operator==(const LoopSummary&) const = default;
};

template <Like<LoopSummary> T>
void for_fields(T& v, auto&& visit) {
  visit("instructions", v.instructions);
  visit("multiply_adds", v.multiply_adds);
  visit("overhead", v.overhead);
}

/// SASS of a disassembler without what changes when nothing does.
struct SassSummary {
  std::string hash; ///< sha256_hex() of the normalised text
  CodeCounts mix;   ///< "LDG.E.128.CONSTANT" -> 4

  bool operator==(const SassSummary&) const = default;
};

template <Like<SassSummary> T>
void for_fields(T& v, auto&& visit) {
  visit("hash", v.hash);
  visit("mix", v.mix);
}

struct CodeSummary {
  CompileFacts compile;         ///< registers, spills, static shared memory, local memory
  std::int64_t stack_bytes = 0; ///< per thread
  double occupancy = 0;         ///< predicted, 0 … 1; 0: not known
  std::int64_t code_bytes = 0;
  int instructions = 0;
  CodeCounts classes; ///< by the words of CodeClass; none with a count of 0
  CodeCounts mix;     ///< by name and width, "LDG.128" -> 4 (InstructionMix::by_name)
  LoadsInFlight in_flight;
  std::optional<LoopSummary> hottest_loop; ///< none: there is no loop
  std::optional<SassSummary> sass;         ///< none: no disassembler was there

  bool operator==(const CodeSummary&) const = default;
};

template <Like<CodeSummary> T>
void for_fields(T& v, auto&& visit) {
  visit("compile", v.compile);
  visit("stack_bytes", v.stack_bytes);
  visit("occupancy", v.occupancy);
  visit("code_bytes", v.code_bytes);
  visit("instructions", v.instructions);
  visit("classes", v.classes);
  visit("mix", v.mix);
  visit("in_flight", v.in_flight);
  visit("hottest_loop", v.hottest_loop);
  visit("sass", v.sass);
}

/// Without SASS, which is not read from the cubin.
/// @param predicted none: the device is not known
CodeSummary summarise(const CodeFacts& code, const CompileFacts& compile,
                      const std::optional<Occupancy>& predicted);

/// @param kernel lowered name. @return none: the listing has no such kernel
std::optional<SassSummary> summarise_sass(std::string_view listing, std::string_view kernel);

} // namespace gridsmith
