// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/file.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/base/text_table.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/results/check/baseline_binaries.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/interrupts.hpp"
#include "gridsmith/tuner/cli/outputs.hpp"
#include "gridsmith/tuner/cli/words.hpp"
#include "gridsmith/tuner/guard/baseline_save.hpp"
#include "gridsmith/tuner/presentation/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

struct BaselineOptions {
  SaveSettings settings;
  std::string baseline = usual_baseline, store = "gridsmith.db", configuration;
  std::vector<std::string> sizes, architectures;
  bool json = false, all = false;
};

Baseline held_in(const fs::path& file) {
  std::error_code error;
  return fs::exists(file, error) ? read_baseline(file) : Baseline{};
}

SaveSettings settings_of(const BaselineOptions& options, const Installation& installation) {
  SaveSettings settings = options.settings;
  settings.helpers.installation = installation;
  settings.baseline = options.baseline;
  settings.store = options.store;
  for (const std::string& size : options.sizes)
    if (size == "all")
      settings.all_problems = true;
    else
      settings.problems.push_back(problem_size_from_text(size));
  for (const std::string& one : options.architectures)
    settings.architectures.push_back(architecture_from_text(one));
  return settings;
}

CheckListener listener() {
  return {
      .progress =
          [](const CheckProgress& progress) {
            note(fmt::format("{} of {}: {}", progress.number, progress.kernels, progress.kernel));
          },
      .note = note};
}

/// Writes what was made, also where it was interrupted on the way.
void write(const SaveSettings& settings, Baseline& baseline, const std::vector<BaselineEntry>& made,
           std::size_t wanted) {
  if (!made.empty()) {
    put_entries(baseline, made);
    write_baseline(settings.baseline, baseline);
    tell_written(settings.baseline);
  }
  print(fmt::format("{}: {} written, {} in all\n", settings.baseline.string(), made.size(),
                    baseline.entries.size()));
  finish_output();
  if (made.size() < wanted)
    throw CommandFailed(exit_interrupted, "interrupted: what was measured before is written");
}

void save(const CLI::App& command, const BaselineOptions& options,
          const Installation& installation) {
  const Interrupts interrupts; // before any thread
  SaveSettings settings = settings_of(options, installation);
  Baseline baseline = held_in(settings.baseline); // damaged: known before hours of work
  check_outputs(command, {{"--baseline", options.baseline, "baseline"}}, false);
  if (!options.configuration.empty()) {
    if (settings.kernels.size() != 1)
      throw InputError("--configuration needs a single kernel");
    const KernelDefinition definition = read_definition(
        find_definition(settings.kernels.front(), installation.catalogue), settings.include);
    settings.configuration =
        configuration_from_text(options.configuration, definition.parameters, "--configuration");
  }
  const std::vector<BaselineEntry> wanted = wanted_entries(settings);
  const auto made = made_entries(wanted, settings, interrupts.token(), listener());
  for (const BaselineEntry& entry : made)
    print_line(fmt::format("{} ({}): {}", title_of(entry), to_text(entry.configuration),
                           entry.time ? number_text(entry.time->median_ms) + " ms" : "compiled"));
  write(settings, baseline, made, wanted.size());
}

/// "transpose", or "transpose/8192x8192".
bool is_named(const BaselineEntry& entry, const std::string& name) {
  return name == entry.kernel || name == entry.kernel + "/" + entry.problem;
}

std::vector<BaselineEntry> named(const Baseline& baseline, const BaselineOptions& options) {
  std::vector<BaselineEntry> found;
  std::vector<std::string> known;
  for (const BaselineEntry& entry : baseline.entries) {
    std::string title = entry.kernel + "/" + entry.problem;
    if (std::find(known.begin(), known.end(), title) == known.end()) // of several architectures
      known.push_back(std::move(title));
    const auto& names = options.settings.kernels;
    if (options.all || std::any_of(names.begin(), names.end(),
                                   [&](const std::string& name) { return is_named(entry, name); }))
      found.push_back(entry);
  }
  for (const std::string& name : options.settings.kernels)
    if (std::none_of(baseline.entries.begin(), baseline.entries.end(),
                     [&](const BaselineEntry& entry) { return is_named(entry, name); }))
      throw InputError(options.baseline + ": " + unknown_name("entry", name, known));
  if (found.empty())
    throw InputError("baseline accept needs the names of the entries to accept, or --all");
  return found;
}

