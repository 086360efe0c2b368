#include "gridsmith/tuner/gpu/gpu_evaluator.hpp"

#include "gridsmith/base/clock_text.hpp"
#include "gridsmith/kernels/definition/compile_request.hpp"
#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/tuner/gpu/open_work.hpp"
#include "gridsmith/tuner/processes/device_code_source.hpp"

#include <poll.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace gridsmith {
namespace {

// Ids of the two compilations that open the work; trials count from 1.
constexpr std::uint64_t device_code_id = ~0ULL;
constexpr std::uint64_t reference_id = ~0ULL - 1;
// What a worker is given beyond what it works on, so that it can count a whole batch in one
// session.
constexpr std::size_t ahead_of_worker = 128;
constexpr std::size_t most_kept = 32; // more than there are finalists

std::size_t compilers_of(const GpuSettings& settings) {
  return settings.compilers.value_or(std::max(1u, std::thread::hardware_concurrency()));
}

CompilerSettings compiler_settings(const KernelInstance& instance, const GpuSettings& settings) {
  CompilerSettings result;
  result.program = settings.helpers / "gridsmith-compiler";
  result.readable = instance.definition.readable;
  result.confined = settings.confined;
  result.processes = compilers_of(settings);
  result.compute_capability = instance.device.compute_capability;
  result.no_cache = !settings.cache;
  result.cache_folder = settings.cache.value_or("");
  return result;
}

/// The loaded function knows its registers and shared memory; only the compiler's report knows the
/// spills.
std::optional<CompileFacts> merge_facts(const std::optional<CompileFacts>& compiled,
                                        std::optional<CompileFacts> loaded) {
  if (!compiled || !loaded)
    return loaded ? loaded : compiled;
  loaded->spill_store_bytes = compiled->spill_store_bytes;
  loaded->spill_load_bytes = compiled->spill_load_bytes;
  loaded->block_barriers = std::max(loaded->block_barriers, compiled->block_barriers);
  return loaded;
}

Execution failed(Status status, std::string reason) {
  Execution execution;
  execution.status = status;
  execution.reason = std::move(reason);
  return execution;
}

void add(TimeSpent& sum, const TimeSpent& one) {
  sum.gpu_ms += one.gpu_ms;
  sum.verify_ms += one.verify_ms;
  sum.time_ms += one.time_ms;
  sum.count_ms += one.count_ms;
}

double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

} // namespace

GpuEvaluator::GpuEvaluator(const KernelInstance& instance, GpuSettings settings)
    : instance_(instance), settings_(std::move(settings)),
      pool_(compiler_settings(instance, settings_)),
      open_(open_work(instance, settings_.conditions, settings_.seed)) {
  pool_.compile(device_code_id, device_code_request());
  const auto& defaults = settings_.default_configuration;
  open_.reference.default_configuration = !instance_.definition.reference.any() && defaults;
  reference_wanted_ =
      instance_.definition.reference.kernel || open_.reference.default_configuration;
  if (reference_wanted_)
    pool_.compile(reference_id, open_.reference.default_configuration
                                    ? compile_request(instance_, *defaults)
                                    : reference_compile_request(instance_, settings_.first));
}

const Device& GpuEvaluator::device() const {
  return worker_ && worker_->opened() ? worker_->opened()->device : instance_.device;
}

Peaks GpuEvaluator::peaks() const {
  return worker_ && worker_->opened() ? worker_->opened()->peaks : Peaks{};
}

std::size_t GpuEvaluator::depth() const {
  return 4 * compilers_of(settings_) + ahead_of_worker;
}

void GpuEvaluator::wait_until_open() {
  while (!worker_ || !worker_->opened()) {
    take_compiled();
    advance(std::chrono::milliseconds(100));
  }
}

void GpuEvaluator::submit(std::vector<Trial> trials) {
  if (!first_trial_)
    first_trial_ = Clock::now();
  std::shared_ptr<Group> group;
  for (Trial& trial : trials) {
    if (trial.mode == Mode::race)
      begin(std::move(trial), nullptr);
    else {
      if (!group)
        group = std::make_shared<Group>(Group{trial.mode, trials.size(), {}});
      begin(std::move(trial), group);
    }
  }
}

void GpuEvaluator::begin(Trial trial, const std::shared_ptr<Group>& group) {
  Pending& pending = pending_[trial.id];
  pending.group = group;
  Measurement& measurement = pending.measurement;
  measurement.configuration = std::exchange(trial.configuration, {});
  pending.asked = trial;
  measurement.mode = trial.mode;
  measurement.conditions = settings_.conditions;
  measurement.conditions.sampling = trial.sampling.value_or(settings_.conditions.sampling);
  try {
    measurement.geometry = launch_geometry(instance_, measurement.configuration);
    if (const Code code = kept(measurement.configuration); code && group)
      compiled(trial.id, code);
    else
      pool_.compile(trial.id, compile_request(instance_, measurement.configuration));
  } catch (const InputError& error) {
    finish(trial.id, failed(Status::constraints, error.what()));
  }
}

