// SPDX-License-Identifier: Apache-2.0
// The running part of a check: old and new of every kernel launched in turn, in worker processes one
// after the other.
#pragma once

#include "gridsmith/metrics/analysis/verdict.hpp"
#include "gridsmith/metrics/catalogue/counters.hpp"
#include "gridsmith/results/check/check_result.hpp"
#include "gridsmith/results/check/pair_plan.hpp"
#include "gridsmith/tuner/guard/check_subject.hpp"
#include "gridsmith/tuner/guard/pair_worker.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace gridsmith {

/// A kernel that is judged by running it, and what came of that.
struct RunningCase {
  const CheckSubject* subject = nullptr;
  CheckCase* one = nullptr;
  std::uint64_t work = 0; ///< number among those of the check, from 1
  CounterValues counters_before = {}, counters_now = {};
  Verdict verdict_before = {}, verdict_now = {}; ///< on the counted launches
  Peaks peaks = {};                              ///< measured on the way, where settings ask for it
};

class PairRuns {
public:
  /// @param settings and stop outlive it
  /// @param begun hears whose turn it is
  /// @param doubt hears one line for people; the same one may come again
  PairRuns(const CheckSettings& settings, const std::stop_token& stop,
           std::function<void(const CheckSubject&)> begun,
           std::function<void(const std::string&)> doubt)
      : settings_(settings), stop_(stop), begun_(std::move(begun)), doubt_(std::move(doubt)) {}

  /// One pair, for its result alone: the same, or wrong; incomparable where the old code is wrong too, and then
  /// doubtful where both differ.
  /// @throws as judge()
  void verify(RunningCase& running);
  /// Verdict, reason and time of each. @throws HelperError; WorkerRefused: no device
  void judge(std::span<RunningCase> running);
  /// Counters of both sides, once, in a process that times nothing; CheckCase::objective is judged by them.
  void count(RunningCase& running);

  /// Whether a result of the code of now was.
  bool wrong() const { return wrong_; }

private:
  bool take(RunningCase& running, const PairStep& step, std::vector<PairsOfWorker>& to);
  void compare_with_old(RunningCase& running);
  void tell_doubts(const CheckCase& one);
  std::unique_ptr<PairWorker> process_for(const CheckSubject& subject,
                                          const std::string& counters) const;
  OpenWork work_of(const RunningCase& running, const std::string& counters) const;

  const CheckSettings& settings_;
  const std::stop_token& stop_;
  std::function<void(const CheckSubject&)> begun_;
  std::function<void(const std::string&)> doubt_;
  std::unique_ptr<PairWorker> worker_; ///< of all kernels, one after the other
  std::size_t process_ = 0;            ///< its number
  std::unique_ptr<PairWorker>
      counting_;        ///< a profiler disturbs times: none are taken while it lives
  std::string counted_; ///< its counters
  bool wrong_ = false;  ///< something was
};

} // namespace gridsmith
