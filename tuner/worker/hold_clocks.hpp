// SPDX-License-Identifier: Apache-2.0
// Locks a device's SM clock for as long as somebody holds the other end of standard input, and
// restores it whatever ended that: the tuner's last line, a crash, kill -9.
#pragma once

#include <filesystem>
#include <string>

namespace gridsmith {

/// Locks the SM clock of the device with this UUID ("GPU-…"), says "locked" or one line of reason
/// on standard output, waits for the end of standard input, and restores. Needs root and the
/// driver's management library, which is opened at run time. Returns the exit code of the process.
/// @param marker a file that is there, and locked (flock), while the clock is; "": none. Where this process is killed
/// too it stays, unlocked.
int hold_clocks(const std::string& uuid, unsigned sm_clock_mhz,
                const std::filesystem::path& marker);

/// Says "restored" or one line of reason. Exit code as above.
int restore_clocks(const std::string& uuid);

} // namespace gridsmith
