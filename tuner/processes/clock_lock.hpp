// SPDX-License-Identifier: Apache-2.0
// The SM clock, locked on request and always restored: a child process holds it for as long as this
// object, or the tuner, lives. Where that process is killed too, a marker stays, and the next to use the device
// restores the clock.
#pragma once

#include "gridsmith/tuner/processes/child_process.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace gridsmith {

class ClockLock {
public:
  /// @param markers a folder that all users share; "": there is none
  /// @throws HelperError with the reason when the clock cannot be locked.
  ClockLock(const std::filesystem::path& programs, const std::filesystem::path& markers,
            const std::string& device_uuid, int sm_clock_mhz);
  ~ClockLock(); ///< waits until the clock is restored
  ClockLock(const ClockLock&) = delete;
  ClockLock& operator=(const ClockLock&) = delete;

private:
  ChildProcess holder_;
};

/// What a device's clock was left locked at, in MHz, by processes that were killed; none: it was not. 0: unknown.
std::optional<int> left_clock(const std::filesystem::path& markers, const std::string& device_uuid);

/// Restores it where it was left locked, and says so, or why it cannot be. @param note hears one line; may be empty
void restore_left_clock(const std::filesystem::path& programs, const std::filesystem::path& markers,
                        const std::string& device_uuid,
                        const std::function<void(const std::string&)>& note);

} // namespace gridsmith
