// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/file.hpp"
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/base/text_table.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/results/check/baseline_binaries.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/guard/check_notes.hpp"
#include "gridsmith/tuner/cli/interrupts.hpp"
#include "gridsmith/tuner/cli/outputs.hpp"
#include "gridsmith/tuner/cli/words.hpp"
#include "gridsmith/tuner/guard/baseline_save.hpp"
#include "gridsmith/tuner/presentation/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

Baseline held_in(const fs::path& file) {
  std::error_code error;
  return fs::exists(file, error) ? read_baseline(file) : Baseline{};
}

/// "transpose", or "transpose/8192x8192".
bool is_named(const BaselineEntry& entry, const std::string& name) {
  return name == entry.kernel || name == entry.kernel + "/" + entry.problem;
}

class BaselineCommand final : public Command {
public:
  BaselineCommand(CLI::App& app, const Installation& installation);
  void run() override;

private:
  void add_file_option(CLI::App& command);
  void add_making_options(CLI::App& command);
  void read_settings();
  std::vector<BaselineEntry> named_in(const Baseline& baseline) const;
  void write(Baseline& baseline, const std::vector<BaselineEntry>& made, std::size_t wanted) const;
  void save();
  void accept();
  void show() const;

  SaveSettings settings_{.session = {.kernel = "", .helpers = {.installation = installation_}}};
  std::string store_ = usual_store, configuration_;
  std::vector<std::string> sizes_, architectures_;
  bool json_ = false, all_ = false;
};

BaselineCommand::BaselineCommand(CLI::App& app, const Installation& installation)
    : Command(app, installation, "baseline",
              "Save times and code of kernels, for 'gridsmith check'") {
  line_.require_subcommand(1);
  line_.footer("Example:\n"
               "  gridsmith baseline save transpose --with-cubins\n"
               "  gridsmith baseline save transpose matmul --arch 80,90\n"
               "  gridsmith baseline accept transpose\n"
               "\n"
               "The file is text with one fact per line; commit it.");
  CLI::App& saving =
      *line_.add_subcommand("save", "Measure or compile kernels, and write the baseline");
  saving.add_option("KERNELS", settings_.kernels, "Names of the catalogue or JSON files")
      ->type_name("KERNEL")
      ->required();
  add_size_option(saving, sizes_,
                  "A size, or all (the definition's); may be repeated; default: the first");
  saving
      .add_option("--configuration", configuration_,
                  "Values (\"A=1,B=2\"); default: the best in the store, else the definition's "
                  "default")
      ->type_name("CONFIG");
  add_store_option(saving, store_, "Store to look up the best in");
  add_making_options(saving);
  CLI::App& accepting = *line_.add_subcommand(
      "accept", "Measure the named entries again, replace them, and print what changed");
  accepting.add_option("ENTRIES", settings_.kernels, "KERNEL or KERNEL/SIZE of the baseline")
      ->type_name("ENTRY");
  accepting.add_flag("--all", all_, "Every entry");
  add_making_options(accepting);
  CLI::App& showing = *line_.add_subcommand("show", "Show a baseline");
  add_file_option(showing);
  add_json_option(showing, json_, "Print the file's own JSON");
}

void BaselineCommand::add_file_option(CLI::App& command) {
  command.add_option("--baseline", settings_.baseline, "The file")
      ->capture_default_str()
      ->type_name("FILE");
}

void BaselineCommand::add_making_options(CLI::App& command) {
  add_file_option(command);
  command.add_flag("--with-cubins", settings_.binaries_beside,
                   "Keep the compiled kernels next to the file, to be committed too; otherwise "
                   "they are kept in the user's cache");
  add_arch_option(command, architectures_,
                  "Compile for these instead of measuring on a GPU: 80,90,120");
  add_include_option(command, settings_.session.include);
  add_gpu_option(command, settings_.session.devices.front())->capture_default_str();
  add_regime_option(command, settings_.session.conditions.regime);
  add_share_option(command, settings_.session.helpers);
}

void BaselineCommand::read_settings() {
  settings_.session.store = store_;
  for (const std::string& size : sizes_)
    if (size == "all")
      settings_.all_problems = true;
    else
      settings_.session.problems.push_back(problem_size_from_text(size));
  for (const std::string& one : architectures_)
    settings_.architectures.push_back(architecture_from_text(one));
}

