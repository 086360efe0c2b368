// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/guard/pair_runs.hpp"

#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/metrics/analysis/rate_doubt.hpp"
#include "gridsmith/metrics/catalogue/counter_sets.hpp"
#include "gridsmith/results/measurement/derived.hpp"
#include "gridsmith/results/measurement/time_summary.hpp"
#include "gridsmith/tuner/gpu/open_work.hpp"

#include <fmt/format.h>

#include <chrono>

namespace gridsmith {
namespace {

constexpr const char* uncounted = "no counters: ";

PairSides sides_of(const CheckSubject& subject) {
  const std::string old_kernel =
      subject.before.binary ? subject.before.binary->kernel : subject.code->kernel;
  return {{subject.old_binary, old_kernel, subject.before.geometry},
          {subject.code->cubin, subject.code->kernel, subject.now.geometry}};
}

/// What it means that one of the two, or both, did not give a right result.
/// @param by_old what the old code cannot do either decides nothing
void fail(CheckCase& one, const PairExecutions& executions, bool by_old) {
  const auto say = [](const Execution& execution) {
    return fmt::format("{}{}{}", to_text(execution.status), execution.reason.empty() ? "" : ": ",
                       execution.reason);
  };
  if (by_old && !executions.before.correct()) {
    one.verdict = CheckVerdict::incomparable;
    one.reason = "the old code is not right there: " + say(executions.before);
  } else if (!executions.now.correct()) {
    one.verdict = CheckVerdict::wrong;
    one.reason = say(executions.now);
    if (!executions.before.correct())
      one.reason += fmt::format(" (the old code: {})", say(executions.before));
  } else {
    one.verdict = CheckVerdict::incomparable;
    one.reason = "the old code, with today's data: " + say(executions.before);
  }
}

/// Of a few pairs, whose ratio lies between those of the ends.
std::optional<PairedTime> rough_time(const PairsOfWorker& pairs) {
  const auto before = summarise(pairs.old_ms), now = summarise(pairs.new_ms);
  if (!before || !now)
    return std::nullopt;
  return PairedTime{.old_ms = before->median_ms,
                    .new_ms = now->median_ms,
                    .ratio = now->median_ms / before->median_ms,
                    .low = now->low_ms / before->high_ms,
                    .high = now->high_ms / before->low_ms,
                    .pairs = before->samples,
                    .workers = 1};
}

Measurement counted_launch(const Execution& execution, const Geometry& geometry) {
  Measurement counted;
  counted.status = Status::correct;
  counted.times_ms = execution.times_ms;
  counted.counters = execution.counters;
  counted.compile_facts = execution.compile_facts;
  counted.geometry = geometry;
  return counted;
}

Verdict verdict_on(const Measurement& counted, const RunningCase& running) {
  const KernelInstance& instance = *running.subject->instance;
  return gridsmith::judge(
      launch_facts(counted, instance.device, running.peaks, workload_of(instance)));
}

/// Why the time of now cannot be.
std::string doubt_of(const RunningCase& running) {
  const KernelInstance& instance = *running.subject->instance;
  const auto doubt = rate_doubt({.counters = running.counters_now,
                                 .device = instance.device,
                                 .time_ms = running.one->time->new_ms,
                                 .model_bytes = instance.model_bytes,
                                 .model_flops = instance.model_flops,
                                 .peaks = &running.peaks});
  return doubt ? to_text(*doubt) : "";
}

} // namespace

std::unique_ptr<PairWorker> PairRuns::process_for(const CheckSubject& subject,
                                                  const std::string& counters) const {
  Conditions conditions = conditions_of(subject, settings_);
  conditions.counter_set = counters;
  UseDevice device = use_device(*subject.instance, conditions);
  device.device_code = subject.device_code->cubin;
  return std::make_unique<PairWorker>(
      worker_settings(settings_.session.helpers, conditions.timeout_s), std::move(device));
}

/// Where the definition has no reference, old and new are compared with each other.
OpenWork PairRuns::work_of(const RunningCase& running, const std::string& counters) const {
  const CheckSubject& subject = *running.subject;
  Conditions conditions = conditions_of(subject, settings_);
  conditions.counter_set = counters;
  OpenWork open = open_work(*subject.instance, conditions, settings_.session.seed);
  open.work = running.work;
  open.counters.clear(); // of a race, which there is none of
  open.measure_copy = settings_.measure_copy;
  if (subject.reference)
    open.reference.kernel =
        Launchable{subject.reference->cubin, subject.reference->kernel,
                   reference_geometry(*subject.instance, subject.now.configuration)};
  else if (!subject.instance->definition.reference.any()) {
    open.reference.kernel = sides_of(subject).before;
    open.reference.default_configuration = true;
  }
  return open;
}

/// Adds pairs of the process that the step asks for. False: `one` says why there are none.
bool PairRuns::take(RunningCase& running, const PairStep& step, std::vector<PairsOfWorker>& to) {
  const CheckSubject& subject = *running.subject;
  const auto start = WorkerLink::Clock::now();
  begun_(subject);
  if (stop_.stop_requested() || (settings_.end_when_wrong && wrong_)) {
    running.one->reason = wrong_ ? "not judged: another launch was wrong" : "interrupted";
    return false;
  }
  try {
    if (!worker_ || process_ != step.process) {
      worker_.reset(); // its memory first
      worker_ = process_for(subject, "none");
      process_ = step.process;
    }
    if (!worker_->works_on(running.work))
      worker_->open(work_of(running, "none"));
    if (step.process == to.size())
      to.emplace_back();
    const auto executions = worker_->run(sides_of(subject),
                                         {.pairs = step.pairs,
                                          .new_first = loads_new_first(step.process),
                                          .change = subject.change,
                                          .vary = settings_.vary_data,
                                          .keep_scratch = subject.keep_scratch},
                                         stop_);
    running.one->seconds += std::chrono::duration<double>(WorkerLink::Clock::now() - start).count();
    if (!executions) {
      running.one->reason = "interrupted";
      return false;
    }
    tell_doubts(*running.one);
    if (const Peaks& measured = worker_->opened()->peaks; !measured.empty())
      running.peaks = measured;
    if (!executions->good()) {
      fail(*running.one, *executions, subject.only_verified || settings_.end_when_wrong);
      wrong_ = wrong_ || running.one->verdict == CheckVerdict::wrong;
      return false;
    }
    add_samples(*executions, to.back());
    return true;
  } catch (const WorkerRefused& refused) {
    if (refused.no_device())
      throw;
    worker_.reset();
    running.one->verdict = CheckVerdict::incomparable;
    running.one->reason = refused.what();
    return false;
  } catch (const InputError& error) { // a file of elements
    running.one->verdict = CheckVerdict::missing;
    running.one->reason = error.what();
    return false;
  }
}

/// What is wrong with what both were compared with.
void PairRuns::tell_doubts(const CheckCase& one) {
  const auto& opened = worker_->opened();
  for (const auto& doubt : {opened->reference_problem, opened->unverified_because})
    if (doubt)
      doubt_(title_of(one) + (one.data.empty() ? "" : ", " + one.data) +
             ": not verified: " + *doubt);
}

void PairRuns::verify(RunningCase& running) {
  std::vector<PairsOfWorker> few;
  few.resize(process_ + 1);
  if (take(running, {.process = process_, .pairs = 1}, few)) {
    running.one->verdict = CheckVerdict::same;
    running.one->time = rough_time(few.back());
  } else if (running.one->verdict == CheckVerdict::incomparable) {
    compare_with_old(running);
  }
}

/// Where the reference is of no use, the old code says what is expected.
void PairRuns::compare_with_old(RunningCase& running) {
  constexpr std::uint64_t other_works = std::uint64_t{1} << 32;
  if (!worker_ || stop_.stop_requested())
    return;
  OpenWork open = work_of(running, "none");
  open.work += other_works;
  open.reference = {};
  open.reference.kernel = sides_of(*running.subject).before;
  open.reference.default_configuration = true;
  try {
    worker_->open(std::move(open));
    const auto executions = worker_->run(sides_of(*running.subject), {}, stop_);
    if (!executions || !executions->before.correct())
      return;
    if (!executions->now.correct()) {
      running.one->doubt = "unlike the old code: " + executions->now.reason;
      return;
    }
    PairsOfWorker few;
    add_samples(*executions, few);
    running.one->time = rough_time(few);
  } catch (const WorkerRefused& refused) { // it stays incomparable
    if (refused.no_device())
      throw;
    worker_.reset();
  }
}

void PairRuns::judge(std::span<RunningCase> running) {
  const auto judged = judge_kernels(
      running.size(),
      [&](std::size_t kernel, const PairStep& step, std::vector<PairsOfWorker>& to) {
        return take(running[kernel], step, to);
      },
      settings_.pairs);
  for (std::size_t i = 0; i < running.size(); ++i)
    if (judged[i]) {
      CheckCase& one = *running[i].one;
      one.verdict = judged[i]->verdict;
      one.reason = judged[i]->reason;
      one.time = judged[i]->time;
      one.doubt = doubt_of(running[i]);
    }
}

void PairRuns::count(RunningCase& running) {
  if (stop_.stop_requested())
    return;
  worker_.reset();
  try {
    const auto by = objective_to_count(*running.subject, settings_, *running.one);
    const std::string counters =
        by ? with_counters("default", by->counters) : std::string("default");
    if (!counting_ || std::exchange(counted_, counters) != counters)
      counting_.reset(); // its device first
    if (!counting_)
      counting_ = process_for(*running.subject, counters);
    counting_->open(work_of(running, counters));
    const auto executions = counting_->run(sides_of(*running.subject), {}, stop_);
    if (!executions)
      return;
    if (!executions->good()) // what was right when it was timed
      return fail(*running.one, *executions, false);
    running.counters_before = executions->before.counters;
    running.counters_now = executions->now.counters;
    const Measurement before = counted_launch(executions->before, running.subject->before.geometry);
    const Measurement now = counted_launch(executions->now, running.subject->now.geometry);
    running.verdict_before = verdict_on(before, running);
    running.verdict_now = verdict_on(now, running);
    if (by) {
      const KernelInstance& instance = *running.subject->instance;
      const Workload workload = workload_of(instance);
      running.one->objective = guarded(
          *by, by->value(before, workload), by->value(now, workload), settings_.pairs.least_effect,
          executions->now.uncounted_because.value_or(why_not_counted(*by)));
    }
    if (const auto& why = executions->now.uncounted_because)
      doubt_(uncounted + *why);
  } catch (const WorkerRefused& refused) { // it has run: without counters it is judged all the same
    counting_.reset();
    doubt_(std::string(uncounted) + refused.what());
  }
}

} // namespace gridsmith
