// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/confinement/wall.hpp"

#include "gridsmith/tuner/confinement/landlock.hpp"
#include "gridsmith/tuner/confinement/system_calls.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace gridsmith {

namespace fs = std::filesystem;

std::string to_text(const Confinement& confinement) {
  std::string stands;
  if (confinement.landlock > 0)
    stands = "confined: Landlock " + std::to_string(confinement.landlock);
  if (confinement.system_calls)
    stands += stands.empty() ? "confined: seccomp" : ", seccomp";
  if (stands.empty())
    return "not confined: " + confinement.missing;
  return stands + (confinement.missing.empty() ? "" : " alone: " + confinement.missing);
}

Confinement confine(const Wall& wall) {
  Confinement confinement;
  const auto miss = [&](const std::string& what) {
    confinement.missing += (confinement.missing.empty() ? "" : "; ") + what;
  };
  if (wall.longest_file > 0) {
    std::signal(SIGXFSZ, SIG_IGN); // a file that grows too long is an error, not the end
    const rlimit limit{wall.longest_file, wall.longest_file};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    confinement.missing = std::string("no_new_privs: ") + std::strerror(errno);
    return confinement; // the other two stand on it
  }
  if (const LandlockAnswer files = restrict_files(wall); files.missing.empty())
    confinement.landlock = files.version;
  else
    miss(files.missing);
  if (const std::string missing = restrict_system_calls(wall); missing.empty())
    confinement.system_calls = true;
  else
    miss(missing);
  return confinement;
}

Wall compiler_wall(std::vector<fs::path> readable, const fs::path& run_folder,
                   std::vector<fs::path> programs) {
  Wall wall;
  wall.readable = std::move(readable);
  wall.programs = std::move(programs);
  if (!run_folder.empty())
    wall.writable = {run_folder};
  if (!wall.programs.empty())
    wall.writable.emplace_back("/dev/null");
  wall.longest_file = 256u << 20; // the largest that NVRTC was seen to write has 178 MB
  return wall;
}

namespace {

/// nvidia0, nvidiactl, nvidia-uvm, nvidia-caps/…; dxg: under Windows; gdrdrv: GPUDirect copies.
bool is_gpu_device(const std::string& name) {
  return name.starts_with("nvidia") || name == "dxg" || name == "gdrdrv";
}

} // namespace

Wall worker_wall() {
  Wall wall;
  wall.readable = {"/"};
  // In /proc libcuda names its threads; ~/.nv is the driver's own cache.
  wall.writable = {"/dev/null", "/dev/shm", "/proc/self", "/tmp", "/var/tmp"};
  std::error_code error;
  for (fs::directory_iterator at("/dev", error), end; !error && at != end; at.increment(error))
    if (const std::string name = at->path().filename(); is_gpu_device(name))
      wall.writable.push_back(at->path());
  for (const char* variable : {"TMPDIR", "CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_LOG_DIRECTORY",
                               "CUDA_CACHE_PATH"}) // the driver's own words, not ours
    if (const char* folder = std::getenv(variable); folder && *folder)
      wall.writable.emplace_back(folder);
  if (const char* home = std::getenv("HOME"); home && *home)
    wall.writable.push_back(fs::path(home) / ".nv");
  wall.network = true;
  wall.programs = {"/"};
  wall.neighbours = true;
  wall.foreign_files = true; // Landlock keeps the content; libcuda sets modes of what it makes
  return wall;
}

} // namespace gridsmith
