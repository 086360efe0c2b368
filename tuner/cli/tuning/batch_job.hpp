// tune --all as a job for a batch system: one task per kernel, each with a store of its own, and what
// makes one store of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

struct BatchJob {
  std::vector<std::filesystem::path> definitions; ///< a task each
  std::vector<std::string> options;               ///< of the campaign, without those below
  std::filesystem::path into;                     ///< as of --into: parts and results
  std::filesystem::path store;                    ///< that takes the parts
  /// Of all tasks together, divided among them; none: as long as it takes.
  std::optional<double> seconds;
  std::optional<std::uint64_t> evaluations;
};

/// A line for a shell per task, then what makes one store and one header of them.
std::string plain_text(const BatchJob& job);
/// A script for sbatch: an array of these tasks. Submitted again it goes on where it stopped.
std::string slurm_text(const BatchJob& job);

} // namespace gridsmith
