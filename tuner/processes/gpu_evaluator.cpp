#include "gridsmith/tuner/processes/gpu_evaluator.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/clock_text.hpp"
#include "gridsmith/results/measurement/measurement_json.hpp"
#include "gridsmith/tuner/processes/utilities_source.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <poll.h>

#include <algorithm>
#include <fstream>
#include <thread>

namespace gridsmith {
namespace {

// Ids of the two compilations that open the work; configurations count from 1.
constexpr std::uint64_t utilities_id = ~0ULL;
constexpr std::uint64_t reference_id = ~0ULL - 1;
// What a worker is given beyond what it works on, so that it can count a whole batch in one
// session.
constexpr std::size_t ahead_of_worker = 128;
constexpr std::size_t most_kept = 32; // more than there are finalists

CompilerSettings compiler_settings(const KernelInstance& instance, const GpuSettings& settings) {
  CompilerSettings result;
  result.program = settings.programs / "gridsmith-compiler";
  result.processes =
      settings.compilers ? settings.compilers : std::max(1u, std::thread::hardware_concurrency());
  result.compute_capability = instance.device.compute_capability;
  result.no_cache = settings.no_cache;
  result.cache_folder = settings.cache_folder;
  return result;
}

Bytes read_bytes(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in)
    throw InputError(fmt::format("{}: the file of expected output cannot be read", file.string()));
  return Bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
}

OpenWork open_work(const KernelInstance& instance, const GpuSettings& settings) {
  const Reference& reference = instance.definition.reference;
  OpenWork open;
  open.ordinal = instance.device.ordinal;
  open.label = instance.definition.name;
  open.arguments = argument_specs(instance);
  open.seed = settings.seed;
  open.host_reference = reference.host;
  open.problem = instance.problem.extents;
  if (!reference.file.empty())
    open.expected = read_bytes(reference.file);
  open.absolute_tolerance = reference.absolute_tolerance;
  open.relative_tolerance = reference.relative_tolerance;
  open.counters = settings.counters;
  open.warm = settings.warm;
  open.interval = settings.interval;
  open.min_samples = settings.min_samples;
  open.max_samples = settings.max_samples;
  open.max_ms = settings.max_ms;
  open.racing = settings.racing;
  open.measure_copy = true;
  return open;
}

/// The loaded function knows its registers and shared memory; only the compiler's report knows the
/// spills.
CompileFacts merge_facts(const std::optional<CompileFacts>& compiled, CompileFacts loaded) {
  if (!compiled)
    return loaded;
  if (loaded.registers_per_thread == 0)
    return *compiled;
  loaded.spill_store_bytes = compiled->spill_store_bytes;
  loaded.spill_load_bytes = compiled->spill_load_bytes;
  loaded.block_barriers = std::max(loaded.block_barriers, compiled->block_barriers);
  return loaded;
}

} // namespace

DeviceList query_devices(const std::filesystem::path& programs) {
  const auto program = programs / "gridsmith-worker";
  if (!std::filesystem::exists(program))
    return {{}, "built without a CUDA toolkit, so there is no GPU worker"};
  const ProgramOutput output = run_program(program, {"--devices"}, std::chrono::seconds(30));
  DeviceList list;
  try {
    const auto json = nlohmann::json::parse(output.text);
    json.at("devices").get_to(list.devices);
    json.at("reason").get_to(list.reason);
  } catch (const nlohmann::json::exception&) {
    list.reason = "the GPU worker " + output.ended;
  }
  if (list.devices.empty() && list.reason.empty())
    list.reason = "no CUDA device";
  return list;
}

GpuEvaluator::GpuEvaluator(const KernelInstance& instance, GpuSettings settings)
    : instance_(instance), settings_(std::move(settings)),
      pool_(compiler_settings(instance, settings_)), open_(open_work(instance, settings_)) {
  compile_start();
}

const Device& GpuEvaluator::device() const {
  return worker_ && worker_->opened() ? worker_->opened()->device : instance_.device;
}

std::size_t GpuEvaluator::depth() const {
  const std::size_t compilers = compiler_settings(instance_, settings_).processes;
  return 4 * compilers + ahead_of_worker;
}

void GpuEvaluator::wait_until_open() {
  while (!worker_ || !worker_->opened()) {
    take_compiled();
    advance(std::chrono::milliseconds(100));
  }
}

