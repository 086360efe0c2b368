// Our turn on one GPU: its lock, its clock and the processes that measure on it, once for all kernels
// and problems of a run, which take them one after the other.
#pragma once

#include "gridsmith/tuner/gpu/gpu_lock.hpp"
#include "gridsmith/tuner/gpu/gpu_processes.hpp"
#include "gridsmith/tuner/processes/clock_lock.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace gridsmith {

class GpuTurn {
public:
  /// Waits until the GPU is ours, or not, as the settings say; starts the processes.
  /// @param conditions asked for
  /// @param instance the first problem
  /// @param readable by compilers, for all definitions of the run; empty: the first's
  /// @throws StoppedWaiting; as GpuProcesses, ClockLock, GpuLock
  GpuTurn(const SessionSettings& settings, const Conditions& conditions,
          const KernelInstance& instance, const ReadableFolders& readable, const Listener& listener,
          const std::stop_token& stop);
  GpuTurn(const GpuTurn&) = delete;
  GpuTurn& operator=(const GpuTurn&) = delete;

  bool is_on(const Device& device) const { return device.ordinal == ordinal_; }

  /// Those asked for, or what is left of them beside another Gridsmith.
  const Conditions& conditions() const { return conditions_; }

  /// Other processes on the GPU when it was our turn.
  const std::vector<std::string>& beside() const { return beside_; }

  GpuProcesses& processes() { return *processes_; }

  /// All that compilations read beside the kernel's source: which toolkit, as it is now.
  std::string toolkit() const;

private:
  void take_lock(const Device& device, const SessionSettings& settings, const Listener& listener,
                 const std::stop_token& stop);

  int ordinal_;
  Conditions conditions_;
  std::optional<GpuLock> lock_; ///< outlives all that uses the GPU
  std::optional<ClockLock> clock_;
  std::optional<GpuProcesses> processes_;
  std::vector<std::string> beside_;
};

/// What all hold together who take turns.
struct SharedTurn {
  ReadableFolders readable = {};    ///< of all their definitions; empty: they have one
  std::optional<GpuTurn> turn = {}; ///< taken by the first that needs it
};

} // namespace gridsmith
