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
#include <optional>
#include <set>
#include <utility>

namespace gridsmith {
namespace {

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
std::vector<Holding> fitting(const std::vector<Holding>& held, bool all,
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
  std::vector<Holding> left = all              ? with_best
                              : format.defined ? newest_by_objective(with_best)
                                               : newest(with_best);
  if (left.size() > 1 && format.holds == Holds::one)
    throw InputError(fmt::format("format '{}' is of one kernel, problem and device; choose with "
                                 "--kernel, --problem and --device{}: {}",
                                 format.name, all ? ", or without --all" : "", list_of(left)));
  return left;
}

/// Kernels whose constraints are not known are served where they were measured only.
void define(std::span<Export> exports, const std::vector<std::string>& definitions,
            const Installation& installation) {
  add_definitions(exports, definitions, installation);
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

/// What a format of times alone does not tell.
void tell_other_objectives(std::span<const Export> exports, const FormatEntry& format) {
  for (const Export& one : exports)
    if (one.answer && !by_time(one).answer)
      note(fmt::format("{} {} on {}: tuned by {}, but format '{}' knows times alone",
                       one.recording.kernel, one.recording.problem, one.recording.device.name,
                       one.answer->found_by.objective, format.name));
}

class ExportCommand final : public Command {
public:
  ExportCommand(CLI::App& app, const Installation& installation);
  void run() override;

private:
  void add_header_options();
  void refuse_header_options(const FormatEntry& format) const;
  std::vector<Shipment> shipped_before() const;
  void write_header(std::span<const Export> exports) const;

  std::string format_, out_ = "-", stale_ = "ignore", previous_;
  std::vector<std::string> definitions_;
  SourceOptions sources_;
  bool all_ = false;
  std::optional<double> within_percent_;
  std::optional<std::size_t> ship_;
};

ExportCommand::ExportCommand(CLI::App& app, const Installation& installation)
    : Command(app, installation, "export", "Export stores and recordings: C++ header, T4, CSV …") {
  std::string formats;
  std::vector<std::string> names;
  for (const FormatEntry& format : export_formats()) {
    names.push_back(format.name);
    formats += fmt::format("  {:<14}{}\n", format.name, format.summary);
  }
  line_.footer("Example:\n  gridsmith export header gridsmith.db -o tuned.hpp\n\nFormats:\n" +
               formats +
               "\n"
               "If there are several tunings of one kernel, problem and device, the newest is "
               "written.");
  line_.add_option("FORMAT", format_, fmt::format("Format to write: {}", fmt::join(names, ", ")))
      ->type_name("FORMAT")
      ->required()
      ->check(one_of("format", names));
  add_source_options(line_, sources_);
  line_.add_option("-o,--out", out_, "File to write; - is standard output")
      ->type_name("FILE")
      ->capture_default_str();
  line_.add_flag("--all", all_,
                 "Every tuning, not only the newest of each kernel, problem and device");
  add_header_options();
}

void ExportCommand::add_header_options() {
  add_definition_option(line_, definitions_,
                        "For a header: definition of a kernel that is not in the catalogue");
  line_
      .add_option("--stale", stale_,
                  "For a header, if the code has changed since it was measured: ignore, warning "
                  "or error")
      ->type_name("ignore|warning|error")
      ->capture_default_str()
      ->check(one_of("choice", {"ignore", "warning", "error"}));
  line_
      .add_option(
          "--previous", previous_,
          "For a header: the header shipped before; its choices stay unless another is known to be "
          "better")
      ->type_name("HEADER|STORE");
  line_
      .add_option("--within", within_percent_,
                  "For a header: choose so many configurations that none of the measured sizes "
                  "loses more than this percentage; default: 1")
      ->type_name("PERCENT")
      ->check(positive_number(1000));
  line_
      .add_option("--ship", ship_,
                  "For a header: choose at most so many configurations of each kernel, those with "
                  "which the worst of the measured sizes loses least")
      ->type_name("N")
      ->check(count_from(1, 1000))
      ->excludes("--within");
}

void ExportCommand::refuse_header_options(const FormatEntry& format) const {
  const std::pair<const char*, bool> wanted[] = {{"--stale", stale_ != "ignore"},
                                                 {"--definition", !definitions_.empty()},
                                                 {"--previous", !previous_.empty()},
                                                 {"--within", within_percent_.has_value()},
                                                 {"--ship", ship_.has_value()}};
  for (const auto& [option, is_wanted] : wanted)
    if (is_wanted)
      throw InputError(fmt::format("{} is for a header, not for {}", option, format.name));
}

/// @throws InputError with the option
std::vector<Shipment> ExportCommand::shipped_before() const {
  if (previous_.empty())
    return {};
  try {
    return shipments_in(previous_, sources_.choice, installation_);
  } catch (const InputError& error) {
    throw InputError(fmt::format("--previous {}", error.what()));
  }
}

void ExportCommand::write_header(std::span<const Export> exports) const {
  constexpr std::size_t most_lines = 8;
  SelectionRules rules;
  if (within_percent_)
    rules.worst_loss = 1 + *within_percent_ / 100;
  rules.most = ship_;
  const WrittenHeader header = header_of(exports, shipped_before(), rules);
  write_output(out_, header.text);
  for (std::size_t i = 0; i < std::min(most_lines, header.losses.size()); ++i)
    note(header.losses[i]);
  if (header.losses.size() > most_lines)
    note(fmt::format("{} more likewise: see the comments of the header",
                     header.losses.size() - most_lines));
}

void ExportCommand::run() {
  check_outputs(line_, {{"--out", out_, format_}}, false);
  const FormatEntry& format = export_format(format_);
  std::vector<Holding> all = chosen_of(sources_);
  if (format.defined) // it has a place for each
    all = with_older_answers(all);
  std::vector<Export> exports;
  for (const Holding& one : fitting(all, all_, format))
    exports.push_back(one.load());
  if (format.defined)
    define(exports, definitions_, installation_);
  else
    refuse_header_options(format);
  check_code(exports, stale_);
  if (format.defined)
    write_header(exports);
  else
    write_output(out_, export_text(format, exports));
  if (format.times_alone)
    tell_other_objectives(exports, format);
}

} // namespace

extern const AddCommand add_export_command = add_command<ExportCommand>;

} // namespace gridsmith
