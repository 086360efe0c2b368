// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/file.hpp"
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/metrics/counters/attached_profiler.hpp"
#include "gridsmith/results/header/read_header.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/definitions/partial.hpp"
#include "gridsmith/tuner/cli/guard/profiler_command.hpp"
#include "gridsmith/tuner/cli/interrupts.hpp"
#include "gridsmith/tuner/cli/words.hpp"
#include "gridsmith/tuner/gpu/device_list.hpp"
#include "gridsmith/tuner/gpu/gpu_lock.hpp"
#include "gridsmith/tuner/guard/profiler_run.hpp"
#include "gridsmith/tuner/session/session.hpp"
#include "gridsmith/tuner/session/usual_configuration.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>

namespace gridsmith {
namespace {

std::vector<Shipment> shipments_of(const std::string& file) {
  const std::string text = read_unpacked(file);
  try {
    return read_header(text);
  } catch (const InputError& error) {
    throw InputError(file + ": " + error.what());
  }
}

/// What a header of ours ships for this device and problem. @throws InputError: nothing
UsualConfiguration choice_of_header(const std::string& file, const KernelInstance& instance) {
  const std::string &kernel = instance.definition.name,
                    device = device_identifier(instance.device.name);
  std::vector<std::string> sizes, others;
  for (const Shipment& one : shipments_of(file)) {
    others.push_back(one.kernel + " for " + one.identifier);
    if (one.kernel != kernel || one.identifier != device)
      continue;
    for (const PreviousChoice& choice : one.choices) {
      if (choice.problem == instance.problem) {
        if (const auto allowed = in_space(choice.configuration, instance))
          return {*allowed, "shipped by " + file};
        throw InputError(fmt::format("{}: ships {}, which its definition does not allow any more",
                                     file, to_text(choice.configuration)));
      }
      sizes.push_back(to_text(choice.problem));
    }
  }
  if (sizes.empty())
    throw InputError(fmt::format("{}: ships nothing of {} for {} (it has {})", file, kernel, device,
                                 fmt::join(others, ", ")));
  throw InputError(fmt::format("{}: {} was not measured for it (it has {})", file,
                               to_text(instance.problem), fmt::join(sizes, ", ")));
}

constexpr const char* run_footer =
    "Example:\n"
    "  gridsmith run transpose --size 8192x8192\n"
    "  gridsmith run transpose --size 8192x8192 --print-command ncu\n"
    "\n"
    "Runs one configuration under a profiler. The launches are in an NVTX range \"KERNEL | "
    "CONFIGURATION | launch\" of the domain gridsmith and between cudaProfilerStart and "
    "cudaProfilerStop; warm-up launches are not. Gridsmith verifies, times and counts nothing, and "
    "leaves CUPTI to the profiler. Data that a launch changes in place is not restored between "
    "launches. 'gridsmith check --ncu FILE' compares the profiler's files.\n"
    "\n"
    "Default configuration: the best in the store for this device, else the definition's default.";

class RunCommand final : public Command {
public:
  RunCommand(CLI::App& app, const Installation& installation);
  void run() override;

private:
  void add_configuration_options();
  void add_launch_options();
  std::vector<std::string> words() const;
  void print_command(const KernelDefinition& definition) const;
  UsualConfiguration choice_of_store(const KernelInstance& instance) const;
  UsualConfiguration choice_of(const KernelInstance& instance) const;
  ProfilerRun profiler_run() const;
  void report(const KernelInstance& instance, const UsualConfiguration& choice) const;

  std::string kernel_, size_, configuration_, store_ = usual_store, header_, tool_;
  std::vector<std::filesystem::path> include_;
  int gpu_ = 0;
  std::size_t launches_ = 5, warm_ups_ = 2;
  bool best_ = false, json_ = false;
  HelperSettings helpers_{.installation = installation_};
};

RunCommand::RunCommand(CLI::App& app, const Installation& installation)
    : Command(app, installation, "run", "Launch one configuration under a profiler") {
  line_.footer(run_footer);
  add_kernel_option(line_, kernel_);
  add_configuration_options();
  add_launch_options();
  add_json_option(line_, json_);
}

void RunCommand::add_configuration_options() {
  add_configuration_option(line_, configuration_);
  add_size_option(line_, size_);
  CLI::Option* best =
      line_.add_flag("--best", best_, "The best in the store; fail if there is none");
  CLI::Option* header =
      line_.add_option("--header", header_, "The configuration that this header ships")
          ->type_name("FILE")
          ->excludes(best);
  line_.get_option("--configuration")->excludes(best)->excludes(header);
  add_store_option(line_, store_);
}

void RunCommand::add_launch_options() {
  line_.add_option("--launches", launches_, "What to launch")
      ->capture_default_str()
      ->check(count_from(1, 1'000'000));
  line_.add_option("--warm-ups", warm_ups_, "Warm-up launches")
      ->capture_default_str()
      ->check(count_from(0, 1'000'000));
  add_gpu_option(line_, gpu_);
  add_include_option(line_, include_);
  line_
      .add_option("--print-command", tool_,
                  "Only print the command for a profiler: ncu, nsys or nvprof")
      ->type_name("TOOL")
      ->check(suggested({"ncu", "nsys", "nvprof"}));
  add_no_cache_option(line_, helpers_, "Compile again, without caches");
  add_share_option(line_, helpers_);
  add_unconfined_option(
      line_, helpers_,
      "Run compiler and worker without a sandbox; automatic if a profiler is detected");
}

/// This command again, without what asked for the profiler's. Under a profiler helpers are unconfined.
std::vector<std::string> RunCommand::words() const {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  std::vector<std::string> words{error ? "gridsmith" : program.string(), "run", kernel_};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty())
      words.insert(words.end(), {name, value});
  };
  add("--size", size_);
  add("--configuration", configuration_);
  add("--header", header_);
  add("--store", store_ == usual_store ? "" : store_);
  for (const auto& folder : include_)
    add("--include", folder.string());
  add("--gpu", gpu_ == 0 ? "" : std::to_string(gpu_));
  add("--launches", std::to_string(launches_));
  add("--warm-ups", std::to_string(warm_ups_));
  const std::pair<const char*, bool> flags[] = {{"--best", best_},
                                                {"--no-cache", !helpers_.cache},
                                                {"--share", helpers_.share},
                                                {"--unconfined", true}};
  for (const auto& [name, wanted] : flags)
    if (wanted)
      words.emplace_back(name);
  return words;
}