void GpuEvaluator::compile_ahead(const std::vector<Configuration>& likely) {
  for (const Configuration& configuration : likely) {
    try {
      pool_.compile_ahead(compile_request(instance_, configuration));
    } catch (const InputError&) { // it will be said when it is asked for
    }
  }
}

void GpuEvaluator::best_so_far(double best_ms) {
  best_ms_ = best_ms;
  if (worker_)
    worker_->best_so_far(best_ms);
}

void GpuEvaluator::withdraw(TrialId id) {
  const auto found = pending_.find(id);
  if (found == pending_.end())
    return;
  const auto group = found->second.group;
  const bool uncompiled = !found->second.code;
  pending_.erase(found);
  pool_.withdraw(id);
  if (worker_)
    worker_->withdraw(id);
  std::erase_if(before_worker_, [&](const EvaluateBatch& batch) {
    return batch.jobs.size() == 1 && batch.jobs.front().id == id;
  });
  if (group && uncompiled)
    complete(group);
}

void GpuEvaluator::take_compiled() {
  for (const Compiled& one : pool_.take())
    if (!take_opening(one))
      compiled(one.id, one.code);
  open_worker();
}

/// True for what the worker is opened with.
bool GpuEvaluator::take_opening(const Compiled& one) {
  if (one.id != device_code_id && one.id != reference_id)
    return false;
  const bool reference = one.id == reference_id;
  if (!one.code->cubin && reference && open_.reference.default_configuration) {
    give_up_default("the default configuration does not compile: " + one.code->error.value_or(""));
    return true;
  }
  if (!one.code->cubin)
    throw WorkerRefused((reference ? "the reference kernel does not compile: "
                                   : "the worker's own kernels do not compile: ") +
                            one.code->error.value_or(""),
                        false);
  if (reference)
    open_.reference.kernel =
        Launchable{one.code->cubin, one.code->kernel,
                   open_.reference.default_configuration
                       ? launch_geometry(instance_, *settings_.default_configuration)
                       : reference_geometry(instance_, settings_.first)};
  else
    open_.device_code = one.code->cubin;
  return true;
}

void GpuEvaluator::compiled(TrialId id, const Code& code) {
  const auto found = pending_.find(id);
  if (found == pending_.end())
    return;
  Pending& pending = found->second;
  Measurement& measurement = pending.measurement;
  measurement.spent.compile_ms = code->ms;
  totals_.last_compiled_ms = ms_since(*first_trial_);
  if (!code->cubin)
    return finish(id, failed(Status::compile, code->error.value_or("")), !code->of_machine);
  measurement.compile_facts = code->facts;
  pending.code = code;
  if (!pending.group)
    return launch(race_of(id, pending));
  pending.group->jobs.push_back(job_of(id, pending));
  complete(pending.group);
}

LaunchJob GpuEvaluator::job_of(TrialId id, const Pending& pending) const {
  return {id, to_text(pending.measurement.configuration),
          Launchable{pending.code->cubin, pending.code->kernel, pending.measurement.geometry}};
}

EvaluateBatch GpuEvaluator::race_of(TrialId id, const Pending& pending) const {
  return {.mode = Mode::race,
          .jobs = {job_of(id, pending)},
          .sampling = pending.asked.sampling,
          .best_ms = best_ms_};
}

/// One more of the group is compiled, has failed, or is no longer wanted.
void GpuEvaluator::complete(const std::shared_ptr<Group>& group) {
  if (--group->uncompiled > 0)
    return;
  std::erase_if(group->jobs, [&](const LaunchJob& job) { return !pending_.contains(job.id); });
  if (!group->jobs.empty())
    launch({.mode = group->mode,
            .jobs = std::move(group->jobs),
            .order = BatchOrder::rotating,
            .rounds = settings_.final_rounds,
            .second_seed = settings_.seed + 1});
}

void GpuEvaluator::launch(EvaluateBatch batch) {
  if (worker_)
    worker_->evaluate(std::move(batch));
  else
    before_worker_.push_back(std::move(batch));
}

