// SPDX-License-Identifier: Apache-2.0
// Our turn on a GPU, or on several of one product: their locks, their clocks and the processes that
// measure on them, once for all kernels and problems of a run, which take them one after the other.
#pragma once

#include "gridsmith/tuner/backends/back_end.hpp"
#include "gridsmith/tuner/gpu/gpu_lock.hpp"
#include "gridsmith/tuner/gpu/gpu_processes.hpp"
#include "gridsmith/tuner/gpu/gpu_users.hpp"
#include "gridsmith/tuner/processes/clock_lock.hpp"

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace gridsmith {

/// What was begun before the devices were known.
struct EarlyStart {
  std::optional<EarlyProcesses> processes = {};
  std::map<std::string, std::vector<GpuUser>> users = {}; ///< by the UUID of what they use
};

/// Nothing where no GPU's driver is in sight, or what cannot be started: that is said when it is needed.
std::optional<EarlyProcesses> start_early(const GpuProcessSettings& settings);

class GpuTurn {
public:
  /// Waits until the GPUs are ours, or not, as the settings say; starts the processes of the first: a pool of
  /// compilers, which all share, and a worker.
  /// @param settings with the conditions asked for
  /// @param instance the first problem
  /// @param devices not empty
  /// @param early is used up
  /// @throws StoppedWaiting; as GpuProcesses, ClockLock
  GpuTurn(GpuProcessSettings settings, const KernelInstance& instance,
          const std::vector<Device>& devices, EarlyStart& early, const Note& note,
          const std::stop_token& stop);
  GpuTurn(const GpuTurn&) = delete;
  GpuTurn& operator=(const GpuTurn&) = delete;

  bool is_on(const std::vector<Device>& devices) const;

  /// Those asked for, or what is left of them beside another Gridsmith.
  const Conditions& conditions() const { return places_.front().processes->conditions(); }

  /// Until the next call, or the end of the turn. @throws as ClockLock
  void hold_clock(std::optional<int> sm_clock_mhz);

  /// Other processes on these GPUs when it was our turn.
  const std::vector<std::string>& beside() const { return beside_; }

  /// Of a device by its place, started when it is first asked for. @throws as GpuProcesses, ClockLock
  GpuProcesses& processes(std::size_t place);
  /// Of the devices that have them, in their order.
  std::vector<const GpuProcesses*> started() const;

  /// Whether it pays to measure on the other devices too.
  /// @param worked on the first one since the last call @param ahead what it has to do
  bool others_pay(std::chrono::duration<double, std::milli> worked,
                  std::chrono::duration<double, std::milli> ahead);

  /// All that compilations read beside the kernel's source: which toolkit, as it is now.
  std::string toolkit() const;

private:
  struct Place {
    Device device;
    std::optional<GpuLease> lease = {}; ///< outlives all that uses the GPU
    std::optional<ClockLock> clock = {};
    std::optional<GpuProcesses> processes = {};
  };

  /// What cannot be had alongside another Gridsmith is taken out of the settings.
  /// @return whether we waited
  bool take_leases(const Note& note, const std::stop_token& stop);
  void start(Place& place, std::optional<EarlyProcesses> early);

  GpuProcessSettings settings_;
  KernelInstance instance_;
  std::chrono::duration<double, std::milli> worked_{};
  std::deque<Place> places_; ///< which stay where they were made
  std::vector<std::string> beside_;
  std::optional<int> held_mhz_;
};

} // namespace gridsmith
