// SPDX-License-Identifier: Apache-2.0
// Where a kernel's measurements come from: the first back end that has something for it. Once for all kernels and
// problems of a run, which share its processes.
#pragma once

#include "gridsmith/tuner/backends/gpu_back_end.hpp"
#include "gridsmith/tuner/backends/recorded_back_end.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace gridsmith {

class Sources {
public:
  /// @param settings how helpers are started, and the devices wanted
  /// @param listener outlives this
  Sources(const SessionSettings& settings, const Listener& listener);

  /// One that will be measured: all of them are named before the first is.
  void will_compile(const KernelDefinition& definition) { gpus_.will_compile(definition); }

  /// Starts what takes its time. @pre will_compile()
  void begin() { gpus_.begin(); }

  /// One for each product among the devices asked for, or the one recording.
  /// @throws InputError: the kernel cannot be run, no such problem; NoSuchDevice
  std::vector<Source> of(const KernelDefinition& definition, const ProblemSize& problem);

  /// A recording that was given, in a device's place.
  Source replay(std::shared_ptr<const Recording> recording, const std::filesystem::path& file);

private:
  void say_ignored();

  const Listener& listener_;
  GpuBackEnd gpus_;
  RecordedBackEnd recordings_;
  std::array<BackEnd*, 2> order_{&gpus_, &recordings_};
  std::vector<std::string> ignored_; ///< by a replay; until that is said
};

} // namespace gridsmith
