// SPDX-License-Identifier: Apache-2.0
// tune --all as a job for a batch system: one task per kernel and group of sizes, each with a store of its
// own, and what makes one store of them.
#pragma once

#include "gridsmith/kernels/definition/problem_size.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

struct BatchJob {
  struct Task {
    std::filesystem::path definition;
    std::vector<ProblemSize> sizes = {}; ///< none: all that it has
  };

  std::vector<Task> tasks;
  std::vector<std::string> options; ///< of the campaign, without those below
  std::filesystem::path into;       ///< as of --into: parts and results
  std::filesystem::path store;      ///< that takes the parts
  /// Of all tasks together, divided among them; none: as long as it takes.
  std::optional<double> seconds;
  std::optional<std::uint64_t> evaluations;
};

/// A task, or several where one would have so many sizes that its wall-time is long; neighbours in the
/// list stay together, as they learn from each other.
std::vector<BatchJob::Task> size_groups(const std::filesystem::path& definition,
                                        const std::vector<ProblemSize>& sizes);

/// A line for a shell per task, then what makes one store and one header of them.
std::string plain_text(const BatchJob& job);
/// A script for sbatch: an array of these tasks. Submitted again it goes on where it stopped.
std::string slurm_text(const BatchJob& job);

} // namespace gridsmith
