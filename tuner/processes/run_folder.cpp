// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/processes/run_folder.hpp"

#include "gridsmith/base/folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace gridsmith {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view name_start = "gridsmith-run-";

/// The folder's descriptor with its lock; -1: another process has it, or it is another user's.
int locked(const fs::path& folder) {
  const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat facts{};
  if (opened >= 0 && ::fstat(opened, &facts) == 0 && facts.st_uid == ::geteuid() &&
      ::flock(opened, LOCK_EX | LOCK_NB) == 0)
    return opened;
  if (opened >= 0)
    ::close(opened);
  return -1;
}

/// Folders that nobody holds.
void remove_left_behind(const fs::path& parent) {
  std::error_code error;
  for (const auto& entry : entries_of(parent, error)) {
    if (!entry.path().filename().string().starts_with(name_start))
      continue;
    const int lock = locked(entry.path());
    if (lock < 0)
      continue;
    std::error_code ignored;
    fs::remove_all(entry.path(), ignored);
    ::close(lock);
  }
}

} // namespace

RunFolder::RunFolder() {
  std::error_code error;
  fs::path parent = fs::temp_directory_path(error);
  if (error)
    parent = "/tmp"; // TMPDIR names none
  remove_left_behind(parent);
  constexpr int attempts = 3; // another process may tidy between the next two steps
  for (int i = 0; i < attempts && lock_ < 0; ++i) {
    std::string pattern = (parent / name_start).string() + "XXXXXX";
    if (!::mkdtemp(pattern.data()))
      return;
    lock_ = locked(pattern);
    if (lock_ >= 0 && ::access(pattern.c_str(), F_OK) != 0)
      ::close(std::exchange(lock_, -1));
    if (lock_ >= 0)
      path_ = fs::canonical(pattern, error);
  }
}

RunFolder::~RunFolder() {
  std::error_code ignored;
  if (!path_.empty())
    fs::remove_all(path_, ignored);
  if (lock_ >= 0)
    ::close(lock_);
}

std::uintmax_t RunFolder::bytes() const {
  std::uintmax_t sum = 0;
  std::error_code error; // its owner writes, renames and removes meanwhile
  for (const auto& entry : entries_below(path_, error)) {
    std::error_code gone;
    if (const std::uintmax_t size = entry.file_size(gone); !gone)
      sum += size;
  }
  return sum;
}

RunFolder::RunFolder(RunFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {
}

RunFolder& RunFolder::operator=(RunFolder&& other) noexcept {
  std::swap(path_, other.path_); // the old one goes with the other
  std::swap(lock_, other.lock_);
  return *this;
}

} // namespace gridsmith
