// SPDX-License-Identifier: Apache-2.0
// The SM clock, locked on request and always restored: a child process holds it for as long as this
// object, or the tuner, lives.
#pragma once

#include "gridsmith/tuner/processes/child_process.hpp"

#include <filesystem>
#include <string>

namespace gridsmith {

class ClockLock {
public:
  /// @throws HelperError with the reason when the clock cannot be locked.
  ClockLock(const std::filesystem::path& programs, const std::string& device_uuid,
            int sm_clock_mhz);
  ~ClockLock(); ///< waits until the clock is restored
  ClockLock(const ClockLock&) = delete;
  ClockLock& operator=(const ClockLock&) = delete;

private:
  ChildProcess holder_;
};

} // namespace gridsmith
