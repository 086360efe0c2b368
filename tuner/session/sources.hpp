// Where a kernel's measurements come from: the devices of this machine, or, where there are none, the
// recordings that lie beside the definition.
#pragma once

#include "gridsmith/tuner/gpu/device_list.hpp"
#include "gridsmith/tuner/session/session.hpp"
#include "gridsmith/tuner/session/task.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

class Sources {
public:
  /// @param settings the installation and the devices wanted; outlives this
  explicit Sources(const SessionSettings& settings) : settings_(settings) {}

  /// One for each product among the devices asked for, or the one recording.
  /// @throws InputError: the kernel cannot be run, no such problem; NoSuchDevice
  std::vector<Source> of(const KernelDefinition& definition, const ProblemSize& problem,
                         const Listener& listener);

private:
  const DeviceList& devices(const SpanSink& spans);

  const SessionSettings& settings_;
  std::optional<DeviceList> asked_; ///< once: it starts a process
};

/// A recording in a device's place.
Source replay(std::shared_ptr<const Recording> recording, const std::filesystem::path& file,
              const std::string& because, const Listener& listener);

} // namespace gridsmith
