// SPDX-License-Identifier: Apache-2.0
// A private folder of one owner, gone when that is: all that a compiler process may write, a revision's files.
#pragma once

#include <cstdint>
#include <filesystem>

namespace gridsmith {

/// Move-only; removes the folder with all that is in it. Those of owners that were killed go with
/// the next that is made.
class RunFolder {
public:
  /// In the folder for temporary files, for this user alone. Where none can be made the path is
  /// empty: such a compiler writes nothing.
  RunFolder();
  ~RunFolder();
  RunFolder(RunFolder&& other) noexcept;
  RunFolder& operator=(RunFolder&& other) noexcept;

  const std::filesystem::path& path() const { return path_; }

  /// Of all files in it.
  std::uintmax_t bytes() const;

private:
  std::filesystem::path path_;
  int lock_ = -1; ///< held as long as the owner lives, so that nobody takes it for left behind
};

} // namespace gridsmith
