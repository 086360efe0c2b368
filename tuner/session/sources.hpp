// SPDX-License-Identifier: Apache-2.0
// Where a kernel's measurements come from: the first back end that has something for it. Once for all kernels and
// problems of a run, which share its processes.
#pragma once

#include "gridsmith/tuner/backends/back_end.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <memory>
#include <string>
#include <vector>

namespace gridsmith {

/// Words of SessionSettings::back_end.
std::vector<std::string> back_end_words();
/// @throws InputError: no such word, or a recording is given too
void check_back_end(const SessionSettings& settings);

class Sources {
public:
  /// @param settings how helpers are started, and the devices wanted
  /// @param listener what it has is copied @throws InputError as check_back_end()
  /// @param given a recording in a device's place, of the file that the settings name
  Sources(const SessionSettings& settings, const Listener& listener,
          const std::shared_ptr<const Recording>& given = nullptr);

  /// One that will be measured: all of them are named before the first is.
  void will_compile(const KernelDefinition& definition);
  /// Starts what takes its time. @pre will_compile()
  void begin();

  /// One for each product among the devices asked for, or the one recording.
  /// @param definition none: the recording that was given, as it is
  /// @throws InputError: the kernel cannot be run, no such problem; NoSuchDevice
  std::vector<Source> of(const KernelDefinition* definition, const ProblemSize& problem);

private:
  std::vector<std::unique_ptr<BackEnd>> back_ends_; ///< in the order in which they are asked
};

} // namespace gridsmith