void GpuEvaluator::compile_start() {
  pool_.compile(utilities_id, utilities_request());
  if (!instance_.definition.reference.kernel.empty())
    pool_.compile(reference_id, reference_compile_request(instance_));
}

void GpuEvaluator::submit(EvaluationRequest request) {
  if (!first_request_)
    first_request_ = Clock::now();
  const std::uint64_t id = next_id_++;
  Pending pending;
  pending.ticket = request.ticket;
  pending.measurement.configuration = std::move(request.configuration);
  pending.measurement.warm = settings_.warm;
  const Configuration configuration = pending.measurement.configuration;
  pending_.emplace(id, std::move(pending));
  compile(configuration, id);
}

void GpuEvaluator::compile(const Configuration& configuration, std::uint64_t id) {
  try {
    pending_.at(id).measurement.geometry = launch_shape(instance_, configuration);
    pool_.compile(id, compile_request(instance_, configuration));
  } catch (const InputError& error) {
    EvaluateOutcome outcome;
    outcome.status = Status::constraints;
    outcome.reason = error.what();
    finish(id, outcome);
  }
}

void GpuEvaluator::expect(const std::vector<Configuration>& configurations) {
  for (const Configuration& configuration : configurations) {
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

void GpuEvaluator::take_compiled() {
  for (CompileOutcome& outcome : pool_.take()) {
    if (outcome.id == utilities_id || outcome.id == reference_id) {
      if (!outcome.ok)
        throw WorkerRefused((outcome.id == reference_id
                                 ? "the reference kernel does not compile: "
                                 : "the worker's own kernels do not compile: ") +
                                outcome.reason,
                            false);
      if (outcome.id == utilities_id)
        open_.utilities = std::move(outcome.cubin);
      else
        open_.reference_kernel =
            Launchable{std::move(outcome.cubin), outcome.kernel, reference_shape(instance_)};
      continue;
    }
    if (collecting_finalists_) {
      compiled_finalists_[outcome.id] = std::move(outcome);
      continue;
    }
    Measurement& measurement = pending_.at(outcome.id).measurement;
    measurement.compile_ms = outcome.ms;
    totals_.last_compiled_ms =
        std::chrono::duration<double, std::milli>(Clock::now() - *first_request_).count();
    if (!outcome.ok) {
      EvaluateOutcome failed;
      failed.status = Status::compile;
      failed.reason = outcome.reason;
      finish(outcome.id, failed);
      continue;
    }
    measurement.compile_facts = outcome.facts;
    Launchable launchable{std::move(outcome.cubin), outcome.kernel, measurement.geometry};
    pending_.at(outcome.id).launchable = launchable;
    EvaluateJob job{outcome.id, to_text(measurement.configuration), std::move(launchable),
                    best_ms_};
    if (worker_)
      worker_->evaluate(std::move(job));
    else
      before_worker_.push_back(std::move(job));
  }
  open_worker();
}

/// As soon as the utilities and the reference are compiled.
void GpuEvaluator::open_worker() {
  const bool needs_reference = !instance_.definition.reference.kernel.empty();
  if (worker_ || open_.utilities.empty() || (needs_reference && !open_.reference_kernel))
    return;
  WorkerSettings settings;
  settings.program = settings_.programs / "gridsmith-worker";
  settings.stage_limit = settings_.stage_limit;
  worker_.emplace(settings, open_);
  for (EvaluateJob& job : before_worker_)
    worker_->evaluate(std::move(job));
  before_worker_.clear();
}

void GpuEvaluator::finish(std::uint64_t id, const EvaluateOutcome& outcome) {
  const auto found = pending_.find(id);
  if (found == pending_.end())
    return;
  Measurement& measurement = found->second.measurement;
  measurement.status = outcome.status;
  measurement.reason = outcome.reason;
  measurement.times_ms = outcome.times_ms;
  measurement.raced_out = outcome.raced_out;
  measurement.compile_facts = merge_facts(measurement.compile_facts, outcome.facts);
  measurement.counters = outcome.counters;
  measurement.uncounted_because = outcome.uncounted_because;
  measurement.sm_clock_mhz = outcome.sm_clock_mhz;
  measurement.gpu_ms = outcome.gpu_ms;
  measurement.verify_ms = outcome.verify_ms;
  measurement.time_ms = outcome.time_ms;
  measurement.count_ms = outcome.count_ms;
  measurement.when = utc_now();
  totals_.gpu_busy_ms += outcome.gpu_ms;
  totals_.verify_ms += outcome.verify_ms;
  totals_.time_ms += outcome.time_ms;
  totals_.count_ms += outcome.count_ms;
  keep(measurement, std::move(found->second.launchable));
  done_.push_back({found->second.ticket, std::move(measurement)});
  pending_.erase(found);
}

void GpuEvaluator::take_measured() {
  if (!worker_)
    return;
  if (totals_.start_ms == 0 && worker_->opened())
    totals_.start_ms = std::chrono::duration<double, std::milli>(Clock::now() - started_).count();
  for (const EvaluateOutcome& outcome : worker_->take())
    finish(outcome.id, outcome);
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
    worker_->advance();
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

void GpuEvaluator::keep(const Measurement& measurement, Launchable launchable) {
  const auto time = median_ms(measurement);
  if (!measurement.correct() || measurement.raced_out || !time || launchable.cubin.empty())
    return;
  const auto place =
      std::upper_bound(kept_.begin(), kept_.end(), *time,
                       [](double ms, const Kept& one) { return ms < one.median_ms; });
  kept_.insert(place, {to_text(measurement.configuration), *time, std::move(launchable)});
  if (kept_.size() > most_kept)
    kept_.pop_back();
}

/// Compiled outcomes of all finalists under ids from `first` on: kept ones at once, others (of an
/// earlier run, from the store) compiled now.
void GpuEvaluator::gather_finalists(const std::vector<Configuration>& configurations,
                                    std::uint64_t first) {
  collecting_finalists_ = true;
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    const auto kept = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& one) {
      return one.configuration == to_text(configurations[i]);
    });
    if (kept == kept_.end()) {
      pool_.compile(first + i, compile_request(instance_, configurations[i]));
      continue;
    }
    CompileOutcome& outcome = compiled_finalists_[first + i];
    outcome.ok = true;
    outcome.cubin = kept->launchable.cubin;
    outcome.kernel = kept->launchable.kernel;
  }
  while (compiled_finalists_.size() < configurations.size() || !worker_) {
    take_compiled();
    if (compiled_finalists_.size() < configurations.size() || !worker_)
      advance(std::chrono::milliseconds(100));
  }
  collecting_finalists_ = false;
}

