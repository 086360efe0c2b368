// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tests/fuzz/fuzz.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace gridsmith::fuzz {
namespace {

namespace fs = std::filesystem;

class Folder {
public:
  Folder() {
    const bool memory = ::access("/dev/shm", W_OK) == 0;
    std::string pattern =
        ((memory ? fs::path("/dev/shm") : fs::temp_directory_path()) / "gridsmith-fuzz-XXXXXX")
            .string();
    require(::mkdtemp(pattern.data()) != nullptr, pattern + ": cannot be made");
    path_ = pattern;
  }

  ~Folder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }

  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const fs::path& path() const { return path_; }

private:
  fs::path path_;
};

/// The one that this program was started as.
Target started_target() {
  constexpr std::string_view prefix = "fuzz_";
  const std::string_view name = program_invocation_short_name;
  const Target target =
      name.starts_with(prefix) ? find_target(name.substr(prefix.size())) : nullptr;
  require(target != nullptr, std::string(name) + " is not the name of a target");
  return target;
}

} // namespace

void require(bool holds, const std::string& what) {
  if (holds)
    return;
  std::fprintf(stderr, "broken promise: %s\n", what.c_str());
  std::abort();
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

const fs::path& folder() {
  static const Folder folder;
  return folder.path();
}

fs::path file_with(std::string_view content, const std::string& name) {
  fs::path file = folder() / name;
  std::ofstream(file, std::ios::binary)
      .write(content.data(), static_cast<std::streamsize>(content.size()));
  return file;
}

} // namespace gridsmith::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  static const gridsmith::fuzz::Target target = gridsmith::fuzz::started_target();
  target(bytes, count);
  return 0;
}
