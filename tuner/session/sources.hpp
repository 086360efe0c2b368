// SPDX-License-Identifier: Apache-2.0
// Where a kernel's measurements come from: the devices of this machine, or, where there are none, the
// recordings that lie beside the definition.
#pragma once

#include "gridsmith/tuner/gpu/device_list.hpp"
#include "gridsmith/tuner/session/session.hpp"
#include "gridsmith/tuner/session/task.hpp"

#include <future>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

class Sources {
public:
  /// @param settings the installation and the devices wanted; outlives this
  explicit Sources(const SessionSettings& settings) : settings_(settings) {}

  /// Begins to ask for the devices, which takes a fifth of a second.
  void ask();
  const DeviceList& devices(const SpanSink& spans);

  /// One for each product among the devices asked for, or the one recording.
  /// @throws InputError: the kernel cannot be run, no such problem; NoSuchDevice
  std::vector<Source> of(const KernelDefinition& definition, const ProblemSize& problem,
                         const Listener& listener);

private:
  const SessionSettings& settings_;
  std::future<DeviceList> asking_;
  std::optional<DeviceList> asked_; ///< once: it starts a process
};

/// A recording in a device's place.
Source replay(std::shared_ptr<const Recording> recording, const std::filesystem::path& file,
              const std::string& because, const Listener& listener);

} // namespace gridsmith
