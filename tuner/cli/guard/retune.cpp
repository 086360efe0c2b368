// SPDX-License-Identifier: Apache-2.0
// retune: what is shipped, checked again on this driver and toolkit.
#include "gridsmith/tuner/shipping/retune.hpp"

#include "gridsmith/base/file.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/line_diff.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/results/store/holdings.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/course.hpp"
#include "gridsmith/tuner/cli/interrupts.hpp"
#include "gridsmith/tuner/cli/outputs.hpp"
#include "gridsmith/tuner/presentation/shipping_text.hpp"
#include "gridsmith/tuner/session/limits.hpp"
#include "gridsmith/tuner/shipping/shipments.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace gridsmith {
namespace {

struct RetuneOptions {
  RetuneSettings settings = {.session = {.kernel = "", .store = "gridsmith.db"}, .shipped = {}};
  std::string shipped;
  std::vector<std::string> definitions;
  std::string out;
  std::optional<std::string>
      summary; ///< none: standard output, unless JSON or nothing is wanted there
  double tolerance_percent = 100 * RetuneSettings{}.tolerance;
  bool no_store = false, json = false, quiet = false, verbose = false;
};

RetuneSettings settings_of(const RetuneOptions& options, const Installation& installation) {
  RetuneSettings settings = options.settings;
  settings.session.helpers.installation = installation;
  if (options.no_store)
    settings.session.store.reset();
  settings.tolerance = options.tolerance_percent / 100;
  settings.where.assign(options.definitions.begin(), options.definitions.end());
  settings.shipped = shipments_to_check(options.shipped, installation);
  return settings;
}

/// Where the Markdown goes; none: nowhere.
std::optional<std::string> summary_of(const RetuneOptions& options) {
  return options.summary || options.json || options.quiet ? options.summary : "-";
}

std::vector<OutputFile> outputs_of(const RetuneOptions& options) {
  std::vector<OutputFile> all;
  if (const auto summary = summary_of(options))
    all.push_back({"--summary", *summary, "summary"});
  if (!options.out.empty())
    all.push_back({"--out", options.out, "header"});
  return all;
}

void run(const CLI::App& command, const RetuneOptions& options, const Installation& installation) {
  const RetuneSettings settings = settings_of(options, installation);
  check_outputs(command, outputs_of(options), options.json);
  const Interrupts interrupts; // before any thread
  ProgressLine line(stderr_is_terminal() && !options.quiet && !options.json);
  const Retuned retuned = retune(settings, interrupts.token(), listener_of(line, options.verbose));
  line.clear();
  std::string diff;
  if (const auto header = header_of(retuned, settings.shipped)) {
    const std::string name = options.out.empty() ? "tuned.hpp" : options.out;
    diff =
        line_diff(is_store(options.shipped) ? "" : read_unpacked(options.shipped), *header, name);
    if (!options.out.empty())
      write_output(options.out, *header, options.quiet);
  }
  if (options.json)
    print(json_text(retuned_json(retuned), 2) + "\n");
  if (const auto summary = summary_of(options))
    write_output(*summary, retuned_markdown(retuned, diff), options.quiet);
  finish_output();
  if (retuned.stopped)
    throw CommandFailed(exit_interrupted, "interrupted; the same command continues");
  for (const Rechecked& one : retuned.problems)
    if (!one.lacks.empty())
      throw CommandFailed(exit_failed,
                          fmt::format("{} {}: {}", one.kernel, one.problem, one.lacks));
}

} // namespace

void add_retune_command(CLI::App& app, const Installation& installation) {
  CLI::App* command = app.add_subcommand(
      "retune", "Measure shipped configurations on this driver and toolkit; tune those that moved "
                "again");
  command->footer(
      "Example:\n"
      "  gridsmith retune tuned/nvidia_h200.hpp -o tuned/nvidia_h200.hpp\n"
      "\n"
      "A shipped configuration has moved if it is no longer valid or correct, if its time differs "
      "from the recorded one, or if another shipped configuration or the default is faster. The "
      "summary is Markdown for a pull request, with the header's diff.");
  const auto options = std::make_shared<RetuneOptions>();
  SessionSettings& session = options->settings.session;
  command->add_option("SHIPPED", options->shipped, "A header of one device, or a store")
      ->type_name("HEADER|STORE")
      ->required();
  command
      ->add_option("--definition", options->definitions,
                   "Definitions of kernels that are not in the catalogue, or folders of them")
      ->type_name("FILE|DIR");
  add_gpu_option(*command, session.devices.front())->capture_default_str();
  command
      ->add_option("--tolerance", options->tolerance_percent,
                   "Ignore times that differ by less than so many percent")
      ->capture_default_str()
      ->check(positive_number(1000));
  command
      ->add_option("--seconds", session.budget.seconds,
                   "Stop after so many seconds in all; kernels not reached stay as shipped")
      ->check(positive_number(longest_s));
  command
      ->add_option("--evaluations", session.budget.evaluations,
                   "Stop after so many evaluations of each kernel that is tuned again")
      ->check(count_from(1));
  command
      ->add_option("--counters", session.conditions.counter_set,
                   "Sets or names, as of 'gridsmith tune'")
      ->type_name("NAMES")
      ->check(suggested(counter_set_names()))
      ->capture_default_str();
  add_regime_option(*command, options->settings.session.conditions.regime);
  command->add_option("--store", session.store, "SQLite file of all measurements")
      ->default_str("gridsmith.db")
      ->type_name("FILE");
  command->add_flag("--no-store", options->no_store, "Keep nothing on disk")->excludes("--store");
  command
      ->add_flag("--reuse", options->settings.reuse,
                 "Use the store's times of the same code, board, driver and toolkit, and launch "
                 "nothing for them")
      ->excludes("--no-store");
  command->add_option("-o,--out", options->out, "Header to write if a configuration moved")
      ->type_name("FILE");
  command
      ->add_option(
          "--summary", options->summary,
          "Markdown to write; - is standard output, the default without --json and --quiet")
      ->type_name("FILE");
  command->add_flag("--replay", options->settings.replay,
                    "Without a GPU: replay recordings instead of measuring; the results say so");
  command->add_flag("--json", options->json, "The result as JSON on stdout");
  add_loudness_options(*command, options->verbose, options->quiet);
  command->callback([command, options, &installation] { run(*command, *options, installation); });
}

} // namespace gridsmith