void accept(const BaselineOptions& options, const Installation& installation) {
  const Interrupts interrupts; // before any thread
  const SaveSettings settings = settings_of(options, installation);
  Baseline baseline = read_baseline(settings.baseline);
  std::vector<BaselineEntry> before = named(baseline, options);
  if (const auto& wanted = settings.architectures; !wanted.empty()) {
    std::erase_if(before, [&](const BaselineEntry& entry) {
      return std::find(wanted.begin(), wanted.end(), entry.compute_capability) == wanted.end();
    });
    if (before.empty())
      throw InputError(options.baseline + ": none of these entries is of this --arch");
  }
  const auto made = made_entries(before, settings, interrupts.token(), listener());
  for (std::size_t i = 0; i < made.size(); ++i) {
    const auto words = differences(before[i], made[i]);
    print_line(
        fmt::format("{}: {}", title_of(made[i]),
                    words.empty() ? "nothing differs" : fmt::format("{}", fmt::join(words, ", "))));
  }
  write(settings, baseline, made, before.size());
}

void show(const BaselineOptions& options) {
  const Baseline baseline = read_baseline(options.baseline);
  if (options.json)
    return print(to_text(baseline));
  Table table({{"kernel", "", true},
               {"size", "", true},
               {"for", "", true},
               {"time", "ms"},
               {"registers", ""},
               {"binary", "", true},
               {"configuration", "", true}});
  for (const BaselineEntry& entry : baseline.entries) {
    const std::vector<fs::path> folders{binaries_beside(options.baseline)};
    table.add({entry.kernel, entry.problem, fmt::format("sm_{}", entry.compute_capability),
               entry.time ? number_text(entry.time->median_ms) : "",
               std::to_string(entry.code.compile.registers_per_thread),
               !entry.binary                               ? "none"
               : find_binary(folders, *entry.binary).cubin ? "next to it"
                                                           : "elsewhere",
               to_text(entry.configuration)});
  }
  print(table.text(terminal_of(STDOUT_FILENO).width));
}

void add_file_option(CLI::App& command, BaselineOptions& options) {
  command.add_option("--baseline", options.baseline, "The file")
      ->capture_default_str()
      ->type_name("FILE");
}

void add_making_options(CLI::App& command, BaselineOptions& options) {
  SaveSettings& settings = options.settings;
  add_file_option(command, options);
  command.add_flag("--with-cubins", settings.binaries_beside,
                   "Keep the compiled kernels next to the file, to be committed too; otherwise "
                   "they are kept in the user's cache");
  command
      .add_option("--arch", options.architectures,
                  "Compile for these instead of measuring on a GPU: 80,90,120")
      ->type_name("ARCH,…")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_include_option(command, settings.include);
  add_gpu_option(command, settings.device)->capture_default_str();
  add_regime_option(command, options.settings.conditions.regime);
  add_share_option(command, settings.helpers);
}

} // namespace

void add_baseline_command(CLI::App& app, const Installation& installation) {
  CLI::App* command =
      app.add_subcommand("baseline", "Save times and code of kernels, for 'gridsmith check'");
  command->require_subcommand(1);
  command->footer("Example:\n"
                  "  gridsmith baseline save transpose --with-cubins\n"
                  "  gridsmith baseline save transpose matmul --arch 80,90\n"
                  "  gridsmith baseline accept transpose\n"
                  "\n"
                  "The file is text with one fact per line; commit it.");
  const auto options = std::make_shared<BaselineOptions>();
  CLI::App* saving = command->add_subcommand("save", "Measure or compile kernels, and write the "
                                                     "baseline");
  saving->add_option("KERNELS", options->settings.kernels, "Names of the catalogue or JSON files")
      ->type_name("KERNEL")
      ->required();
  saving
      ->add_option("--size,--problem", options->sizes,
                   "A size, or all (the definition's); may be repeated; default: the first")
      ->type_name("SIZE")
      ->allow_extra_args(false);
  saving
      ->add_option("--configuration", options->configuration,
                   "Values (\"A=1,B=2\"); default: the best in the store, else the definition's "
                   "default")
      ->type_name("CONFIG");
  saving->add_option("--store", options->store, "Store to look up the best in")
      ->capture_default_str()
      ->type_name("FILE");
  add_making_options(*saving, *options);
  saving->callback([saving, options, &installation] { save(*saving, *options, installation); });
  CLI::App* accepting = command->add_subcommand(
      "accept", "Measure the named entries again, replace them, and print what changed");
  accepting
      ->add_option("ENTRIES", options->settings.kernels, "KERNEL or KERNEL/SIZE of the baseline")
      ->type_name("ENTRY");
  accepting->add_flag("--all", options->all, "Every entry");
  add_making_options(*accepting, *options);
  accepting->callback([options, &installation] { accept(*options, installation); });
  CLI::App* showing = command->add_subcommand("show", "Show a baseline");
  add_file_option(*showing, *options);
  showing->add_flag("--json", options->json, "Print the file's own JSON");
  showing->callback([options] { show(*options); });
}

} // namespace gridsmith
