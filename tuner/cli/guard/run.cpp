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
#include <memory>
#include <optional>

namespace gridsmith {
namespace {

struct RunOptions {
  std::string kernel, size, configuration, store = "gridsmith.db", header, tool;
  std::vector<std::filesystem::path> include;
  int gpu = 0;
  std::size_t launches = 5, warm_ups = 2;
  bool best = false, json = false;
  HelperSettings helpers;
};

/// What is launched, and why this.
struct Choice {
  Configuration configuration;
  std::string because;
};

// ---- for --print-command

/// This command again, without what asked for the profiler's. Under a profiler helpers are unconfined.
std::vector<std::string> words_of(const RunOptions& options) {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  std::vector<std::string> words{error ? "gridsmith" : program.string(), "run", options.kernel};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty())
      words.insert(words.end(), {name, value});
  };
  add("--size", options.size);
  add("--configuration", options.configuration);
  add("--header", options.header);
  add("--store", options.store == RunOptions{}.store ? "" : options.store);
  for (const auto& folder : options.include)
    add("--include", folder.string());
  add("--gpu", options.gpu == 0 ? "" : std::to_string(options.gpu));
  add("--launches", std::to_string(options.launches));
  add("--warm-ups", std::to_string(options.warm_ups));
  const std::pair<const char*, bool> flags[] = {{"--best", options.best},
                                                {"--no-cache", !options.helpers.cache},
                                                {"--share", options.helpers.share},
                                                {"--unconfined", true}};
  for (const auto& [name, wanted] : flags)
    if (wanted)
      words.emplace_back(name);
  return words;
}

/// Where there is no device the command is for another machine.
void print_command(const RunOptions& options, const KernelDefinition& definition,
                   const Installation& installation) {
  const auto tool = from_text<ProfilerTool>(options.tool);
  const DeviceList here = query_devices(installation.programs);
  const std::string chip = options.gpu < std::ssize(here.devices) ? here.at(options.gpu).chip : "";
  print(shell_line(profiler_command(tool, words_of(options), definition.name, chip)) + "\n");
}

// ---- what is launched

std::vector<Shipment> shipments_of(const std::string& file) {
  const std::string text = read_unpacked(file);
  try {
    return read_header(text);
  } catch (const InputError& error) {
    throw InputError(file + ": " + error.what());
  }
}

