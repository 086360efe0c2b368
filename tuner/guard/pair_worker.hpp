// SPDX-License-Identifier: Apache-2.0
// Old and new code of a kernel in one worker process: the same data, verified alike, launched in
// turn; one kernel after the other. The old one may be a stranger's: it only ever runs there, behind the
// worker's wall.
#pragma once

#include "gridsmith/results/check/pair_plan.hpp"
#include "gridsmith/tuner/processes/worker_link.hpp"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

namespace gridsmith {

struct PairSides {
  Launchable before, now;
};

struct PairExecutions {
  Execution before, now;

  bool good() const { return before.correct() && now.correct(); }
};

struct PairsAsked {
  int pairs = 1;
  bool new_first = false;
  /// Of the data of the verification before: DataSeed::change of that of the pairs; 0: it is other data.
  std::uint64_t change = 0;
  bool vary = false;         ///< as EvaluateBatch::vary
  bool keep_scratch = false; ///< as EvaluateBatch::keep_scratch: each side alone
};

class PairWorker {
public:
  /// Starts a process. @throws HelperError
  PairWorker(WorkerSettings settings, UseDevice device);

  /// What runs from now on is of this kernel.
  void open(OpenWork open);

  /// Both loaded, verified, counted where the work says so, and launched A B B A, so many times and once
  /// more to get warm, whose samples are dropped.
  /// @return none: stopped
  /// @throws WorkerRefused
  std::optional<PairExecutions> run(const PairSides& sides, const PairsAsked& asked,
                                    const std::stop_token& stop);

  bool works_on(std::uint64_t work) const { return link_.works_on(work); }

  /// Of the kernel of now: what is known once run() has returned.
  const std::optional<WorkOpened>& opened() const { return link_.opened(); }

private:
  std::optional<PairExecutions> run_apart(const PairSides& sides, const PairsAsked& asked,
                                          const std::stop_token& stop);
  std::optional<PairExecutions> run_once(const PairSides& sides, const PairsAsked& asked,
                                         const std::stop_token& stop);

  WorkerLink link_;
  std::uint64_t seed_ = 0;
  std::uint64_t next_id_ = 1;
};

/// Adds the samples of both to their process. @pre both are good
void add_samples(const PairExecutions& executions, PairsOfWorker& to);

} // namespace gridsmith
