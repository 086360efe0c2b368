// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/results/store/holdings.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/interrupts.hpp"
#include "gridsmith/tuner/cli/tuning/batch_job.hpp"
#include "gridsmith/tuner/cli/tuning/tune_all.hpp"
#include "gridsmith/tuner/cli/tuning/tune_output.hpp"
#include "gridsmith/tuner/presentation/progress.hpp"
#include "gridsmith/tuner/session/size_list.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

namespace gridsmith {
namespace {

/// What is true of a tuning that was stopped.
std::string interrupted_text(const TuneOptions& options, std::span<const Outcome> outcomes) {
  const auto measured = [](const Outcome& one) { return !one.result.measurements.empty(); };
  if (std::none_of(outcomes.begin(), outcomes.end(), measured))
    return "interrupted before anything was measured";
  const bool best = std::any_of(outcomes.begin(), outcomes.end(),
                                [](const Outcome& one) { return !one.answer.ranking.empty(); });
  std::string text = "interrupted";
  if (options.prints_answer() || options.json)
    text += best ? ": the best so far is shown" : " before any configuration gave a correct result";
  if (outcomes.back().stored_in && !outcomes.back().subject.recording)
    text += "; the same command continues where this one stopped";
  return text;
}

void tune(const CLI::App& command, TuneOptions options, const Installation& installation) {
  check_outputs(command, options.outputs(), options.json);
  if (command.count("--store") > 0)
    check_is_store(*options.session.store);
  // Before Ctrl-C means "the best so far".
  const auto draft = draft_source(command, options.source, options.session);
  const Interrupts interrupts; // before any thread of the session
  if (draft) {
    options.session.definition = draft->definition;
    if (options.prints_answer())
      print(draft->text);
  }
  const SessionSettings settings = settings_of(options, installation);
  check_formats(options, settings);
  Watching watching(options.watch);
  Session session(settings);
  bool announced = false;
  ProgressLine line(stderr_is_terminal() && !options.quiet && !options.json);
  Trace trace;
  const auto keep = [&](const Span& span) { trace.add(span); };
  const bool kept = !options.trace.empty() || !options.report.empty();
  const Listener listener{
      .building = [&](const SpaceProgress& progress) { line.show(progress); },
      .begun =
          [&](const Subject& subject) {
            line.clear();
            if (!settings.across || !std::exchange(announced, true))
              announce(subject, options, settings);
          },
      .progress =
          [&](const Progress& progress) {
            if (options.verbose)
              line.tell(progress);
            line.show(progress);
          },
      .note = note,
      .span = kept ? SpanSink(keep) : SpanSink{},
  };
  const std::vector<Outcome> outcomes = session.run(interrupts.token(), watching.beside(listener));
  line.clear();
  if (!options.trace.empty())
    write_output(options.trace, trace.text(), options.quiet);
  if (outcomes.empty())
    throw CommandFailed(exit_interrupted, "interrupted before anything was measured");
  if (settings.across)
    show_campaign(options, settings, outcomes, trace);
  else
    show(options, outcomes, trace);
  finish_output(); // while a Ctrl-C is heard
  watching.finish(outcomes, interrupts.token());
  if (outcomes.back().result.ended == Ended::stopped)
    throw CommandFailed(exit_interrupted, interrupted_text(options, outcomes));
  for (const Outcome& outcome : outcomes)
    check_stored(settings, outcome);
}

/// A definition that cannot be read is a task too, which says so.
std::vector<BatchJob::Task> tasks_of(const AllSettings& settings) {
  std::vector<BatchJob::Task> tasks;
  for (const std::filesystem::path& file : definitions_of(settings)) {
    std::vector<ProblemSize> sizes;
    try {
      sizes = problems_of(read_definition(file, settings.session.include), settings);
    } catch (const InputError&) {
      sizes.clear(); // told by the task itself
    }
    auto groups = size_groups(file, sizes);
    if (groups.size() == 1 && settings.session.problems.empty())
      groups.front().sizes.clear();
    std::move(groups.begin(), groups.end(), std::back_inserter(tasks));
  }
  return tasks;
}

/// The campaign that would run here, for a batch system.
void print_batch_job(const TuneOptions& options, const AllSettings& settings) {
  if (!settings.session.store)
    throw InputError("--slurm and --print need a store, into which the tasks' stores are merged");
  const BatchJob job{.tasks = tasks_of(settings),
                     .options = options.for_tasks,
                     .into = options.into,
                     .store = *settings.session.store,
                     .seconds = settings.session.budget.seconds,
                     .evaluations = settings.session.budget.evaluations};
  print(options.slurm ? slurm_text(job) : plain_text(job));
  finish_output();
}

void tune_every(const CLI::App& command, const TuneOptions& options,
                const Installation& installation) {
  if (options.session.every_regime)
    throw InputError(
        "--regime all is of one kernel and one size; --all has one regime (valid: cold, warm, rotate, "
        "back-to-back, graph)");
  TuneOptions without_sizes = options; // those of one kernel
  without_sizes.sizes.clear();
  TuneAllWishes wishes{.settings = {.session = settings_of(without_sizes, installation)},
                       .into = options.into,
                       .writes = options.writes,
                       .json = options.json,
                       .quiet = options.quiet,
                       .verbose = options.verbose};
  if (options.session.objective.find(',') != std::string::npos)
    throw InputError(
        "a front of two objectives is of one kernel and one size; --all has one objective");
  if (!options.sizes.empty())
    wishes.settings.session.problems = sizes_for_all(options.sizes);
  wishes.settings.where.assign(options.all.begin(), options.all.end());
  wishes.settings.from.assign(options.from.begin(), options.from.end());
  if (options.slurm || options.print)
    return print_batch_job(options, wishes.settings);
  tune_all_kernels(command, wishes);
}

class TuneCommand final : public Command {
public:
  TuneCommand(CLI::App& app, const Installation& installation);
  void run() override;

private:
  TuneOptions options_;
};

TuneCommand::TuneCommand(CLI::App& app, const Installation& installation)
    : Command(app, installation, "tune", "Find the fastest configuration of a kernel") {
  line_.footer(
      "Example:\n"
      "  gridsmith tune transpose --size 8192x8192\n"
      "  gridsmith tune main.cu --kernel scale --set BLOCK=64,128,256\n"
      "\n"
      "Without a CUDA device, the shipped recording of the kernel and size is replayed, and the "
      "first line says so. If a configuration fails to compile, crashes, hangs or gives a wrong "
      "result, the reason is recorded and the search continues.\n"
      "\n"
      "FILE.cu is tuned as it is: host code is left alone, and nvcc compiles it where NVRTC does not. "
      "Arguments, sizes and launch are read from the file; what it does not say plainly is asked for "
      "by an option. See docs/own_kernel.md.\n"
      "\n"
      "--all tunes the whole catalogue, or every kernel of a folder, for a new GPU; see "
      "docs/shipping.md.\n"
      "\n"
      "Press Ctrl-C once for the best so far, within two seconds and not measured again, with exit "
      "code 130; twice to stop at once. The same command continues where it stopped.\n"
      "\n"
      "Exit codes:\n"
      "  0    done\n"
      "  1    no configuration gave a correct result, or all finalists failed when measured again, "
      "or a file could not be written\n"
      "  2    usage or bad input\n"
      "  3    no usable device\n"
      "  130  interrupted; the measurements so far are stored");
  options_.session.helpers.installation = installation;
  add_tune_options(line_, options_);
}

void TuneCommand::run() {
  note_given(line_, options_);
  if (line_.count("--all") > 0)
    tune_every(line_, options_, installation_);
  else
    tune(line_, options_, installation_);
}

} // namespace

extern const AddCommand add_tune_command = add_command<TuneCommand>;

} // namespace gridsmith