/// As soon as its own code and the reference are compiled.
void GpuEvaluator::open_worker() {
  if (worker_ || !open_.device_code || (reference_wanted_ && !open_.reference.kernel))
    return;
  WorkerSettings settings;
  settings.program = settings_.helpers / "gridsmith-worker";
  settings.confined = settings_.confined;
  settings.limits.stage_limit =
      std::chrono::milliseconds(static_cast<std::int64_t>(settings_.conditions.timeout_s * 1000));
  worker_.emplace(settings, open_);
  for (EvaluateBatch& batch : before_worker_)
    worker_->evaluate(std::move(batch));
  before_worker_.clear();
}

/// From here on nothing is compared.
void GpuEvaluator::give_up_default(const std::string& because) {
  totals_.unverified_because = because;
  open_.reference.default_configuration = reference_wanted_ = false;
  open_.reference.kernel.reset();
}

/// A default configuration that faults costs the verification, not the tuning: the worker is opened
/// again without it, and gets what the first one was given.
void GpuEvaluator::advance_worker() {
  try {
    worker_->advance();
  } catch (const WorkerRefused& refused) {
    if (refused.no_device() || worker_->opened() || !open_.reference.default_configuration)
      throw;
    give_up_default(std::string("with the default configuration's output to compare with the work "
                                "cannot be opened: ") +
                    refused.what());
    worker_.reset();
    for (const auto& [id, pending] : pending_)
      if (pending.code && pending.code->cubin && !pending.group)
        launch(race_of(id, pending));
    open_worker();
  }
}

void GpuEvaluator::finish(TrialId id, Execution execution, bool judged) {
  const auto found = pending_.find(id);
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
  add(totals_.spent, measurement.spent);
  keep(measurement, pending.code);
  done_.push_back({id, std::move(measurement), judged});
  if (pending.group && !pending.code)
    complete(pending.group);
}

void GpuEvaluator::take_measured() {
  if (!worker_)
    return;
  if (totals_.start_ms == 0 && worker_->opened())
    totals_.start_ms = ms_since(started_);
  for (Executed& one : worker_->take())
    finish(one.id, std::move(one.execution));
}

void GpuEvaluator::advance(std::chrono::milliseconds limit) {
  std::vector<pollfd> descriptors;
  pool_.add_descriptors(descriptors);
  auto deadline = std::min(Clock::now() + limit, pool_.deadline());
  if (worker_) {
    worker_->add_descriptors(descriptors);
    deadline = std::min(deadline, worker_->deadline());
  }
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  ::poll(descriptors.data(), descriptors.size(),
         static_cast<int>(std::max<std::int64_t>(0, wait.count())));
  pool_.advance();
  if (worker_)
    advance_worker();
  take_compiled();
  take_measured();
}

std::vector<Evaluated> GpuEvaluator::collect(std::chrono::milliseconds limit) {
  const auto end = Clock::now() + limit;
  take_compiled(); // answers from the cache need no waiting
  while (done_.empty() && !pending_.empty() && Clock::now() < end)
    advance(std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()) +
            std::chrono::milliseconds(1));
  return std::exchange(done_, {});
}

void GpuEvaluator::keep(const Measurement& measurement, const Code& code) {
  const auto time = median_ms(measurement);
  if (!measurement.correct() || measurement.pruned_early || !time || !code)
    return;
  const auto place =
      std::upper_bound(kept_.begin(), kept_.end(), *time,
                       [](double ms, const Kept& one) { return ms < one.median_ms; });
  kept_.insert(place, {to_text(measurement.configuration), *time, code});
  if (kept_.size() > most_kept)
    kept_.pop_back();
}

GpuEvaluator::Code GpuEvaluator::kept(const Configuration& configuration) const {
  const std::string text = to_text(configuration);
  const auto found = std::find_if(kept_.begin(), kept_.end(),
                                  [&](const Kept& one) { return one.configuration == text; });
  return found == kept_.end() ? nullptr : found->code;
}

EvaluatorState GpuEvaluator::state() const {
  EvaluatorState state = totals_;
  state.compiling = pool_.running();
  state.queued = pool_.waiting() + (worker_ ? worker_->waiting() : before_worker_.size());
  state.measuring = worker_ ? worker_->in_flight() : 0;
  state.compiler_restarts = pool_.restarts();
  state.worker_restarts = worker_ ? worker_->restarts() : 0;
  state.spent.compile_ms = pool_.compile_ms();
  state.wait_ms = worker_ ? worker_->idle_ms() : 0;
  if (worker_ && worker_->opened()) {
    state.uncounted_because = worker_->opened()->uncounted_because;
    state.reference_problem = worker_->opened()->reference_problem;
    state.elements_checked = worker_->opened()->elements_checked;
    if (worker_->opened()->unverified_because)
      state.unverified_because = worker_->opened()->unverified_because;
  }
  return state;
}

} // namespace gridsmith
