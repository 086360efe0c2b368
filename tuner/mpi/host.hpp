// SPDX-License-Identifier: Apache-2.0
// An agent's hands: the helper programs of one node, started as rank 0 says, their streams carried to and
// fro. It never touches CUDA, so that a kernel that crashes ends a worker and no rank.
#pragma once

#include "gridsmith/tuner/gpu/gpu_lock.hpp"
#include "gridsmith/tuner/mpi/letter.hpp"
#include "gridsmith/tuner/mpi/shared_ends.hpp"
#include "gridsmith/tuner/processes/child_process.hpp"
#include "gridsmith/tuner/processes/run_folder.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <vector>

struct pollfd;

namespace gridsmith {

class Host {
public:
  /// @param helpers folder of gridsmith-worker and gridsmith-compiler
  explicit Host(std::filesystem::path helpers) : helpers_(std::move(helpers)) {}

  /// start, data, shortened or close; anything else has no effect.
  void take(const Letter& letter);
  void add_descriptors(std::vector<pollfd>& descriptors) const;
  /// What the programs have said, and which have ended. Waits for nothing.
  std::vector<Letter> work();

private:
  struct Program {
    std::unique_ptr<RunFolder> folder; ///< of a compiler; outlives the child
    ChildProcess child;
  };

  void start(std::uint64_t line, const LineStart& wanted);
  bool lock(std::uint64_t line, const std::string& uuid);

  std::filesystem::path helpers_;
  std::map<std::uint64_t, Program> programs_; ///< by line
  std::map<std::string, GpuLock> locks_;      ///< held until the end, by UUID
  SharedEnds heard_;
  std::vector<Letter> news_;
};

/// Of this machine, as an agent says it.
/// @param index, of count agents on this machine, who share its GPUs and cores
AgentReport agent_report(const std::filesystem::path& helpers, std::size_t index,
                         std::size_t count);

} // namespace gridsmith