/// Where there is no device the command is for another machine.
void RunCommand::print_command(const KernelDefinition& definition) const {
  const auto tool = from_text<ProfilerTool>(tool_);
  const DeviceList here = query_devices(installation_.programs);
  const std::string chip = gpu_ < std::ssize(here.devices) ? here.at(gpu_).chip : "";
  print(shell_line(profiler_command(tool, words(), definition.name, chip)) + "\n");
}

UsualConfiguration RunCommand::choice_of_store(const KernelInstance& instance) const {
  const std::string& kernel = instance.definition.name;
  const std::optional<Holding> held =
      newest_tuning(store_, {kernel, to_text(instance.problem), instance.device.name});
  UsualConfiguration usual = usual_configuration(instance, held);
  if (best_ && !usual.is_best)
    throw InputError(fmt::format("{} contains no best configuration of {} {} on {}; 'gridsmith "
                                 "tune {}' finds one",
                                 store_, kernel, to_text(instance.problem), instance.device.name,
                                 kernel));
  return usual;
}

UsualConfiguration RunCommand::choice_of(const KernelInstance& instance) const {
  return named_configuration(configuration_, instance, [&] {
    return header_.empty() ? choice_of_store(instance) : choice_of_header(header_, instance);
  });
}

ProfilerRun RunCommand::profiler_run() const {
  ProfilerRun run;
  run.warm_ups = static_cast<int>(warm_ups_);
  run.launches = static_cast<int>(launches_);
  run.note = [](const std::string& line) { note(line); };
  run.helpers = helpers_;
  if (const std::string profiler = attached_profiler(); run.helpers.confined && !profiler.empty()) {
    note(profiler + ": compiler and worker are not confined, so that it can");
    run.helpers.confined = false;
  }
  return run;
}

void RunCommand::report(const KernelInstance& instance, const UsualConfiguration& choice) const {
  const std::string profiler = attached_profiler();
  if (json_) {
    const nlohmann::ordered_json json = {{"kernel", instance.definition.name},
                                         {"problem", to_text(instance.problem)},
                                         {"device", instance.device.name},
                                         {"configuration", object_of(choice.configuration)},
                                         {"because", choice.origin},
                                         {"warm_ups", warm_ups_},
                                         {"launches", launches_},
                                         {"profiler", profiler}};
    return print(json_text(json, 2) + "\n");
  }
  print(printable(fmt::format("{} {} on {}: {} ({})", instance.definition.name,
                              to_text(instance.problem), instance.device.name,
                              to_text(choice.configuration), choice.origin)) +
        "\n");
  print(fmt::format("{} after {}, not verified; {}\n", counted(launches_, "launch"),
                    counted(warm_ups_, "warm-up"),
                    profiler.empty() ? "no profiler watched" : profiler));
}

void RunCommand::run() {
  const KernelDefinition definition =
      read_definition(find_definition(kernel_, installation_.catalogue), include_);
  const ProblemSize problem = problem_of(definition, size_);
  check_problem(definition, problem);
  if (!tool_.empty())
    return print_command(definition);
  const KernelInstance instance =
      instantiate(definition, problem,
                  query_devices(installation_.programs)
                      .at(gpu_, "--print-command prints a profiler's command for another machine"));
  const UsualConfiguration choice = choice_of(instance);
  const Interrupts interrupts;
  try {
    const Execution execution =
        run_for_profiler(instance, choice.configuration, profiler_run(), interrupts.token());
    if (!execution.correct())
      throw CommandFailed(exit_failed,
                          fmt::format("{}: {}", to_text(choice.configuration), execution.reason));
  } catch (const StoppedWaiting& stopped) {
    throw CommandFailed(exit_interrupted, stopped.what());
  }
  report(instance, choice);
}

} // namespace

extern const AddCommand add_run_command = add_command<RunCommand>;

} // namespace gridsmith
