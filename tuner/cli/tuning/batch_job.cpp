// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/cli/tuning/batch_job.hpp"

#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/tuner/presentation/answer_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

constexpr int notice_s =
    60; // before the wall-time: what runs is finished and stored within seconds
constexpr std::size_t most_sizes = 8; // of a task
constexpr int start_s = 300;          // beside the budget: processes, search spaces, finals

/// Absolute, as a batch system starts its tasks where it likes.
std::string word_of(const fs::path& path) {
  return shell_word(fs::absolute(path).lexically_normal().string());
}

/// "parts/3" below --into; names of kernels may be alike in two folders.
fs::path part(const BatchJob& job, std::size_t task) {
  return job.into / "parts" / std::to_string(task + 1);
}

std::string command_of(const BatchJob& job, std::size_t task) {
  std::string text = "gridsmith tune --all " + word_of(job.tasks[task].definition);
  for (std::size_t i = 0; i < job.tasks[task].sizes.size(); ++i)
    text += (i == 0 ? " --sizes " : ",") + to_text(job.tasks[task].sizes[i]);
  for (const std::string& option : job.options)
    text += ' ' + shell_word(option);
  const auto tasks = static_cast<double>(job.tasks.size());
  if (job.seconds)
    text += fmt::format(" --seconds {:.0f}", std::max(1.0, std::ceil(*job.seconds / tasks)));
  if (job.evaluations)
    text += fmt::format(" --evaluations {:.0f}",
                        std::max(1.0, std::ceil(static_cast<double>(*job.evaluations) / tasks)));
  return text + fmt::format(" --store {} --into {}", word_of(part(job, task) / "part.db"),
                            word_of(part(job, task)));
}

std::string folders(const BatchJob& job) {
  std::string text = "mkdir -p";
  for (std::size_t task = 0; task < job.tasks.size(); ++task)
    text += ' ' + word_of(part(job, task));
  return text + '\n';
}

/// Each once, as the header of a kernel that is not in the catalogue needs it.
std::string definitions_of(const BatchJob& job) {
  std::string text;
  fs::path last; // those of one definition stand together
  for (const BatchJob::Task& task : job.tasks)
    if (!is_of_catalogue(task.definition) &&
        std::exchange(last, task.definition) != task.definition)
      text += " --definition " + word_of(task.definition);
  return text;
}

std::string end_of(const BatchJob& job) {
  std::string text = "gridsmith merge";
  for (std::size_t task = 0; task < job.tasks.size(); ++task)
    text += ' ' + word_of(part(job, task) / "part.db");
  const std::string store = word_of(job.store);
  return text + fmt::format(" --into {}\ngridsmith export header {}{} -o {}\n", store, store,
                            definitions_of(job), word_of(job.into / "tuned.hpp"));
}

/// As --time takes it, rounded up to minutes.
std::string wall_time_text(double seconds) {
  const auto minutes = static_cast<long>(std::ceil(seconds / 60));
  return fmt::format("{:02}:{:02}:00", minutes / 60, minutes % 60);
}

} // namespace

std::vector<BatchJob::Task> size_groups(const fs::path& definition,
                                        const std::vector<ProblemSize>& sizes) {
  const std::size_t groups = (sizes.size() + most_sizes - 1) / most_sizes;
  if (groups < 2)
    return {{definition, sizes}};
  std::vector<BatchJob::Task> tasks;
  for (std::size_t i = 0; i < groups; ++i) {
    const auto at = [&](std::size_t group) {
      return sizes.begin() + static_cast<std::ptrdiff_t>(group * sizes.size() / groups);
    };
    tasks.push_back({definition, {at(i), at(i + 1)}});
  }
  return tasks;
}

std::string plain_text(const BatchJob& job) {
  std::string text = folders(job);
  for (std::size_t task = 0; task < job.tasks.size(); ++task)
    text += command_of(job, task) + '\n';
  return text + end_of(job);
}

std::string slurm_text(const BatchJob& job) {
  const std::size_t tasks = job.tasks.size();
  std::string text =
      fmt::format("#!/bin/sh\n"
                  "# sbatch this file; sbatch it again and it goes on where it stopped.\n"
                  "#SBATCH --job-name=gridsmith\n"
                  "#SBATCH --array=1-{}\n"
                  "#SBATCH --gpus=1\n"
                  "#SBATCH --requeue\n"
                  "#SBATCH --signal=B:INT@{}\n",
                  tasks, notice_s);
  if (job.seconds)
    text +=
        fmt::format("#SBATCH --time={}\n",
                    wall_time_text(*job.seconds / static_cast<double>(tasks) + start_s + notice_s));
  text += folders(job) + "case $SLURM_ARRAY_TASK_ID in\n";
  for (std::size_t task = 0; task < tasks; ++task)
    text += fmt::format("{}) exec {} ;;\n", task + 1, command_of(job, task));
  text += "esac\n# When all tasks have ended:\n";
  std::string end = end_of(job);
  for (std::size_t at = 0; at < end.size(); at = end.find('\n', at) + 1)
    text += "#   " + end.substr(at, end.find('\n', at) - at) + '\n';
  return text;
}

} // namespace gridsmith
