// SPDX-License-Identifier: Apache-2.0
// Files and folders of tests.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

namespace gridsmith::test {

/// A folder of its own, removed at the end.
class Folder {
public:
  Folder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "gridsmith-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }

  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  const std::filesystem::path& path() const { return path_; }

private:
  std::filesystem::path path_;
};

inline void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

/// "" where there is none, or a process that it is of ends meanwhile.
inline std::string read_file(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

} // namespace gridsmith::test
