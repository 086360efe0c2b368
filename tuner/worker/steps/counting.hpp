// SPDX-License-Identifier: Apache-2.0
// Counting, one source for all works of a device: launches of their own, beside those that are verified and those that are timed, with the
// caches as the timed ones find them.
#pragma once

#include "gridsmith/metrics/counters/counter_source.hpp"
#include "gridsmith/tuner/worker/steps/candidate.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

/// Most configurations that are verified and counted together, and races taken together. A counting
/// session has a fixed cost of tens of milliseconds, which 64 share as less than one each.
inline constexpr std::size_t largest_batch = 64;

class Counting {
public:
  /// Opens what reads these counters. @throws CuptiError
  using Open =
      std::function<std::unique_ptr<CounterSource>(const std::vector<std::string>& counters)>;

  Counting(Observer& observer, Open open);

  /// Opens now what run() would open, while nobody waits.
  void open(const std::vector<std::string>& counters);

  /// Whether the first counting would take longer than all others: some hundred milliseconds.
  bool cold() const { return source_ && cold_; }

  /// Does that now, while nobody waits. @param launch launches one kernel and waits for it
  void warm_up(const std::function<void()>& launch);

  /// For another work: where counting broke off it is tried again, where it never began it is not.
  void begin_work();

  /// Counts what has not failed. When counting breaks off, all goes on by time alone.
  void run(Workspace& workspace, Candidates candidates, const std::vector<std::string>& counters);

  /// Why wanted counters are not read; none when they are.
  const std::optional<std::string>& uncounted_because() const { return uncounted_because_; }

private:
  void give_up(const CuptiError& error);
  void close();
  void count(Workspace& workspace, const Candidates& candidates);
  std::size_t launch(Workspace& workspace, Candidate& candidate, std::size_t pass);

  Observer& observer_;
  Open open_;
  std::vector<std::string> counters_;            ///< of the source
  std::vector<std::shared_ptr<Kernel>> patched_; ///< by the source; it ends before them
  std::unique_ptr<CounterSource> source_;
  bool cold_ = true; ///< nothing was counted by it
  bool opened_once_ = false;
  std::optional<std::string> uncounted_because_;
};

} // namespace gridsmith
