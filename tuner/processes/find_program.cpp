// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/processes/find_program.hpp"

#include "gridsmith/tuner/processes/child_process.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> path_folders() {
  std::vector<fs::path> folders;
  const char* path = std::getenv("PATH");
  for (std::string_view rest = path ? path : ""; !rest.empty();) {
    const std::size_t end = rest.find(':');
    if (end != 0)
      folders.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return folders;
}

/// What stands in a compiler's place and keeps what it made, which we do ourselves.
bool is_cache(const fs::path& program) {
  std::error_code error;
  const std::string name = fs::canonical(program, error).filename();
  return name == "ccache" || name == "sccache" || name == "distcc";
}

std::optional<fs::path> find_host_compiler() {
  for (const char* name : {"g++", "c++"})
    for (const fs::path& folder : path_folders())
      if (fs::path file = folder / name; ::access(file.c_str(), X_OK) == 0 && !is_cache(file))
        return file;
  return std::nullopt;
}

} // namespace

std::optional<fs::path> find_program(std::initializer_list<const char*> names,
                                     std::vector<fs::path> folders) {
  const std::vector<fs::path> more = path_folders();
  folders.insert(folders.end(), more.begin(), more.end());
  for (const char* name : names)
    for (const fs::path& folder : folders)
      if (::access((folder / name).c_str(), X_OK) == 0)
        return folder / name;
  return std::nullopt;
}

NvccPrograms find_nvcc(const std::optional<fs::path>& nvcc) {
  std::error_code error;
  std::optional<fs::path> found = nvcc;
  if (nvcc && !fs::is_regular_file(*nvcc, error))
    throw HelperError(nvcc->string() + ": there is no such nvcc");
  if (!found)
    found = find_program({"nvcc"}, {});
  if (!found)
    found = find_program({"nvcc"}, {"/usr/local/cuda/bin", "/opt/cuda/bin"});
  if (!found)
    throw HelperError("there is no nvcc on PATH or in /usr/local/cuda/bin; a definition with "
                      "\"Compiler\": \"nvcc\" needs that of a CUDA toolkit");
  const auto host = find_host_compiler();
  if (!host)
    throw HelperError("nvcc needs a host compiler, and there is no g++ on PATH; install g++");
  return {*found, *host};
}

} // namespace gridsmith
