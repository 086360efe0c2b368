#include "gridsmith/tuner/worker/work.hpp"

#include "gridsmith/results/measurement/measurement.hpp"
#include "gridsmith/tuner/worker/device_query.hpp"
#include "gridsmith/tuner/worker/expected_answer.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace gridsmith {

namespace {

constexpr int exit_context_lost = 4;

std::string needed_memory(const std::vector<ArgumentSpec>& arguments) {
  double bytes = 0;
  for (const ArgumentSpec& argument : arguments)
    if (const auto& buffer = argument.buffer)
      bytes += static_cast<double>(buffer->elements) * static_cast<double>(size_of(buffer->type)) *
               (1 + (buffer->output ? 1 : 0) + (buffer->access == Access::read_write ? 1 : 0));
  return fmt::format("the data needs {:.2f} GB", bytes / 1e9);
}

} // namespace

Work::Work(OpenWork open, int output, Inbox& inbox, Clock::time_point started)
    : open_(std::move(open)), output_(output), inbox_(inbox) {
  check(cudaSetDevice(open_.ordinal));
  check(cudaFree(nullptr)); // the context, so that its cost is here
  device_ = query_device(open_.ordinal);
  stream_ = make_stream();
  utilities_.emplace(open_.utilities, device_.sm_count, stream_.get());
  try {
    data_.emplace(open_.arguments, Tolerance{open_.absolute_tolerance, open_.relative_tolerance},
                  *utilities_);
    opened_.reference_problem =
        make_expected(open_, open_.seed, device_, *utilities_, *data_, SpotCheck::yes);
    stopwatch_.emplace(*utilities_, device_, open_.warm, [this] { data_->restore(); });
    verdicts_ = allocate(largest_batch * data_->verdicts() * sizeof(Verdict));
  } catch (const CudaError& error) {
    if (error.code() == cudaErrorMemoryAllocation)
      throw std::runtime_error(
          fmt::format("{} ({})", error.plain(), needed_memory(open_.arguments)));
    throw;
  }
  host_verdicts_ = allocate_pinned(largest_batch * data_->verdicts() * sizeof(Verdict));
  open_counters();
  if (open_.measure_copy)
    device_.measured_copy_gb_per_s = measure_copy();
  check(cudaStreamSynchronize(stream_.get()));
  opened_.device = device_;
  opened_.start_ms = since_ms(started);
}

void Work::open_counters() {
  if (!open_.counters.empty()) {
    opened_.uncounted_because = attached_profiler();
    try {
      if (opened_.uncounted_because.empty()) {
        counters_.emplace(open_.ordinal, open_.counters, largest_batch);
        device_.chip = counters_->chip();
        opened_.counter_passes = counters_->passes();
        warm_up_counters();
      }
    } catch (const CuptiError& error) {
      counters_.reset();
      opened_.uncounted_because = error.what();
    }
  }
  if (device_.chip.empty())
    device_.chip = chip_name_if_known(open_.ordinal);
}

/// The first session after enabling costs some hundred milliseconds; here nobody waits for it yet.
void Work::warm_up_counters() {
  counters_->collect(
      1, [](std::size_t) {},
      [&](std::size_t) {
        stopwatch_->flush();
        check(cudaStreamSynchronize(stream_.get()));
      });
}

/// GB/s read and written by cudaMemcpy from device to device, buffers as large as the largest
/// argument, timed like a kernel. 0 when there is no memory for it.
double Work::measure_copy() {
  constexpr std::size_t least = std::size_t{64} << 20, most = std::size_t{1} << 30; // bytes
  const std::size_t bytes = std::clamp(data_->largest_bytes(), least, most);
  DeviceMemory from, to;
  try {
    from = allocate(bytes);
    to = allocate(bytes);
  } catch (const CudaError&) {
    return 0;
  }
  check(cudaMemsetAsync(from.get(), 1, bytes, stream_.get()));
  const auto copy = [&] {
    check(cudaMemcpyAsync(to.get(), from.get(), bytes, cudaMemcpyDeviceToDevice, stream_.get()));
  };
  copy();
  const Samples samples = stopwatch_->take(11, 1, copy);
  const auto summary = summarise(samples.times_ms);
  return summary ? 2 * static_cast<double>(bytes) / (summary->median_ms * 1e6) : 0;
}

void Work::begin_stage(const Candidate& candidate, const char* stage) {
  write_message(output_, StageBegun{candidate.job.id, stage});
}

std::string Work::range_name(const Candidate& candidate, const char* stage) const {
  return fmt::format("{} | {} | {}", open_.label, candidate.job.label, stage);
}

void Work::fail(Candidate& candidate, Status status, const std::string& reason) {
  candidate.failed = true;
  candidate.outcome.status = status;
  candidate.outcome.reason = reason;
}

void Work::context_lost(const Candidate& candidate, const CudaError& error) {
  write_message(output_, ContextLost{candidate.job.id, Status::runtime, error.plain()});
  ::_exit(exit_context_lost); // destructors would call into the lost context
}

void Work::load(Candidate& candidate) {
  candidate.outcome.id = candidate.job.id;
  begin_stage(candidate, "load");
  guarded(candidate, [&] {
    candidate.kernel.emplace(candidate.job.launchable);
    candidate.outcome.facts = candidate.kernel->facts();
    const std::string obstacle = candidate.kernel->obstacle(device_, data_->argument_bytes());
    if (!obstacle.empty())
      return fail(candidate, Status::runtime, obstacle);
    data_->copy_constants(*candidate.kernel);
  });
}

void Work::BusyTime::begin(cudaStream_t stream) {
  if (events_.size() < used_ + 2) {
    events_.push_back(make_event());
    events_.push_back(make_event());
  }
  check(cudaEventRecord(events_[used_].get(), stream));
}

void Work::BusyTime::end(cudaStream_t stream) {
  check(cudaEventRecord(events_[used_ + 1].get(), stream));
  used_ += 2;
}

double Work::BusyTime::take_ms() {
  double sum_ms = 0;
  for (std::size_t i = 0; i < used_; i += 2)
    sum_ms += elapsed_ms(events_[i], events_[i + 1]);
  used_ = 0;
  return sum_ms;
}

} // namespace gridsmith
