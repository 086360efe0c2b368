// SPDX-License-Identifier: Apache-2.0
// A run: one or many jobs, a strategy over them, one loop (tuner/loop). Every tuning is one: of one kernel, of many
// sizes, of all kernels, of what is shipped, of finalists under another regime.
#pragma once

#include "gridsmith/tuner/backends/back_end.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace gridsmith {

/// A problem of a kernel, and where its measurements come from.
struct RunJob {
  ProblemSize problem;
  Source source;
  /// Of a search over all problems: the first `most` of these that the space has are asked first, with the
  /// definition's default, and measured again at the end.
  std::vector<Configuration> begin_with = {};
  std::size_t most = 1;
};

/// The jobs of one kernel, and what comes of them.
struct RunKernel {
  SessionSettings settings; ///< its budget is that of the rules
  /// None: a recording alone is replayed, one job by itself.
  std::shared_ptr<const KernelDefinition> definition;
  std::vector<RunJob> jobs = {}; ///< on the same back end as those of the other kernels

  // Of the run:
  /// One per job that was reached, in their order; then those added and those drawn that came to their
  /// finals.
  std::vector<Outcome> outcomes = {};
  std::string failed = {}; ///< why nothing, or no more, could be measured; one line
};

struct RunRules {
  Budget budget = {}; ///< of all together; of jobs by themselves, of each
  // Of a search over all jobs:
  /// What they begin with, and the finals; nothing is searched.
  bool first_round_alone = false;
  bool finals = true; ///< false: answers are by what was measured first, not interleaved
  /// A kernel that cannot be measured says why and does not stop the others; false: that is thrown.
  bool others_go_on = false;
};

/// Where `across` is set, all jobs of all kernels are one search; else each is searched by itself, one after the other.
/// @param kernels either all have `across` set, or none
/// @return whether the seconds were over before the end of a search over all
/// @throws SpaceNotBuilt, StoppedWaiting (of a job by itself), and as Session::run; where the others go on WorkerRefused
/// where there is no device, NoSuchDevice, StoreError
bool run_jobs(std::vector<RunKernel>& kernels, const RunRules& rules, const Listener& listener,
              const std::stop_token& stop);

} // namespace gridsmith
