#include "gridsmith/results/formats/formats.hpp"
#include "gridsmith/base/clock_text.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/session/tune_job.hpp"
#include "gridsmith/tuner/cli/interrupts.hpp"
#include "gridsmith/tuner/cli/progress.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

namespace gridsmith {
namespace {

constexpr double finalist_within = 0.05; // of the best; drift between two samples is less

/// The files asked for beside the table.
void write_exports(const TuneJob& job, const TuneOptions& options, const TuningResult& result) {
  const std::pair<const char*, const std::string&> wanted[] = {
      {"t4", options.t4}, {"csv", options.csv}, {"recording", options.save_recording}};
  Export exported;
  Recording& recording = exported.recording;
  recording.format = "gridsmith";
  recording.kernel = job.context().kernel;
  recording.problem = job.context().problem;
  recording.date = utc_now();
  recording.conditions = job.context().conditions;
  recording.device = job.context().device;
  recording.parameters = job.space().parameters();
  recording.measurements = result.measurements;
  if (job.context().recorded) // a copy is as old as what it was copied from
    for (const Measurement& one : result.measurements)
      recording.date = one.when.empty() ? recording.date : std::min(recording.date, one.when);
  for (const auto& [format, file] : wanted)
    if (!file.empty())
      write_export(export_format(format), std::span(&exported, 1), file);
}

void answer(TuneJob& job, const TuneOptions& options, const TuningResult& result) {
  job.refresh_device();
  std::vector<Measurement> finals = result.finals;
  if (finals.empty()) // interrupted, or asked for none: the best as first measured
    for (const Measurement* one : finalists(
             result.measurements, std::max<std::size_t>(1, options.finalists), finalist_within))
      finals.push_back(*one);
  const std::vector<Ranked> ranked = rank(finals);
  job.add_answer(ranked);
  if (options.json)
    print(answer_json(job.context(), ranked, result).dump(2) + "\n");
  else
    print("\n" + answer_text(job.context(), ranked) + "\n" + summary_text(job.context(), result));
  write_exports(job, options, result);
  if (result.interrupted)
    note(
        "interrupted: the best so far is shown; the same command continues where this one stopped");
  if (ranked.empty())
    throw CommandFailed(exit_failed,
                        "no configuration gave a right result; see the reasons with --csv FILE");
}

void tune(TuneOptions options, const Installation& installation) {
  const Interrupts interrupts; // before any thread
  if (options.exhaustive)
    options.strategy = "exhaustive";
  TuneJob job(options, installation);
  const SearchProblem problem = job.problem();
  const auto strategy = make_strategy(options.strategy, problem);
  TuningSettings settings;
  settings.max_evaluations = options.evaluations;
  settings.max_seconds = options.seconds;
  settings.most_finalists = options.finalists;
  settings.finalist_within = finalist_within;
  ProgressLine line(stderr_is_terminal() && !options.quiet && !options.json);
  const TuningResult result = run_tuning(
      job.space(), *strategy, job.evaluator(), job.keeping(), settings,
      [&](const TuningProgress& progress) { line.show(progress); },
      [&] { return interrupts.requested(); });
  line.clear();
  answer(job, options, result);
}

void add_options(CLI::App& command, TuneOptions& options) {
  command.add_option("kernel", options.kernel, "Name of the catalogue or a T1 JSON file")
      ->type_name("KERNEL");
  command.add_option("--size", options.size,
                     "Problem size, e.g. 8192x8192; default: the definition's first");
  command
      .add_option("--strategy", options.strategy,
                  "Search strategy; 'gridsmith simulate --help' lists them")
      ->capture_default_str();
  command.add_flag("--exhaustive", options.exhaustive,
                   "Try every configuration (--strategy exhaustive)");
  command
      .add_option("--evaluations", options.evaluations,
                  "Stop after so many; default: the whole space")
      ->check(count_from(1));
  command.add_option("--seconds", options.seconds, "Ask no more after so many seconds")
      ->check(above(0));
  command.add_option("--seed", options.seed, "The one seed of all randomness")
      ->capture_default_str()
      ->check(count_from(0));
  command.add_option("--device", options.device, "Number of the CUDA device")
      ->capture_default_str()
      ->check(count_from(0));
  command.add_option(
      "--recording", options.recording,
      "Replay this file instead of using a GPU (ours, Kernel Tuner cache, T4, KTT; .gz too)");
  command.add_option("--store", options.store, "SQLite file of all measurements")
      ->capture_default_str();
  command.add_flag("--no-store", options.no_store, "Keep nothing on disk");
  command.add_flag("--warm", options.warm, "Do not flush the L2 cache between samples");
  command.add_option("--counters", options.counters, "Counter set: default, shared, full, none")
      ->capture_default_str();
  command
      .add_option("--interval", options.interval,
                  "Sample until the 95 % interval of the median is within ± this many percent")
      ->capture_default_str()
      ->check(above(0));
  command
      .add_option(
          "--lock-clock", options.lock_clock,
          "Lock the SM clock at so many MHz while tuning; restored whatever happens; needs root")
      ->check(count_from(1));
  command.add_option("--samples", options.samples, "At most so many samples of a configuration")
      ->capture_default_str()
      ->check(count_from(1));
  command.add_flag("--full", options.full,
                   "Give hopeless configurations all their samples too (no racing)");
  command.add_option("--finalists", options.finalists, "So many are measured again, interleaved")
      ->capture_default_str()
      ->check(count_from(0));
  command.add_option("--timeout", options.timeout, "Seconds until a launch counts as hanging")
      ->capture_default_str()
      ->check(above(0));
  command.add_option("--compilers", options.compilers, "Compiler processes; default: one per core")
      ->check(count_from(1));
  command.add_flag("--no-cache", options.no_cache,
                   "Compile everything anew: no cubin cache, no NVRTC cache");
  command.add_option("--t4", options.t4, "Also write all measurements as T4 JSON");
  command.add_option("--csv", options.csv, "Also write all measurements as CSV");
  command.add_option("--record", options.save_recording,
                     "Also write a recording that 'tune' can replay");
  command.add_flag("--json", options.json, "The answer as JSON on stdout");
  command.add_flag("--quiet", options.quiet, "No progress line");
}

} // namespace

void add_tune_command(CLI::App& app, const Installation& installation) {
  CLI::App* command = app.add_subcommand("tune", "Find the best configuration of a kernel");
  command->footer(
      "\nWithout a CUDA device the shipped recording of the kernel and problem is replayed, and "
      "the\n"
      "first line says so. A configuration that fails to compile, crashes, hangs or gives a wrong\n"
      "result is recorded with its reason and the tuning goes on. Ctrl-C once finishes the "
      "running\n"
      "evaluation and answers with the best so far; twice stops now. The same command continues\n"
      "where it stopped.");
  const auto options = std::make_shared<TuneOptions>();
  add_options(*command, *options);
  command->callback([options, &installation] { tune(*options, installation); });
}

} // namespace gridsmith
