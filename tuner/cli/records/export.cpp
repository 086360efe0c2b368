// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/results/formats/answer_json.hpp"
#include "gridsmith/results/formats/header.hpp"
#include "gridsmith/results/measurement/failures.hpp"
#include "gridsmith/results/store/holdings.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/outputs.hpp"
#include "gridsmith/tuner/cli/records/sources.hpp"
#include "gridsmith/tuner/inspection/exported_definition.hpp"
#include "gridsmith/tuner/inspection/stale_exports.hpp"
#include "gridsmith/tuner/shipping/shipments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

namespace gridsmith {
namespace {

struct ExportOptions {
  std::string format, out = "-", stale = "ignore", previous;
  std::vector<std::string> definitions;
  SourceOptions sources;
  bool all = false;
  std::optional<double> within_percent;
  std::optional<std::size_t> ship;
};

/// Why nothing of it can be the best, with the commonest failure.
std::string no_best(const Holding& holding) {
  const Export exported = holding.load();
  std::string line = title_of(holding) + ": " + why_no_best(exported);
  const auto groups = failure_groups(exported.recording.measurements);
  if (!groups.empty() && !answer_of(exported).found_by.unconfirmed)
    line += fmt::format(" ({} × {}: {})", groups.front().count, to_text(groups.front().status),
                        groups.front().reason);
  return line;
}

/// What the format can hold of them; the others are named. @throws InputError when nothing is left
std::vector<Holding> fitting(const std::vector<Holding>& held, const ExportOptions& options,
                             const FormatEntry& format) {
  std::vector<Holding> with_best;
  std::vector<std::string> without;
  for (const Holding& one : held)
    if (format.holds != Holds::several_best || one.best_ms)
      with_best.push_back(one);
    else
      without.push_back(no_best(one));
  if (with_best.empty())
    throw InputError(fmt::format("nothing to export: {}", fmt::join(without, "; ")));
  for (const std::string& line : without)
    note("skipped: " + line);
  std::vector<Holding> left = options.all      ? with_best
                              : format.defined ? newest_by_objective(with_best)
                                               : newest(with_best);
  if (left.size() > 1 && format.holds == Holds::one)
    throw InputError(fmt::format("format '{}' is of one kernel, problem and device; choose with "
                                 "--kernel, --problem and --device{}: {}",
                                 format.name, options.all ? ", or without --all" : "",
                                 list_of(left)));
  return left;
}

/// Kernels whose constraints nobody knows are served where they were measured only.
void define(std::span<Export> exports, const ExportOptions& options,
            const Installation& installation) {
  add_definitions(exports, options.definitions, installation);
  std::set<std::string> said;
  for (const Export& exported : exports)
    if (const std::string& kernel = exported.recording.kernel;
        !exported.definition && said.insert(kernel).second)
      note(fmt::format("{}: {}; only measured problems are served (--definition FILE names it)",
                       kernel.empty() ? "an unknown kernel" : kernel, exported.lacks));
}

/// @throws CommandFailed: stale, where that is an error
void check_code(std::span<const Export> exports, const std::string& wish) {
  if (wish == "ignore")
    return;
  const Staleness found = staleness_of(exports);
  for (const std::string& line : found.unknown)
    note(line);
  if (wish == "error" && !found.stale.empty())
    throw CommandFailed(exit_failed, fmt::format("{}", fmt::join(found.stale, "; ")));
  for (const std::string& line : found.stale)
    note("warning: " + line);
}

/// @throws InputError with the option
std::vector<Shipment> shipped_before(const ExportOptions& options,
                                     const Installation& installation) {
  try {
    return shipments_in(options.previous, options.sources.choice, installation);
  } catch (const InputError& error) {
    throw InputError(fmt::format("--previous {}", error.what()));
  }
}

/// What a format of times alone does not tell.
void tell_other_objectives(std::span<const Export> exports, const FormatEntry& format) {
  for (const Export& one : exports)
    if (one.answer && !by_time(one).answer)
      note(fmt::format("{} {} on {}: tuned by {}, but format '{}' knows times alone",
                       one.recording.kernel, one.recording.problem, one.recording.device.name,
                       one.answer->found_by.objective, format.name));
}

void write_header(std::span<const Export> exports, const ExportOptions& options,
                  const Installation& installation) {
  constexpr std::size_t most_lines = 8;
  std::vector<Shipment> previous;
  if (!options.previous.empty())
    previous = shipped_before(options, installation);
  SelectionRules rules;
  if (options.within_percent)
    rules.worst_loss = 1 + *options.within_percent / 100;
  rules.most = options.ship;
  const WrittenHeader header = header_of(exports, previous, rules);
  write_output(options.out, header.text);
  for (std::size_t i = 0; i < std::min(most_lines, header.losses.size()); ++i)
    note(header.losses[i]);
  if (header.losses.size() > most_lines)
    note(fmt::format("{} more likewise: see the comments of the header",
                     header.losses.size() - most_lines));
}

void run(const CLI::App& command, const ExportOptions& options, const Installation& installation) {
  check_outputs(command, {{"--out", options.out, options.format}}, false);
  const FormatEntry& format = export_format(options.format);
  std::vector<Holding> all = chosen_of(options.sources);
  if (format.defined) // it has a place for each
    all = with_older_answers(all);
  const std::vector<Holding> held = fitting(all, options, format);
  std::vector<Export> exports;
  exports.reserve(held.size());
  for (const Holding& one : held)
    exports.push_back(one.load());
  if (format.defined)
    define(exports, options, installation);
  else if (options.stale != "ignore")
    throw InputError(fmt::format("--stale is for a header, not for {}", format.name));
  else if (!options.definitions.empty())
    throw InputError(fmt::format("--definition is for a header, not for {}", format.name));
  if (!options.previous.empty() && !format.defined)
    throw InputError(fmt::format("--previous is for a header, not for {}", format.name));
  if (options.within_percent && !format.defined)
    throw InputError(fmt::format("--within is for a header, not for {}", format.name));
  if (options.ship && !format.defined)
    throw InputError(fmt::format("--ship is for a header, not for {}", format.name));
  check_code(exports, options.stale);
  if (format.defined)
    write_header(exports, options, installation);
  else
    write_output(options.out, export_text(format, exports));
  if (format.times_alone)
    tell_other_objectives(exports, format);
}

} // namespace

void add_export_command(CLI::App& app, const Installation& installation) {
  CLI::App* command =
      app.add_subcommand("export", "Export stores and recordings: C++ header, T4, CSV …");
  const auto options = std::make_shared<ExportOptions>();
  std::string formats;
  std::vector<std::string> names;
  for (const FormatEntry& format : export_formats()) {
    names.push_back(format.name);
    formats += fmt::format("  {:<14}{}\n", format.name, format.summary);
  }
  command->footer("Example:\n  gridsmith export header gridsmith.db -o tuned.hpp\n\nFormats:\n" +
                  formats +
                  "\n"
                  "If there are several tunings of one kernel, problem and device, the newest is "
                  "written.");
  command
      ->add_option("FORMAT", options->format,
                   fmt::format("Format to write: {}", fmt::join(names, ", ")))
      ->type_name("FORMAT")
      ->required()
      ->check(one_of("format", names));
  add_source_options(*command, options->sources);
  command->add_option("-o,--out", options->out, "File to write; - is standard output")
      ->type_name("FILE")
      ->capture_default_str();
  command->add_flag("--all", options->all,
                    "Every tuning, not only the newest of each kernel, problem and device");
  command
      ->add_option("--definition", options->definitions,
                   "For a header: definition of a kernel that is not in the catalogue")
      ->type_name("FILE");
  command
      ->add_option("--stale", options->stale,
                   "For a header, if the code has changed since it was measured: ignore, warning "
                   "or error")
      ->type_name("ignore|warning|error")
      ->capture_default_str()
      ->check(one_of("choice", {"ignore", "warning", "error"}));
  command
      ->add_option(
          "--previous", options->previous,
          "For a header: the header shipped before; its choices stay unless another is known to be "
          "better")
      ->type_name("HEADER|STORE");
  command
      ->add_option("--within", options->within_percent,
                   "For a header: choose so many configurations that none of the measured sizes "
                   "loses more than this percentage; default: 1")
      ->type_name("PERCENT")
      ->check(positive_number(1000));
  command
      ->add_option("--ship", options->ship,
                   "For a header: choose at most so many configurations of each kernel, those with "
                   "which the worst of the measured sizes loses least")
      ->type_name("N")
      ->check(count_from(1, 1000))
      ->excludes("--within");
  command->callback([command, options, &installation] { run(*command, *options, installation); });
}

} // namespace gridsmith
