// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/gpu/gpu_evaluator.hpp"

#include "gridsmith/base/clock_text.hpp"
#include "gridsmith/kernels/definition/compile_request.hpp"
#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/kernels/definition/unfilled_constants.hpp"
#include "gridsmith/metrics/code/cubin.hpp"
#include "gridsmith/tuner/gpu/launch_needs.hpp"
#include "gridsmith/tuner/gpu/open_work.hpp"

#include <algorithm>
#include <utility>

namespace gridsmith {
namespace {

constexpr std::uint64_t reference_number = 0; // trials count from 1
constexpr int final_rounds = 15;              // samples of each finalist

/// As the loaded function says, and the compiler's report where that says 0 or nothing: of the spills.
std::optional<CompileFacts> merge_facts(const std::optional<CompileFacts>& compiled,
                                        std::optional<CompileFacts> loaded) {
  if (!compiled || !loaded)
    return loaded ? loaded : compiled;
  for_both(*loaded, *compiled,
           []<typename T>(T& now, const T& then) { now = now == T{} || now == 0 ? then : now; });
  return loaded;
}

Execution failed(Status status, std::string reason) {
  Execution execution;
  execution.status = status;
  execution.reason = std::move(reason);
  return execution;
}

std::optional<std::string> refusal_of(const Device& device, const CompileFacts& facts,
                                      const Geometry& geometry) {
  return launch_refusal(device, facts, geometry.threads_per_block(), geometry.dynamic_shared_bytes);
}

double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

/// What processes measure works of several regimes, at several clocks.
Conditions timed_under(const EvaluatorStart& start, Conditions conditions) {
  conditions.regime = start.regime;
  conditions.locked_clock_mhz = start.locked_clock_mhz;
  return conditions;
}

} // namespace

GpuEvaluator::GpuEvaluator(const KernelInstance& instance, EvaluatorStart start,
                           GpuProcesses& processes)
    : instance_(instance), start_(std::move(start)), processes_(processes),
      conditions_(timed_under(start_, processes.conditions())), member_(processes.join()),
      open_(open_work(instance, conditions_, start_.seed)),
      needs_(std::make_unique<LaunchNeeds>(instance.device)) {
  open_.work = member_;
  const auto& defaults = start_.default_configuration;
  open_.reference.default_configuration = open_.reference.only_written =
      !instance_.definition.reference.any() && defaults;
  reference_wanted_ =
      instance_.definition.reference.kernel || open_.reference.default_configuration;
  if (reference_wanted_)
    processes_.compile(member_, reference_number,
                       open_.reference.default_configuration
                           ? compile_request(instance_, *defaults)
                           : reference_compile_request(instance_, start_.first));
}

GpuEvaluator::~GpuEvaluator() {
  processes_.withdraw(member_, reference_number);
  for (const auto& [number, pending] : pending_)
    processes_.withdraw(member_, number);
  processes_.pool().drop_ahead();
}

const Device& GpuEvaluator::device() const {
  return opened_ ? opened_->device : instance_.device;
}

Peaks GpuEvaluator::peaks() const {
  return opened_ ? opened_->peaks : Peaks{};
}

std::size_t GpuEvaluator::depth() const {
  return Pace::depth(processes_.pool().size());
}

/// All GPUs ask.
std::size_t GpuEvaluator::useful() const {
  return pace_.useful(processes_.compilers_of_its_own());
}

void GpuEvaluator::wait_until_open() {
  while (!works() || !processes_.worker().opened()) {
    take_compiled();
    advance(std::chrono::milliseconds(100));
  }
}

void GpuEvaluator::submit(std::vector<Trial> trials) {
  if (!first_trial_)
    first_trial_ = Clock::now();
  std::shared_ptr<Group> group;
  const bool many = pending_.size() + trials.size() >= processes_.pool().size();
  for (Trial& trial : trials) {
    if (trial.mode == Mode::race && trial.time)
      begin(std::move(trial), nullptr, many);
    else {
      if (!group)
        group = std::make_shared<Group>(Group{trial, trials.size(), {}});
      begin(std::move(trial), group, many);
    }
  }
}

void GpuEvaluator::begin(Trial trial, const std::shared_ptr<Group>& group, bool many) {
  const std::uint64_t number = ++numbers_;
  Pending& pending = pending_[number];
  pending.group = group;
  Measurement& measurement = pending.measurement;
  measurement.configuration = std::exchange(trial.configuration, {});
  pending.asked = trial;
  measurement.mode = trial.mode;
  measurement.conditions = conditions_;
  measurement.conditions.sampling = trial.sampling.value_or(conditions_.sampling);
  try {
    measurement.geometry = launch_geometry(instance_, measurement.configuration);
    const Code known = !group              ? nullptr
                       : group->asked.time ? kept_.of(measurement.configuration)
                                           : kept_.to_count(measurement.configuration);
    if (known)
      compiled(number, known);
    else if (auto refusal = refusal_of(device(), {}, measurement.geometry))
      finish(number, failed(Status::runtime, *refusal)); // whatever the compiler makes of it
    else {
      CompileForecast forecast = needs_->expect(measurement.configuration, measurement.geometry);
      forecast.more_follow = many;
      processes_.compile(member_, number, compile_request(instance_, measurement.configuration),
                         forecast);
    }
  } catch (const InputError& error) {
    finish(number, failed(Status::constraints, error.what()));
  }
}

void GpuEvaluator::compile_ahead(const std::vector<Configuration>& likely) {
  if (likely.empty())
    processes_.end_ahead(member_);
  for (const Configuration& configuration : likely) {
    try {
      processes_.pool().compile_ahead(compile_request(instance_, configuration));
    } catch (const InputError&) { // it will be said when it is asked for
    }
  }
}

std::size_t GpuEvaluator::spare_compilers() const {
  const CompilerPool& pool = processes_.pool();
  const std::size_t kept = std::max<std::size_t>(1, pool.size() / 4);
  return pool.idle() - std::min(pool.idle(), kept);
}

void GpuEvaluator::best_so_far(double best_ms) {
  best_ms_ = best_ms;
  if (works())
    processes_.worker().best_so_far(best_ms);
}

std::optional<std::uint64_t> GpuEvaluator::number_of(TrialId id) const {
  const auto found = std::find_if(pending_.begin(), pending_.end(),
                                  [&](const auto& one) { return one.second.asked.id == id; });
  return found == pending_.end() ? std::nullopt : std::optional(found->first);
}

std::optional<double> GpuEvaluator::compiling_s(TrialId id) const {
  const auto number = number_of(id);
  return number ? processes_.pool().running_s(job_id(*number)) : std::nullopt;
}

void GpuEvaluator::put_off(TrialId id) {
  if (const auto number = number_of(id))
    processes_.pool().put_off(job_id(*number));
}

void GpuEvaluator::give_up(TrialId id) {
  const auto number = number_of(id);
  if (!number)
    return;
  const double for_s = compiling_s(id).value_or(0);
  processes_.give_up(member_, *number);
  Execution answer = given_up_after(for_s);
  pending_.at(*number).measurement.spent.compile_ms = answer.spent.compile_ms;
  finish(*number, std::move(answer));
}

void GpuEvaluator::withdraw(TrialId id) {
  const auto found = pending_.find(number_of(id).value_or(0)); // numbers count from 1
  if (found == pending_.end())
    return;
  const std::uint64_t number = found->first;
  const auto group = found->second.group;
  const bool uncompiled = !found->second.code;
  pending_.erase(found);
  processes_.withdraw(member_, number);
  race_in_place_of(number);
  std::erase_if(before_open_, [&](const EvaluateBatch& batch) {
    return batch.jobs.size() == 1 && batch.jobs.front().id == job_id(number);
  });
  if (group && uncompiled)
    complete(group);
}

void GpuEvaluator::take_compiled() {
  for (const Compiled& one : processes_.take_compiled(member_))
    if (!take_opening(one))
      compiled(one.id, one.code);
  open_work_now();
}

/// True for what the work is opened with.
bool GpuEvaluator::take_opening(const Compiled& one) {
  if (one.id != reference_number)
    return false;
  const bool of_default = open_.reference.default_configuration;
  if (one.code->cubin)
    open_.reference.kernel =
        Launchable{one.code->cubin, one.code->kernel,
                   of_default ? launch_geometry(instance_, *start_.default_configuration)
                              : reference_geometry(instance_, start_.first)};
  else if (of_default)
    give_up_default("the default configuration does not compile: " + one.code->error.value_or(""));
  else
    throw WorkerRefused("the reference kernel does not compile: " + one.code->error.value_or(""),
                        false);
  return true;
}

void GpuEvaluator::compiled(std::uint64_t number, const Code& code) {
  const auto found = pending_.find(number);
  if (found == pending_.end())
    return;
  Pending& pending = found->second;
  Measurement& measurement = pending.measurement;
  measurement.spent.compile_ms = code->ms;
  totals_.last_compiled_ms = ms_since(*first_trial_);
  learn_needs(pending, *code);
  if (!code->cubin)
    return finish(number, failed(Status::compile, code->error.value_or("")), !code->of_machine);
  if (!std::exchange(code_seen_, true))
    look_at_constants(*code);
  measurement.compile_facts = code->facts;
  if (auto refusal = refusal_of(device(), code->facts, measurement.geometry))
    return finish(number, failed(Status::runtime, *refusal));
  pending.code = code;
  if (!pending.group)
    return race(number, pending);
  pending.group->jobs.push_back(job_of(number, pending));
  complete(pending.group);
}

void GpuEvaluator::look_at_constants(const CodeObject& code) {
  if (auto remark = unfilled_constants(instance_, empty_constants(*code.cubin));
      remark && remark->warning)
    totals_.unfilled_constants = std::move(remark->text);
}

/// What was learnt changes the order of those that still wait for a compiler.
void GpuEvaluator::learn_needs(const Pending& pending, const CodeObject& code) {
  const Measurement& of = pending.measurement;
  if (!needs_->learn(of.configuration, of.geometry, code))
    return;
  for (const auto& [number, other] : pending_)
    if (!other.code)
      processes_.expect(
          member_, number,
          needs_->expect(other.measurement.configuration, other.measurement.geometry));
}

/// One of each family of twins is launched.
void GpuEvaluator::race(std::uint64_t number, Pending& pending) {
  const std::string key = pending.asked.sampling
                              ? "" // sampled in its own way
                              : launch_key(*pending.code, pending.measurement.geometry);
  const Twins::Turn turn = twins_.join(number, key);
  pending.waits = turn == Twins::Turn::wait;
  if (turn == Twins::Turn::share)
    share(number);
  else if (turn == Twins::Turn::measure)
    launch(race_of(number, pending));
}

/// The twin that was launched is no longer, so that the next one is.
void GpuEvaluator::race_in_place_of(std::uint64_t left) {
  const auto next = twins_.left(left);
  if (!next)
    return;
  Pending& pending = pending_.at(*next);
  pending.waits = false;
  launch(race_of(*next, pending));
}

/// What its twin gave is what it would give; it took no time of its own.
void GpuEvaluator::share(std::uint64_t number) {
  const Measurement& measured = twins_.answer(number);
  Execution execution = measured;
  execution.spent = {};
  pending_.at(number).measurement.same_code_as = to_text(measured.configuration);
  twins_.forget(number);
  finish(number, std::move(execution));
}

LaunchJob GpuEvaluator::job_of(std::uint64_t number, const Pending& pending) const {
  return {job_id(number), to_text(pending.measurement.configuration),
          Launchable{pending.code->cubin, pending.code->kernel, pending.measurement.geometry}};
}

EvaluateBatch GpuEvaluator::race_of(std::uint64_t number, const Pending& pending) const {
  return {.mode = Mode::race,
          .jobs = {job_of(number, pending)},
          .sampling = pending.asked.sampling,
          .best_ms = best_ms_,
          .second_seed = start_.seed + 1,
          .count = pending.asked.count};
}

/// One more of the group is compiled, has failed, or is no longer wanted.
void GpuEvaluator::complete(const std::shared_ptr<Group>& group) {
  if (--group->uncompiled > 0)
    return;
  std::erase_if(group->jobs, [&](const LaunchJob& job) {
    return !pending_.contains(GpuProcesses::number_of(job.id));
  });
  if (!group->jobs.empty())
    launch({.mode = group->asked.mode,
            .jobs = std::move(group->jobs),
            .order = BatchOrder::rotating,
            .rounds = final_rounds,
            .second_seed = start_.seed + (group->asked.new_data ? 1 : 0),
            .count = group->asked.count,
            .time = group->asked.time});
}

void GpuEvaluator::launch(EvaluateBatch batch) {
  if (works())
    processes_.worker().evaluate(std::move(batch));
  else
    before_open_.push_back(std::move(batch));
}

/// As soon as the reference is compiled. Another's turn on the worker ends once nothing of it is wanted, and somebody
/// has something to launch.
void GpuEvaluator::open_work_now() {
  WorkerLink& worker = processes_.worker();
  const bool not_our_turn = worker.has_work() && (worker.is_wanted() || before_open_.empty());
  if (works() || not_our_turn || (reference_wanted_ && !open_.reference.kernel))
    return;
  worker.open(open_);
  if (best_ms_)
    worker.best_so_far(*best_ms_);
  for (EvaluateBatch& batch : std::exchange(before_open_, {}))
    worker.evaluate(std::move(batch));
}

/// From here on nothing is compared.
void GpuEvaluator::give_up_default(const std::string& because) {
  totals_.unverified_because = because;
  open_.reference.default_configuration = reference_wanted_ = false;
  open_.reference.kernel.reset();
}

/// A default configuration that faults costs the verification, not the tuning: the work is opened
/// again without it, and gets what the first one was given.
void GpuEvaluator::advance_processes(std::chrono::milliseconds limit) {
  try {
    processes_.advance(member_, limit);
  } catch (const WorkerRefused& refused) {
    if (refused.no_device() || opened_ || !works() || !open_.reference.default_configuration)
      throw;
    give_up_default(std::string("the GPU cannot prepare a comparison with the default "
                                "configuration's output: ") +
                    refused.what());
    processes_.renew_worker();
    for (const auto& [number, pending] : pending_)
      if (pending.code && pending.code->cubin && !pending.group && !pending.waits)
        launch(race_of(number, pending));
    open_work_now();
  }
}

void GpuEvaluator::finish(std::uint64_t number, Execution execution, bool judged) {
  const auto found = pending_.find(number);
  if (found == pending_.end())
    return;
  Pending pending = std::move(found->second);
  pending_.erase(found);
  Measurement& measurement = pending.measurement;
  execution.compile_facts = merge_facts(measurement.compile_facts, execution.compile_facts);
  execution.spent.compile_ms = measurement.spent.compile_ms;
  static_cast<Execution&>(measurement) = std::move(execution);
  measurement.when = utc_now();
  measurement.at_s = ms_since(started_) / 1000;
  add_fields(totals_.spent, measurement.spent);
  if (!totals_.uncounted_because)
    totals_.uncounted_because =
        measurement.uncounted_because; // found out when the first was counted
  if (measurement.mode == Mode::race && pending.asked.time)
    pace_.learn(measurement.spent);
  kept_.keep(measurement, pending.code);
  if (!pending.asked.count && measurement.correct() && measurement.same_code_as.empty() &&
      !measurement.uncounted_because && pending.code)
    kept_.keep_to_count(measurement.configuration, pending.code);
  const std::vector<std::uint64_t> sharing =
      judged ? twins_.measured(number, measurement) : std::vector<std::uint64_t>{};
  done_.push_back({pending.asked.id, std::move(measurement), judged});
  if (pending.group && !pending.code)
    complete(pending.group);
  for (const std::uint64_t twin : sharing)
    share(twin);
  if (!judged)
    race_in_place_of(number);
}

void GpuEvaluator::take_measured() {
  if (!works())
    return;
  WorkerLink& worker = processes_.worker();
  if (const auto& opened = worker.opened()) {
    if (!opened_)
      totals_.start_ms = ms_since(first_trial_.value_or(started_)); // it may have waited its turn
    opened_ = opened;
  }
  for (Executed& one : worker.take())
    finish(GpuProcesses::number_of(one.id), std::move(one.execution));
}

void GpuEvaluator::advance(std::chrono::milliseconds limit) {
  advance_processes(limit);
  take_compiled();
  take_measured();
}

std::vector<Evaluated> GpuEvaluator::collect(std::chrono::milliseconds limit) {
  const auto end = Clock::now() + limit;
  take_compiled(); // answers from the cache need no waiting
  for (bool again = true; again && done_.empty() && !pending_.empty();) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    advance(
        std::max(left, std::chrono::milliseconds(0))); // once at least, without waiting if need be
    again = Clock::now() < end;
  }
  return std::exchange(done_, {});
}

EvaluatorState GpuEvaluator::state() const {
  EvaluatorState state = totals_;
  const CompilerPool& pool = processes_.pool();
  const WorkerLink& worker = processes_.worker();
  const ProcessTally tally = processes_.tally(member_);
  state.compiling = pool.running();
  state.queued = pool.waiting() + (works() ? worker.waiting() : before_open_.size());
  state.measuring = worker.in_flight();
  state.compiler_restarts = tally.compiler_restarts;
  state.worker_restarts = tally.worker_restarts;
  state.spent.compile_ms = tally.compile_ms;
  state.compilations = tally.compiled.compilations;
  state.headers_made = tally.compiled.headers_made;
  state.headers_used = tally.compiled.headers_used;
  state.wait_ms = tally.idle_ms;
  if (opened_) {
    if (opened_->uncounted_because)
      state.uncounted_because = opened_->uncounted_because;
    state.reference_problem = opened_->reference_problem;
    state.elements_checked = opened_->elements_checked;
    state.only_written = opened_->only_written;
    if (opened_->unverified_because)
      state.unverified_because = opened_->unverified_because;
  }
  return state;
}

} // namespace gridsmith
