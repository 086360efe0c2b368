// SPDX-License-Identifier: Apache-2.0
// Whether counters can be read where a process runs, and what to do where they cannot. Pure: what is
// known is handed in, and what is not is said to be unknown.
#pragma once

#include "gridsmith/base/words.hpp"
#include "gridsmith/metrics/counters/attached_profiler.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

enum class Container { none, docker, podman, kubernetes, other };

/// What a process sees of where it runs.
struct Surroundings {
  bool root = false;      ///< effective user 0
  bool sys_admin = false; ///< CAP_SYS_ADMIN, effective: what the driver asks for
  bool perfmon = false;   ///< CAP_PERFMON, effective: drivers from 565 on take it too
  /// Capabilities of a user namespace other than the system's first are none to the driver.
  bool user_namespace = false;
  /// RmProfilingAdminOnly; nothing: the driver does not say it here
  std::optional<bool> admin_only = {};
  Container container = Container::none;
  bool slurm = false; ///< within a job
  bool wsl = false;
  bool mig = false; ///< the devices are MIG instances
  bool gpu = true;  ///< the driver shows one
  std::optional<AttachedProfiler> profiler = {};
  std::string worker = {}; ///< path of gridsmith-worker, for what is typed with it
};

/// What came of opening and reading one counter.
struct CounterProbe {
  std::optional<int> code = {}; ///< CUPTI's; 0: it was read; nothing: it could not be asked
  std::string message = {};     ///< what failed, where it did
  bool starts = true;           ///< false: the worker's libraries are not all there
};

enum class CounterState {
  readable,
  not_permitted,
  profiler_attached,
  held,
  mig,
  vgpu,
  confidential,
  wsl,
  sli,
  mining,
  unsupported,
  old_cupti,
  no_cupti,
  no_driver,
  unknown
};

template <>
struct Words<CounterState> {
  static constexpr std::string_view kind = "state of counters";
  static constexpr std::array<std::string_view, 15> list = {"readable",
                                                            "not_permitted",
                                                            "profiler_attached",
                                                            "held_by_another_process",
                                                            "mig_instance",
                                                            "virtual_gpu",
                                                            "confidential_computing",
                                                            "wsl",
                                                            "sli",
                                                            "mining_processor",
                                                            "not_supported",
                                                            "cupti_too_old",
                                                            "cupti_missing",
                                                            "no_driver",
                                                            "not_known"};
};

/// One way out, tried in the order of the list.
struct Remedy {
  std::string what;               ///< when, where and by whom; ends with ':' where lines follow
  std::vector<std::string> lines; ///< to copy as they stand
};

struct CounterAnswer {
  CounterState state = CounterState::unknown;
  std::string diagnosis; ///< one line
  std::vector<Remedy> remedies;
};

/// Remedies: NVIDIA's pages on ERR_NVGPUCTRPERM, CUPTI's special configurations (MIG), the manuals
/// of DCGM, vGPU and nvidia-smi.
CounterAnswer counter_answer(const CounterProbe& probe, const Surroundings& here);

/// Whether counter_answer() knows more of it than the message of a CuptiError says: of those that
/// end with "(CUPTI error 35)" and have a remedy.
bool has_counter_remedy(std::string_view message);

} // namespace gridsmith