std::vector<Measurement> GpuEvaluator::finals(const std::vector<Configuration>& configurations) {
  const std::uint64_t first = next_id_;
  next_id_ += configurations.size();
  gather_finalists(configurations, first);

  FinalsJob job;
  job.rounds = settings_.final_rounds;
  job.second_seed = settings_.seed + 1;
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    CompileOutcome& outcome = compiled_finalists_.at(first + i);
    Pending pending;
    pending.measurement.configuration = configurations[i];
    pending.measurement.geometry = launch_shape(instance_, configurations[i]);
    pending.measurement.warm = settings_.warm;
    if (outcome.ok)
      job.jobs.push_back(
          {first + i, to_text(configurations[i]),
           Launchable{std::move(outcome.cubin), outcome.kernel, pending.measurement.geometry}, 0});
    pending_.emplace(first + i, std::move(pending));
  }
  worker_->finals(std::move(job));
  std::optional<FinalsOutcome> outcome;
  while (!(outcome = worker_->take_finals()))
    advance(std::chrono::milliseconds(1000));

  std::vector<Measurement> measurements;
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    EvaluateOutcome result;
    result.status = Status::compile;
    result.reason = compiled_finalists_.at(first + i).reason;
    for (const EvaluateOutcome& one : outcome->outcomes)
      if (one.id == first + i)
        result = one;
    finish(first + i, result);
    measurements.push_back(std::move(done_.back().measurement));
    done_.pop_back();
  }
  compiled_finalists_.clear();
  return measurements;
}

EvaluatorState GpuEvaluator::state() const {
  EvaluatorState state = totals_;
  state.compiling = pool_.running();
  state.queued = pool_.waiting() + (worker_ ? worker_->waiting() : before_worker_.size());
  state.measuring = worker_ ? worker_->in_flight() : 0;
  state.compiler_restarts = pool_.restarts();
  state.worker_restarts = worker_ ? worker_->restarts() : 0;
  state.compile_ms = pool_.compile_ms();
  state.wait_ms = worker_ ? worker_->idle_ms() : 0;
  if (worker_ && worker_->opened())
    state.counting = worker_->opened()->uncounted_because;
  return state;
}

} // namespace gridsmith
