// SPDX-License-Identifier: Apache-2.0
// A kernel of another author, a program perhaps, judged against a definition that is the user's: arguments, sizes,
// data, reference, tolerance and work model are out of the candidate's reach. It is compiled and run only in the sandbox.
//
//   gridsmith::CandidateVerdict verdict = gridsmith::judge({.candidate = "new.cu", .definition = "softmax.json"});
//   return verdict.ruling() == gridsmith::Ruling::accepted ? 0 : 1;
#pragma once

#include "gridsmith/results/judge/candidate_verdict.hpp"
#include "gridsmith/tuner/guard/check.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

namespace gridsmith {

struct JudgeSettings {
  std::filesystem::path candidate; ///< a source with the definition's kernel
  std::string definition;          ///< its file, or a name of the catalogue
  /// Whose time it is held against; none: the definition's own source, where the candidate is another.
  std::optional<std::filesystem::path> incumbent = {};
  /// How both are compared: pairs and counters (never exact); of its session include, the first device, time-out and
  /// helpers. Its problems are timed (empty: all of the definition). By its store the incumbent has its best
  /// configuration, and the verdict is kept there. The rest has no part in it.
  CheckSettings check = {};
  std::size_t further_sizes = 2; ///< drawn by the seed, verified and not timed
  /// Of data and further sizes; none: a secret one.
  std::optional<std::uint64_t> seed = {};
  bool sanitizer = true; ///< compute-sanitizer's tools, where they are
  /// Where it is kept as well. The same candidate against the same definition, incumbent, device and rules gets its
  /// verdict from either.
  std::optional<std::filesystem::path> evidence = {};
  bool recheck = false; ///< judged again all the same, on other data
};

/// The candidate may choose its launch shape within the space of the definition: a comment "// gridsmith: BX=128 TILE=4"
/// of its source names values; the others are the incumbent's.
/// @throws InputError (no such file or definition, no size), NoSuchDevice, HelperError, WorkerRefused (no device): whatever
/// the candidate does is a verdict
CandidateVerdict judge(const JudgeSettings& settings, const std::stop_token& stop = {},
                       const CheckListener& listener = {});

} // namespace gridsmith
