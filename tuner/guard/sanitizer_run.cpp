// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/guard/sanitizer_run.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/file.hpp"
#include "gridsmith/results/judge/sanitizer_log.hpp"
#include "gridsmith/tuner/guard/watched_launch.hpp"
#include "gridsmith/tuner/processes/find_program.hpp"
#include "gridsmith/tuner/processes/run_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <future>
#include <string>
#include <utility>
#include <vector>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes longest_run{1};
constexpr std::size_t longest_log = std::size_t{16} << 20; // bytes

struct Sanitizer {
  const char *name, *code; ///< and that of what it finds
  GateState state;
  /// Only the kernel is watched. A tool that has to see all writes watches everything.
  bool only_kernel = true;
};

/// The first that finds something decides.
constexpr std::array tools{
    Sanitizer{"memcheck", "memory_error", GateState::failed},
    Sanitizer{"synccheck", "barrier_error", GateState::failed},
    Sanitizer{"racecheck", "shared_memory_race", GateState::doubtful},
    Sanitizer{"initcheck", "uninitialised_read", GateState::doubtful, /*only_kernel*/ false}};

struct SanitizerAnswer {
  SanitizerLog log;
  std::string problem; ///< why there is none; "": there is
};

std::vector<std::string> words_of(const Sanitizer& tool, const fs::path& program,
                                  const fs::path& log, const std::string& kernel) {
  std::vector<std::string> words{program.string(),
                                 "--tool",
                                 tool.name,
                                 "--log-file",
                                 log.string(),
                                 "--check-exit-code",
                                 "no",
                                 "--target-processes",
                                 "application-only",
                                 "--require-cuda-init",
                                 "no"};
  if (tool.only_kernel)
    words.insert(words.end(), {"--kernel-name", "kernel_name=" + kernel});
  return words;
}

SanitizerAnswer run_tool(const Sanitizer& tool, const fs::path& program, const fs::path& folder,
                         const std::string& kernel, const CheckSubject& subject,
                         const ProfilerRun& run, const std::stop_token& stop) {
  const fs::path logs = folder / tool.name;
  fs::create_directory(logs);
  WorkerSettings settings = worker_settings(run.helpers);
  settings.confined = false;
  settings.under = words_of(tool, program, logs / "%p", subject.code->kernel);
  settings.limits.stage_limit = longest_run;
  SanitizerAnswer answer;
  try {
    const Execution execution = launch_watched(
        std::move(settings), *subject.instance,
        {1, to_text(subject.now.configuration),
         Launchable{subject.code->cubin, subject.code->kernel, subject.now.geometry}},
        subject.device_code->cubin, run, stop);
    if (!execution.correct())
      answer.problem = execution.reason;
  } catch (const Error& error) { // a fault that it found ends the worker
    answer.problem = error.what();
  }
  for (const fs::directory_entry& log :
       fs::directory_iterator(logs)) // one of each start of the worker
    if (const auto text = read_regular(log.path(), longest_log); text && answer.log.findings == 0)
      answer.log = read_sanitizer_log(*text, kernel);
  if (answer.log.findings > 0)
    answer.problem.clear();
  else if (!answer.log.whole && answer.problem.empty())
    answer.problem = "it wrote no summary";
  return answer;
}

std::string text_of(const Sanitizer& tool, const CheckSubject& subject,
                    const SanitizerAnswer& answer) {
  return fmt::format("{}, {}: {}{}", tool.name, subject.now.problem, answer.log.first,
                     answer.log.findings > 1 ? fmt::format(" and {} more", answer.log.findings - 1)
                                             : "");
}

} // namespace

GateFinding clean_gate(const CheckSubject& subject, const std::string& kernel, std::uint64_t seed,
                       const HelperSettings& helpers, const std::stop_token& stop) {
  auto program = find_program({"compute-sanitizer"}, {});
  if (!program)
    program = find_program({"compute-sanitizer"}, {"/usr/local/cuda/bin"});
  if (!program)
    return {JudgeGate::clean, GateState::not_run, "no_sanitizer", ""};
  const RunFolder folder;
  const ProfilerRun run{.warm_ups = 0, .launches = 1, .seed = seed, .helpers = helpers};
  std::vector<std::future<SanitizerAnswer>> answers;
  answers.reserve(tools.size());
  for (const Sanitizer& tool : tools)
    answers.push_back(std::async(std::launch::async, [&] {
      return run_tool(tool, *program, folder.path(), kernel, subject, run, stop);
    }));
  std::vector<SanitizerAnswer> all;
  all.reserve(tools.size());
  for (auto& answer : answers)
    all.push_back(answer.get());
  for (std::size_t i = 0; i < tools.size(); ++i)
    if (all[i].log.findings > 0)
      return {JudgeGate::clean, tools[i].state, tools[i].code, text_of(tools[i], subject, all[i])};
  for (std::size_t i = 0; i < tools.size(); ++i)
    if (!all[i].problem.empty())
      return {JudgeGate::clean, GateState::not_run, "sanitizer_failed",
              fmt::format("{}: {}", tools[i].name, all[i].problem)};
  return {JudgeGate::clean, GateState::passed, "clean", ""};
}

} // namespace gridsmith
