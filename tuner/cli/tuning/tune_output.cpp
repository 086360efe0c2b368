// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/cli/tuning/tune_output.hpp"

#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/results/formats/formats.hpp"
#include "gridsmith/results/report/page.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/inspection/exported_definition.hpp"
#include "gridsmith/tuner/presentation/answer_json.hpp"
#include "gridsmith/tuner/presentation/answer_text.hpp"
#include "gridsmith/tuner/presentation/campaign_text.hpp"
#include "gridsmith/tuner/presentation/report_source.hpp"
#include "gridsmith/tuner/presentation/shown_file.hpp"
#include "gridsmith/tuner/session/header_gaps.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <exception>

namespace gridsmith {
namespace {

/// With its size, and with the file that its name meant.
std::string kernel_text(const Subject& subject, const SessionSettings& settings) {
  std::string text = subject.kernel.empty() ? "an unknown kernel" : subject.kernel;
  if (!subject.definition.empty())
    text += fmt::format(" ({})",
                        shown_file(subject.definition, settings.helpers.installation.catalogue));
  return text + (subject.problem.empty() || settings.across ? "" : " " + subject.problem);
}

/// "4 × NVIDIA H200"
std::string devices_text(const Subject& subject) {
  return (subject.gpus > 1 ? fmt::format("{} × ", subject.gpus) : "") + device_text(subject);
}

void write_report(const TuneOptions& options, std::span<const Outcome> outcomes,
                  const Trace& trace) {
  std::vector<Span> spans = trace.in_order();
  if (outcomes.size() > 1) // at which size a configuration was measured is not told
    for (Span& span : spans)
      span.detail.clear();
  std::vector<ReportSource> sources;
  sources.reserve(outcomes.size());
  for (const Outcome& outcome : outcomes) {
    sources.push_back(report_source(outcome));
    add_code(sources.back(), options.session.helpers);
    add_timeline(sources.back(), spans, trace.zero());
  }
  write_output(options.report, report_page(report_model(sources)), options.quiet);
}

/// Of what has a best, where the format holds nothing else: what is not confirmed is not handed on.
void write_fitting(const FormatEntry& format, std::vector<Export> exports, const std::string& file,
                   bool quiet) {
  if (format.holds == Holds::several_best) {
    for (const Export& one : exports)
      if (!has_best(one))
        note(fmt::format("{} has nothing of {} {}: {}", file, one.recording.kernel,
                         one.recording.problem, why_no_best(one)));
    std::erase_if(exports, [](const Export& one) { return !has_best(one); });
    if (exports.empty())
      return note(fmt::format("{} is not written", file));
  }
  if (format.holds == Holds::one && exports.size() > 1) {
    note(
        fmt::format("{} holds the answer of {} alone; 'gridsmith export {}' writes the others from "
                    "the store",
                    file, exports.front().recording.device.name, format.name));
    exports.resize(1);
  }
  write_output(file, export_text(format, exports), quiet);
}

/// The files asked for beside the table.
void write_exports(const TuneOptions& options, std::span<const Outcome> outcomes,
                   const Trace& trace) {
  std::vector<Export> exports;
  for (const Outcome& outcome : outcomes)
    exports.push_back(outcome.exported());
  add_definitions(exports, {}, options.session.helpers.installation);
  for (const OutputFile& output : options.writes)
    write_fitting(export_format(output.format), exports, output.file, options.quiet);
  if (!options.report.empty())
    write_report(options, outcomes, trace);
}

void print_answer(const TuneOptions& options, const Outcome& outcome) {
  const Terminal terminal = terminal_of(STDOUT_FILENO);
  if (options.json)
    print(json_text(answer_json(outcome), 2) + "\n");
  else if (options.prints_answer()) {
    print("\n");
    const std::string text =
        answer_text(outcome, terminal) + "\n" + summary_text(outcome, terminal);
    terminal.colour ? print_with_bold_start(text, answer_title_size(outcome, terminal))
                    : print(text);
  }
  finish_output();
}

/// What the configuration that a header chooses there loses over the best; null: not known.
void add_calibration(nlohmann::ordered_json& json, const Outcome& outcome,
                     std::span<const Calibration> calibrations) {
  for (const Calibration& one : calibrations)
    for (std::size_t i = 0; i < one.problems.size(); ++i)
      if (outcome.subject.drawn && to_text(one.problems[i]) == outcome.subject.problem) {
        const Loss& loss = one.figures.choices[i].loss;
        json["loss_of_header"] = loss && *loss != cannot_run ? nlohmann::ordered_json(*loss - 1)
                                                             : nlohmann::ordered_json();
      }
}

/// ", up to 8 added ones".
std::string added_text(const SessionSettings& settings, const Subject& subject) {
  return settings.add > 0 && !subject.recording ? fmt::format(", up to {} added ones", settings.add)
                                                : "";
}

} // namespace

void announce(const Subject& subject, const TuneOptions& options, const SessionSettings& settings) {
  std::vector<std::string> lines;
  if (subject.recording)
    lines.push_back(printable(replay_text(subject)));
  lines.push_back(printable(
      settings.across
          ? fmt::format("Tuning {} at {}{} on {}, chosen for {}, seed {}",
                        kernel_text(subject, settings), counted(settings.problems.size(), "size"),
                        settings.calibrate > 0 && !subject.recording
                            ? fmt::format("{} and up to {} drawn ones",
                                          added_text(settings, subject), settings.calibrate)
                            : added_text(settings, subject),
                        devices_text(subject), options.across, settings.seed)
          : fmt::format("Tuning {} on {}: {}, {}, seed {}", kernel_text(subject, settings),
                        devices_text(subject), counted(subject.configurations, "configuration"),
                        // By default a front has a strategy of its own.
                        settings.objective.find(',') != std::string::npos
                            ? "objectives " + settings.objective
                            : "strategy " + settings.strategy,
                        settings.seed)));
  if (subject.recording && options.calibrate)
    note("this is a replay, which draws no sizes");
  if (!options.prints_answer()) {
    if (!options.quiet || subject.recording) // what a replay is, its reader has to know
      note(lines.front());
    return;
  }
  for (const std::string& line : lines)
    print(wrapped(line, terminal_of(STDOUT_FILENO).width, 2) + "\n");
  finish_output(); // what cannot be written is known before hours of work
}

void check_stored(const SessionSettings& settings, const Outcome& outcome) {
  if (settings.store && !outcome.stored_in)
    throw CommandFailed(exit_failed, (outcome.subject.recording ? "nothing is stored in "
                                                                : "not everything is stored in ") +
                                         settings.store->string());
}

void check_formats(const TuneOptions& options, const SessionSettings& settings) {
  if (!options.report.empty() && !has_report_page())
    throw InputError("--report: " + std::string(no_report_page));
  for (const OutputFile& output : options.writes)
    if (settings.across && settings.problems.size() > 1 &&
        export_format(output.format).holds == Holds::one)
      throw InputError(fmt::format("format '{0}' holds one size, and --sizes has {1}; 'gridsmith "
                                   "export {0}' writes one of them from the store",
                                   output.format, settings.problems.size()));
}

void show(const TuneOptions& options, std::span<const Outcome> outcomes, const Trace& trace) {
  std::exception_ptr failure; // a full disk does not cost the files too
  try {
    for (const Outcome& outcome : outcomes)
      print_answer(options, outcome);
  } catch (const OutputError&) {
    failure = std::current_exception();
  }
  write_exports(options, outcomes, trace);
  if (failure)
    std::rethrow_exception(failure);
  for (const Outcome& outcome : outcomes)
    if (const std::string why = shortfall(outcome);
        !why.empty() && outcome.result.ended != Ended::stopped)
      throw CommandFailed(exit_failed, why);
}

void show_campaign(const TuneOptions& options, const SessionSettings& settings,
                   std::span<const Outcome> outcomes, const Trace& trace) {
  const std::vector<Calibration> calibrations = calibrations_of(outcomes);
  if (options.json) {
    auto list = nlohmann::ordered_json::array();
    for (const Outcome& outcome : outcomes) {
      list.push_back(answer_json(outcome));
      add_calibration(list.back(), outcome, calibrations);
      if (outcome.subject.added)
        list.back()["added"] = true;
    }
    print(json_text(list, 2) + "\n");
  } else if (options.prints_answer()) {
    print("\n" + campaign_text(outcomes, *settings.across, settings.weights, calibrations,
                               terminal_of(STDOUT_FILENO)));
  }
  finish_output();
  const auto asked = static_cast<std::size_t>(
      std::count_if(outcomes.begin(), outcomes.end(),
                    [](const Outcome& one) { return !one.subject.drawn && !one.subject.added; }));
  if (asked < settings.problems.size())
    note(fmt::format("{} of {} were not reached", settings.problems.size() - asked,
                     counted(settings.problems.size(), "size")));
  const Outcome& last = outcomes.back();
  if (settings.add > 0 && !last.subject.recording && last.result.ended == Ended::finished &&
      std::none_of(outcomes.begin(), outcomes.end(),
                   [](const Outcome& one) { return one.subject.added; }))
    note(
        "auto added no size: no choice is uncertain enough, or nothing could be measured where one is");
  if (settings.calibrate > 0 && calibrations.empty() && !last.subject.recording &&
      last.result.ended != Ended::stopped)
    note("not calibrated: no drawn size was measured to its end");
  write_exports(options, outcomes, trace);
  for (const Outcome& outcome : outcomes)
    if (const std::string why = shortfall(outcome);
        !why.empty() && outcome.result.ended != Ended::stopped && !outcome.subject.drawn)
      throw CommandFailed(exit_failed, fmt::format("{}: {}", outcome.subject.problem, why));
}

} // namespace gridsmith
