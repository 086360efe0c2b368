// SPDX-License-Identifier: Apache-2.0
// Runs a target over files and folders of files, where there is no libFuzzer: what was found once
// stays mended, with any compiler.
#include "gridsmith/tests/fuzz/fuzz.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>

namespace {

namespace fs = std::filesystem;

void run(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::fprintf(stderr, "%s\n", file.c_str()); // the last line names the guilty one
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

} // namespace

int main(int count, char** words) {
  std::vector<fs::path> files;
  for (int i = 1; i < count; ++i) {
    if (!fs::exists(words[i]))
      continue; // nothing was found yet
    if (!fs::is_directory(words[i])) {
      files.emplace_back(words[i]);
      continue;
    }
    for (const auto& entry : fs::directory_iterator(words[i]))
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files)
    run(file);
  std::printf("%zu inputs replayed\n", files.size());
  return files.empty() ? 1 : 0;
}