/// Of the baseline those that accept is asked for.
std::vector<BaselineEntry> BaselineCommand::named_in(const Baseline& baseline) const {
  const std::vector<std::string>& names = settings_.kernels;
  std::vector<BaselineEntry> found;
  std::vector<std::string> known;
  for (const BaselineEntry& entry : baseline.entries) {
    std::string title = entry.kernel + "/" + entry.problem;
    if (std::find(known.begin(), known.end(), title) == known.end()) // of several architectures
      known.push_back(std::move(title));
    if (all_ || std::any_of(names.begin(), names.end(),
                            [&](const std::string& name) { return is_named(entry, name); }))
      found.push_back(entry);
  }
  for (const std::string& name : names)
    if (std::none_of(baseline.entries.begin(), baseline.entries.end(),
                     [&](const BaselineEntry& entry) { return is_named(entry, name); }))
      throw InputError(settings_.baseline.string() + ": " + unknown_name("entry", name, known));
  if (found.empty())
    throw InputError("baseline accept needs the names of the entries to accept, or --all");
  return found;
}

/// Writes what was made, also where it was interrupted on the way.
void BaselineCommand::write(Baseline& baseline, const std::vector<BaselineEntry>& made,
                            std::size_t wanted) const {
  if (!made.empty()) {
    put_entries(baseline, made);
    write_baseline(settings_.baseline, baseline);
    tell_written(settings_.baseline);
  }
  print(fmt::format("{}: {} written, {} in all\n", settings_.baseline.string(), made.size(),
                    baseline.entries.size()));
  finish_output();
  if (made.size() < wanted)
    throw CommandFailed(exit_interrupted, "interrupted: what was measured before is written");
}

void BaselineCommand::save() {
  const Interrupts interrupts; // before any thread
  read_settings();
  Baseline baseline = held_in(settings_.baseline); // damaged: known before hours of work
  check_outputs(*line_.get_subcommand("save"),
                {{"--baseline", settings_.baseline.string(), "baseline"}}, false);
  if (!configuration_.empty()) {
    if (settings_.kernels.size() != 1)
      throw InputError("--configuration needs a single kernel");
    const KernelDefinition definition =
        read_definition(find_definition(settings_.kernels.front(), installation_.catalogue),
                        settings_.session.include);
    settings_.session.only = {
        configuration_from_text(configuration_, definition.parameters, "--configuration")};
  }
  const std::vector<BaselineEntry> wanted = wanted_entries(settings_);
  const auto made = made_entries(wanted, settings_, interrupts.token(), check_notes());
  for (const BaselineEntry& entry : made)
    print_line(fmt::format("{} ({}): {}", title_of(entry), to_text(entry.configuration),
                           entry.time ? number_text(entry.time->median_ms) + " ms" : "compiled"));
  write(baseline, made, wanted.size());
}

void BaselineCommand::accept() {
  const Interrupts interrupts; // before any thread
  read_settings();
  Baseline baseline = read_baseline(settings_.baseline);
  std::vector<BaselineEntry> before = named_in(baseline);
  if (const auto& wanted = settings_.architectures; !wanted.empty()) {
    std::erase_if(before, [&](const BaselineEntry& entry) {
      return std::find(wanted.begin(), wanted.end(), entry.compute_capability) == wanted.end();
    });
    if (before.empty())
      throw InputError(settings_.baseline.string() + ": none of these entries is of this --arch");
  }
  const auto made = made_entries(before, settings_, interrupts.token(), check_notes());
  for (std::size_t i = 0; i < made.size(); ++i) {
    const auto words = differences(before[i], made[i]);
    print_line(
        fmt::format("{}: {}", title_of(made[i]),
                    words.empty() ? "nothing differs" : fmt::format("{}", fmt::join(words, ", "))));
  }
  write(baseline, made, before.size());
}

void BaselineCommand::show() const {
  const Baseline baseline = read_baseline(settings_.baseline);
  if (json_)
    return print(to_text(baseline));
  Table table({{"kernel", "", true},
               {"size", "", true},
               {"for", "", true},
               {"time", "ms"},
               {"registers", ""},
               {"binary", "", true},
               {"configuration", "", true}});
  const std::vector<fs::path> folders{binaries_beside(settings_.baseline)};
  for (const BaselineEntry& entry : baseline.entries)
    table.add({entry.kernel, entry.problem, fmt::format("sm_{}", entry.compute_capability),
               entry.time ? number_text(entry.time->median_ms) : "",
               std::to_string(entry.code.compile.registers_per_thread),
               !entry.binary                               ? "none"
               : find_binary(folders, *entry.binary).cubin ? "next to it"
                                                           : "elsewhere",
               to_text(entry.configuration)});
  print(table.text(terminal_of(STDOUT_FILENO).width));
}

void BaselineCommand::run() {
  if (line_.got_subcommand("save"))
    save();
  else if (line_.got_subcommand("accept"))
    accept();
  else
    show();
}

} // namespace

extern const AddCommand add_baseline_command = add_command<BaselineCommand>;

} // namespace gridsmith
