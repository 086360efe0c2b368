// SPDX-License-Identifier: Apache-2.0
// The wall around a helper process: what it may still do once it stands. Made of no_new_privs,
// Landlock and seccomp; where the system lacks one of them, the others stand. It is for ever, for
// this process alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace gridsmith {

struct Wall {
  std::vector<std::filesystem::path> readable; ///< these files, and what is below these folders
  std::vector<std::filesystem::path> writable; ///< likewise; may be read too
  /// Programs that may be started, and those below these folders; readable or not. None: no fork, no exec.
  std::vector<std::filesystem::path> programs;
  std::uint64_t longest_file = 0; ///< bytes that a file may grow to; 0: any
  bool network = false; ///< sockets other than those that are open, System V's memory and the like
  bool neighbours = false;    ///< signals to other processes, their priority; namespaces
  bool foreign_files = false; ///< owner, mode, times and flags of files may be changed
};

/// What stands.
struct Confinement {
  int landlock = 0;          ///< version of its interface; 0: none
  bool system_calls = false; ///< seccomp
  std::string missing;       ///< why not all of it stands; "" when it does
};

/// "confined: Landlock 7, seccomp", "confined: seccomp alone: …", "not confined: …".
std::string to_text(const Confinement& confinement);

/// Confines this process. Call it before the process has a second thread: Landlock holds for the
/// calling thread and those that it starts. What is beyond the wall fails with EACCES or EPERM,
/// never with a signal. Never throws: what cannot be had is in the answer.
Confinement confine(const Wall& wall);

/// A compiler reads its toolkit and what the definition may read, and writes in its run folder.
/// Sources and cubins come and go over the socket that it has.
/// @param programs that it starts (nvcc's), each by its file
Wall compiler_wall(std::vector<std::filesystem::path> readable,
                   const std::filesystem::path& run_folder,
                   std::vector<std::filesystem::path> programs = {});

/// A worker reads everything, and writes where the driver and CUPTI do: devices, temporary files,
/// pipes of MPS. They may open sockets and start programs (nvidia-modprobe).
Wall worker_wall();

} // namespace gridsmith
