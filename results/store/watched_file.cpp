// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/store/watched_file.hpp"

#include <sys/stat.h>

#include <utility>

namespace gridsmith {

WatchedFile::WatchedFile(std::filesystem::path file)
    : file_(std::filesystem::absolute(std::move(file))), known_(mark()) {
}

std::optional<WatchedFile::Mark> WatchedFile::mark() const {
  struct stat found{};
  if (::stat(file_.c_str(), &found) != 0)
    return std::nullopt;
  return Mark{found.st_dev, found.st_ino, static_cast<std::uint64_t>(found.st_size)};
}

bool WatchedFile::same() const {
  const auto now = mark();
  return known_ && now && now->device == known_->device && now->number == known_->number;
}

std::optional<std::string> WatchedFile::look() {
  const auto now = mark();
  if (known_ && !now)
    return "was deleted";
  if (known_ && !same())
    return "was replaced";
  if (known_ && now->bytes < known_->bytes)
    return "was cut off";
  known_ = now;
  return std::nullopt;
}

} // namespace gridsmith
