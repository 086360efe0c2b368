// SPDX-License-Identifier: Apache-2.0
// The few calls of the driver's management library (NVML) that are needed, by the names and types
// of its manual. The library is opened at run time: it comes with the driver, not with the toolkit.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gridsmith {

class Nvml {
public:
  using Device = void*;

  struct Process {
    std::uint32_t pid = 0;
    std::uint64_t bytes = 0; ///< of device memory; 0: not known
  };

  /// @throws std::runtime_error, as all below: what failed and why
  Nvml();

  /// @param uuid "GPU-…"
  Device device(const std::string& uuid) const;
  /// Needs root.
  void lock_clocks(Device device, unsigned mhz) const;
  void restore_clocks(Device device) const;
  /// That have a context on the device, for compute or graphics.
  std::vector<Process> processes(Device device) const;
  /// Of the whole board since the driver was loaded.
  double energy_mj(Device device) const;
  double temperature(Device device) const; ///< of the GPU, in °C
  /// Percent of the last sixth of a second, or second, in which a kernel ran, of any process.
  unsigned busy_percent(Device device) const;

private:
  struct Close {
    void operator()(void* library) const;
  };

  template <typename Function>
  Function* call(const char* name) const;
  void check(int result, const std::string& what) const;
  std::vector<Process> listed(const char* call_name, Device device) const;

  std::unique_ptr<void, Close> library_;
};

} // namespace gridsmith
