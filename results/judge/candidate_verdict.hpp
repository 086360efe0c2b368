// SPDX-License-Identifier: Apache-2.0
// The verdict on a kernel of another author: the gates that it went through, each with a code, and the ruling that
// follows from them. Short, for those who pay by the word.
#pragma once

#include "gridsmith/base/words.hpp"
#include "gridsmith/results/check/check_result.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

enum class Ruling {
  accepted,
  rejected,
  undecided,
  suspicious, ///< nothing is shown to be wrong, and what was found needs a person
};

template <>
struct Words<Ruling> {
  static constexpr std::string_view kind = "ruling";
  static constexpr std::array<std::string_view, 4> list{"accepted", "rejected", "undecided",
                                                        "suspicious"};
};

/// In the order in which a candidate goes through them.
enum class JudgeGate {
  compiles,
  right,
  clean,    ///< of a sanitizer
  possible, ///< no faster than the device can be, in the precision that was declared
  faster,
};

template <>
struct Words<JudgeGate> {
  static constexpr std::string_view kind = "gate of a judge";
  static constexpr std::array<std::string_view, 5> list{"compiles", "right", "clean", "possible",
                                                        "faster"};
};

enum class GateState {
  passed,
  failed,
  doubtful,
  open,    ///< neither was shown
  not_run, ///< the code says why; never a pass
};

template <>
struct Words<GateState> {
  static constexpr std::string_view kind = "state of a gate";
  static constexpr std::array<std::string_view, 5> list{"passed", "failed", "doubtful", "open",
                                                        "not_run"};
};

struct GateFinding {
  JudgeGate gate = JudgeGate::compiles;
  GateState state = GateState::not_run;
  std::string code; ///< one of docs/judge.md: "wrong_at_other_sizes"
  std::string text; ///< one line for people; "": the code says all
};

template <Like<GateFinding> T>
void for_fields(T& v, auto&& visit) {
  visit("gate", v.gate);
  visit("state", v.state);
  visit("code", v.code);
  visit("text", v.text);
}

struct CandidateVerdict {
  std::string kernel, candidate, incumbent; ///< the last two as people named them; no incumbent: ""
  std::string candidate_hash;               ///< of all that is compiled
  std::string device, date;                 ///< UTC
  std::vector<GateFinding> gates;           ///< that it came to
  std::vector<CheckCase> sizes;             ///< that were timed, with what differs
  std::size_t verified = 0; ///< launches of other data and at other sizes whose results were right
  std::vector<std::string> notes; ///< one line each
  bool interrupted = false;
  std::string kept_in; ///< evidence file or store that has more; "": nowhere
  double seconds = 0;

  /// Rejected by any gate that failed; else suspicious, else undecided, by any that is; a candidate that was not
  /// shown to be right is never accepted, nor one that was compared and is not faster.
  Ruling ruling() const;

  /// Time of the incumbent over that of the candidate, the geometric mean of the sizes, and the interval that holds
  /// all of theirs. 0: nothing was timed.
  struct Speedup {
    double likely = 0, low = 0, high = 0;
  };

  Speedup speedup() const;
};

template <Like<CandidateVerdict> T>
void for_fields(T& v, auto&& visit) {
  visit("kernel", v.kernel);
  visit("candidate", v.candidate);
  visit("incumbent", v.incumbent);
  visit("candidate_hash", v.candidate_hash);
  visit("device", v.device);
  visit("date", v.date);
  visit("gates", v.gates);
  visit("sizes", v.sizes);
  visit("verified", v.verified);
  visit("notes", v.notes);
  visit("interrupted", v.interrupted);
  visit("kept_in", v.kept_in);
  visit("seconds", v.seconds);
}

/// What the pairs of several sizes say together: faster at one and slower at none is faster; both is "mixed" (open)
/// where the mean of all is faster, else slower. Where it is undecided at a size, it is slower at none if the whole
/// interval says so.
/// @param least_effect as PairRules::least_effect
GateFinding faster_gate(const std::vector<CheckCase>& sizes, double least_effect);

/// At most this many bytes.
inline constexpr std::size_t longest_candidate_verdict = 2048;

/// One object (docs/schema/verdict.schema.json), shortened until it fits longest_candidate_verdict.
std::string candidate_verdict_json(const CandidateVerdict& verdict);
/// For people. @param width of a line
std::string candidate_verdict_text(const CandidateVerdict& verdict, std::size_t width);
/// What every page of a verdict contains, and no other text of ours.
inline constexpr std::string_view verdict_page_mark = "<body data-verdict>";
/// A page of its own: HTML that loads nothing and runs nothing.
std::string candidate_verdict_page(const CandidateVerdict& verdict);

} // namespace gridsmith
