// SPDX-License-Identifier: Apache-2.0
// Energy of a launch by the board's own counter. A launch is far shorter than the counter's steps, so windows of a
// second are filled with launches back to back, on a board that is warm from them. All take turns, forth and
// back, so that temperature meets all alike, until the intervals are narrow.
#pragma once

#include "gridsmith/tuner/worker/steps/candidate.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

class EnergyMeter {
public:
  /// All outlive this. @param seed of the pauses between windows
  EnergyMeter(MeteredBoard& board, Workspace& workspace, Observer& observer, std::uint64_t seed)
      : board_(board), workspace_(workspace), observer_(observer), random_state_(seed) {}

  /// Adds the counters of the board to each that has not failed.
  void run(Candidates candidates);

  /// Why there are none, one line; none where there are, and before the first run.
  const std::optional<std::string>& unmetered_because() const { return unmetered_because_; }

private:
  /// What one window says of a launch.
  struct Window {
    double power_w = 0, launch_ms = 0;

    double energy_mj() const {
      return power_w * launch_ms;
    } // a watt is a millijoule per millisecond
  };

  /// The counter has just gone up.
  struct Step {
    double at_ms = 0, energy_mj = 0;
  };

  /// What runs between two steps.
  class Launches;

  void measure_idle(Candidate& named);
  void measure(Candidate& candidate, std::vector<Window>& windows);
  std::optional<Window> window(Kernel& kernel, double launch_ms);
  Step next_step(Launches* launches);
  void pause(double ms);
  double random_ms(double most);
  void add_counters(Candidate& candidate, const std::vector<Window>& windows) const;

  MeteredBoard& board_;
  Workspace& workspace_;
  Observer& observer_;
  std::uint64_t random_state_;
  std::optional<double> idle_w_;
  std::optional<std::string> unmetered_because_;
};

} // namespace gridsmith
