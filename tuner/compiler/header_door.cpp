// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/compiler/header_door.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

namespace {

/// What fopen below looks at. It has no parameter of ours, so this is the process's.
struct Watch {
  std::mutex mutex;
  const std::vector<std::filesystem::path>* folders = nullptr; ///< none: everything is open
  const std::filesystem::path* own = nullptr;                  ///< likewise
  std::size_t asked = 0;
  std::vector<std::string> refused;
  std::set<std::string> opened;

  bool allows(const char* path, std::string_view mode) {
    const std::lock_guard lock(mutex);
    if (!folders)
      return true;
    const std::string plain = std::filesystem::path(path).lexically_normal().generic_string();
    if (is_kept(plain))
      return true;
    const bool reads = mode.starts_with('r') && mode.find('+') == std::string_view::npos;
    const bool ours =
        reads &&
        std::any_of(folders->begin(), folders->end(), [&](const std::filesystem::path& folder) {
          return plain.starts_with(folder.generic_string() + "/");
        });
    if (ours)
      ++asked;
    else if (std::find(refused.begin(), refused.end(), plain) == refused.end())
      refused.push_back(plain);
    return ours;
  }

  /// What NVRTC calls its precompiled headers and what it needs to make them.
  bool is_kept(const std::string& path) const {
    const std::string start = own->generic_string();
    return !own->empty() &&
           (path.starts_with(start + "/__nvrtc_auto_pch_") || path.starts_with(start + "/edg"));
  }

  void saw(const char* path) {
    const std::lock_guard lock(mutex);
    if (folders)
      opened.insert(std::filesystem::path(path).lexically_normal().generic_string());
  }
};

Watch& watch() {
  static Watch one;
  return one;
}

using Open = std::FILE* (*)(const char*, const char*);

std::FILE* open_watched(const char* path, const char* mode, Open libc) {
  if (watch().allows(path, mode)) {
    std::FILE* const file = libc(path, mode);
    if (file)
      watch().saw(path);
    return file;
  }
  errno = ENOENT; // as if it were not there: the next folder is tried
  return nullptr;
}

template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

} // namespace

// The program's own symbols come before those of libc in every library that it opens.
extern "C" {

std::FILE* fopen(const char* path, const char* mode) {
  static const auto libc = next<Open>("fopen");
  return open_watched(path, mode, libc);
}

std::FILE* fopen64(const char* path, const char* mode) {
  static const auto libc = next<Open>("fopen64");
  return open_watched(path, mode, libc);
}
}

namespace gridsmith {

HeaderDoor::HeaderDoor(std::vector<std::filesystem::path> folders, std::filesystem::path own)
    : folders_(std::move(folders)), own_(std::move(own)) {
  const std::lock_guard lock(watch().mutex);
  watch().folders = &folders_;
  watch().own = &own_;
  watch().asked = 0;
  watch().refused.clear();
  watch().opened.clear();
}

HeaderDoor::~HeaderDoor() {
  const std::lock_guard lock(watch().mutex);
  watch().folders = nullptr;
}

std::size_t HeaderDoor::asked() const {
  const std::lock_guard lock(watch().mutex);
  return watch().asked;
}

std::vector<std::string> HeaderDoor::opened() const {
  const std::lock_guard lock(watch().mutex);
  std::vector<std::string> headers;
  for (const std::string& path : watch().opened)
    if (own_.empty() || !path.starts_with(own_.generic_string() + "/"))
      headers.push_back(path);
  return headers;
}

std::vector<std::string> HeaderDoor::refused() const {
  const std::lock_guard lock(watch().mutex);
  return watch().refused;
}

} // namespace gridsmith