/// What a header of ours ships for this device and problem. @throws InputError: nothing
Choice choice_of_header(const std::string& file, const KernelInstance& instance) {
  const std::string &kernel = instance.definition.name,
                    device = device_identifier(instance.device.name);
  std::vector<std::string> sizes, others;
  for (const Shipment& one : shipments_of(file)) {
    others.push_back(one.kernel + " for " + one.device);
    if (one.kernel != kernel || one.device != device)
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

Choice choice_of_store(const RunOptions& options, const KernelInstance& instance) {
  const std::string& kernel = instance.definition.name;
  const std::optional<Holding> held =
      newest_tuning(options.store, {kernel, to_text(instance.problem), instance.device.name});
  UsualConfiguration usual = usual_configuration(instance, held);
  if (options.best && !usual.is_best)
    throw InputError(fmt::format("{} contains no best configuration of {} {} on {}; 'gridsmith "
                                 "tune {}' finds one",
                                 options.store, kernel, to_text(instance.problem),
                                 instance.device.name, kernel));
  return {std::move(usual.configuration), std::move(usual.origin)};
}

Choice choice_of(const RunOptions& options, const KernelInstance& instance) {
  const Configuration named =
      configuration_from_text(options.configuration, instance.parameters, "--configuration");
  Choice choice{named, "named"};
  if (named.size() < instance.parameters.size()) {
    choice = options.header.empty() ? choice_of_store(options, instance)
                                    : choice_of_header(options.header, instance);
    for (auto& [name, value] : choice.configuration)
      if (const Value* other = find_value(named, name))
        value = *other;
    if (!named.empty())
      choice.because = "named; what is not, " + choice.because;
  }
  refuse_excluded(instance, choice.configuration);
  return choice;
}

// ---- the command

ProfilerRun run_of(const RunOptions& options) {
  ProfilerRun run;
  run.warm_ups = static_cast<int>(options.warm_ups);
  run.launches = static_cast<int>(options.launches);
  run.note = [](const std::string& line) { note(line); };
  run.helpers = options.helpers;
  if (const std::string profiler = attached_profiler(); run.helpers.confined && !profiler.empty()) {
    note(profiler + ": compiler and worker are not confined, so that it can");
    run.helpers.confined = false;
  }
  return run;
}

std::string launches_text(std::size_t count) {
  return fmt::format("{} launch{}", count, count == 1 ? "" : "es");
}

void report(const RunOptions& options, const KernelInstance& instance, const Choice& choice) {
  const std::string profiler = attached_profiler();
  if (options.json) {
    const nlohmann::ordered_json json = {
        {"kernel", instance.definition.name}, {"problem", to_text(instance.problem)},
        {"device", instance.device.name},     {"configuration", object_of(choice.configuration)},
        {"because", choice.because},          {"warm_ups", options.warm_ups},
        {"launches", options.launches},       {"profiler", profiler}};
    return print(json_text(json, 2) + "\n");
  }
  print(printable(fmt::format("{} {} on {}: {} ({})", instance.definition.name,
                              to_text(instance.problem), instance.device.name,
                              to_text(choice.configuration), choice.because)) +
        "\n");
  print(fmt::format("{} after {}, not verified; {}\n", launches_text(options.launches),
                    counted(options.warm_ups, "warm-up"),
                    profiler.empty() ? "no profiler watched" : profiler));
}

void run(const RunOptions& options, const Installation& installation) {
  const KernelDefinition definition =
      read_definition(find_definition(options.kernel, installation.catalogue), options.include);
  const ProblemSize problem = problem_of(definition, options.size);
  check_problem(definition, problem);
  if (!options.tool.empty())
    return print_command(options, definition, installation);
  const KernelInstance instance = instantiate(
      definition, problem,
      query_devices(installation.programs)
          .at(options.gpu, "--print-command prints a profiler's command for another machine"));
  const Choice choice = choice_of(options, instance);
  const Interrupts interrupts;
  try {
    const Execution execution =
        run_for_profiler(instance, choice.configuration, run_of(options), interrupts.token());
    if (!execution.correct())
      throw CommandFailed(exit_failed,
                          fmt::format("{}: {}", to_text(choice.configuration), execution.reason));
  } catch (const StoppedWaiting& stopped) {
    throw CommandFailed(exit_interrupted, stopped.what());
  }
  report(options, instance, choice);
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

} // namespace

void add_run_command(CLI::App& app, const Installation& installation) {
  CLI::App* command = app.add_subcommand("run", "Launch one configuration under a profiler");
  command->footer(run_footer);
  const auto options = std::make_shared<RunOptions>();
  options->helpers.installation = installation;
  command->add_option("KERNEL", options->kernel, "Name of the catalogue, or a definition's file")
      ->type_name("KERNEL")
      ->required();
  add_configuration_option(*command, options->configuration);
  command->add_option("--size", options->size, "Problem size; default: the definition's first")
      ->type_name("SIZE");
  CLI::Option* best =
      command->add_flag("--best", options->best, "The best in the store; fail if there is none");
  CLI::Option* header =
      command->add_option("--header", options->header, "The configuration that this header ships")
          ->type_name("FILE")
          ->excludes(best);
  command->get_option("--configuration")->excludes(best)->excludes(header);
  command->add_option("--store", options->store, "SQLite file of all measurements")
      ->capture_default_str()
      ->type_name("FILE");
  command->add_option("--launches", options->launches, "What to launch")
      ->capture_default_str()
      ->check(count_from(1, 1'000'000));
  command->add_option("--warm-ups", options->warm_ups, "Warm-up launches")
      ->capture_default_str()
      ->check(count_from(0, 1'000'000));
  add_gpu_option(*command, options->gpu);
  add_include_option(*command, options->include);
  command
      ->add_option("--print-command", options->tool,
                   "Only print the command for a profiler: ncu, nsys or nvprof")
      ->type_name("TOOL")
      ->check(suggested({"ncu", "nsys", "nvprof"}));
  add_no_cache_option(*command, options->helpers, "Compile again, without caches");
  add_share_option(*command, options->helpers);
  add_unconfined_option(
      *command, options->helpers,
      "Run compiler and worker without a sandbox; automatic if a profiler is detected");
  command->add_flag("--json", options->json, "As JSON");
  command->callback([options, &installation] { run(*options, installation); });
}

} // namespace gridsmith
