// SPDX-License-Identifier: Apache-2.0
// What a compilation may read, and what it asked for. NVRTC opens headers with fopen, which this
// program defines itself: while a HeaderDoor stands, only files of the toolkit's folders are opened,
// for reading. All else that a compilation needs came with its source, so that nothing that is not
// part of its key can have been read.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace gridsmith {

/// One at a time in a process, for all of its threads.
class HeaderDoor {
public:
  /// @param folders what lies below them may be read; absolute
  /// @param own where NVRTC keeps precompiled headers, which it writes and reads; "": nowhere
  explicit HeaderDoor(std::vector<std::filesystem::path> folders, std::filesystem::path own = {});
  ~HeaderDoor();
  HeaderDoor(const HeaderDoor&) = delete;
  HeaderDoor& operator=(const HeaderDoor&) = delete;

  /// Toolkit headers that were opened, found or not. 0 after a compilation that includes one: this
  /// NVRTC opens its headers in a way that is not seen here.
  std::size_t asked() const;
  /// Those of them that are there; each once.
  std::vector<std::string> opened() const;
  /// Files elsewhere that were asked for and not opened; each once.
  std::vector<std::string> refused() const;

private:
  std::vector<std::filesystem::path> folders_;
  std::filesystem::path own_;
};

} // namespace gridsmith
