// SPDX-License-Identifier: Apache-2.0
// One Gridsmith at a time measures on a GPU: two would disturb each other's times and take each
// other's counters. The lock is a file per GPU in a folder that all users of the machine share, and
// the system's (flock), so it ends with the process that has it, whatever ended that. A container
// with such a folder of its own is not seen. What the file says is never trusted, only shown.
#pragma once

#include "gridsmith/base/error.hpp"
#include "gridsmith/metrics/device/device.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

namespace gridsmith {

/// /run/lock, else /tmp: the first that everybody may write to and nobody empty. "" where there is
/// neither.
std::filesystem::path gpu_lock_folder();

class GpuLock {
public:
  /// Nothing is locked yet.
  /// @param uuid of the GPU, "GPU-…"
  GpuLock(const std::filesystem::path& folder, const std::string& uuid);
  /// Gives it back.
  ~GpuLock();
  GpuLock(const GpuLock&) = delete;
  GpuLock& operator=(const GpuLock&) = delete;

  /// Whether it is ours now; never waits.
  /// @throws Error when the file is no file of ours or cannot be opened
  bool take();
  /// Who says to have it: "gridsmith (pid 123, user ann)"; "another Gridsmith" where nothing is
  /// said.
  std::string holder() const;

private:
  std::filesystem::path file_;
  int descriptor_ = -1;
};

/// A stop was requested while another Gridsmith had the GPU.
class StoppedWaiting : public Error {
public:
  using Error::Error;
};

/// The right to measure on one GPU, for as long as this lives.
class GpuLease {
public:
  /// Waits until the lock is ours and says once who has it. With `share` it does not wait. Where
  /// there can be no lock, a note says so and it does not wait; nor on a GPU without a UUID.
  /// @param note hears one line for people; may be empty
  /// @param folder of the locks; "": there is none
  /// @throws StoppedWaiting
  GpuLease(const Device& device, bool share, const std::function<void(const std::string&)>& note,
           const std::stop_token& stop, const std::filesystem::path& folder = gpu_lock_folder());

  /// False: another Gridsmith measures on this GPU at the same time.
  bool alone() const { return alone_; }

private:
  std::optional<GpuLock> lock_;
  bool alone_ = true;
};

} // namespace gridsmith
