// SPDX-License-Identifier: Apache-2.0
// A file in use, seen from outside: whether it is still the one that was opened. SQLite keeps
// writing into a file that was deleted or replaced, and does not notice one that was cut off.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace gridsmith {

class WatchedFile {
public:
  /// The file may not exist yet: it is then watched from the first look that finds it.
  explicit WatchedFile(std::filesystem::path file);

  /// "was deleted", "was replaced", "was cut off"; nothing: it is as it was, or has grown. A look
  /// costs microseconds.
  std::optional<std::string> look();
  /// Whether the name still leads to the file that was opened.
  bool same() const;

  const std::filesystem::path& path() const { return file_; }

private:
  struct Mark {
    std::uint64_t device, number; ///< of the file system, of the file in it
    std::uint64_t bytes;
  };

  std::optional<Mark> mark() const;

  std::filesystem::path file_; ///< absolute
  std::optional<Mark> known_;
};

} // namespace gridsmith
