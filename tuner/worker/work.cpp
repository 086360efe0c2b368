// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/worker/work.hpp"

#include "gridsmith/base/clock_text.hpp"
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/results/measurement/time_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gridsmith {

namespace {

constexpr std::chrono::milliseconds unchecked(0); // on the host

std::string needed_memory(const std::vector<ArgumentSpec>& arguments) {
  double bytes = 0;
  for (const ArgumentSpec& argument : arguments)
    if (const auto& buffer = argument.buffer)
      bytes += static_cast<double>(buffer->elements) * static_cast<double>(size_of(buffer->type)) *
               (1 + (buffer->output ? 1 : 0) + (buffer->access == Access::read_write ? 1 : 0) +
                (buffer->fill == Fill::file ? 1 : 0));
  return "the data needs " + bytes_text(bytes);
}

/// A loaded kernel with the arguments of the work.
class BoundKernel final : public Kernel {
public:
  BoundKernel(LoadedKernel kernel, ArgumentData& data, cudaStream_t stream)
      : kernel_(std::move(kernel)), constants_(data), arguments_(data.passed_to(kernel_)),
        stream_(stream) {}

  void launch() override {
    constants_.update(kernel_); // most launches are prepared, and find them as they are
    kernel_.launch(arguments_.pointers.data(), stream_);
  }

  void prepare() override { constants_.update(kernel_); }

private:
  LoadedKernel kernel_;
  Constants constants_;
  ArgumentData::Passed arguments_;
  cudaStream_t stream_;
};

/// cudaMemcpy from device to device.
class Copy final : public Kernel {
public:
  Copy(std::size_t bytes, cudaStream_t stream)
      : bytes_(bytes), from_(allocate(bytes)), to_(allocate(bytes)), stream_(stream) {
    check(cudaMemsetAsync(from_.get(), 1, bytes_, stream_));
  }

  void launch() override {
    check(cudaMemcpyAsync(to_.get(), from_.get(), bytes_, cudaMemcpyDeviceToDevice, stream_));
  }

private:
  std::size_t bytes_;
  DeviceMemory from_, to_;
  cudaStream_t stream_;
};

} // namespace

Work::Work(OpenWork open, OpenedDevice& device, MessageObserver& observer, BestTime& best,
           const HostClock& started, WorkOpened& answer)
    : open_(std::move(open)), device_(device), observer_(observer) {
  try {
    make_data(started, answer);
  } catch (const CudaError& error) {
    if (error.code() == cudaErrorMemoryAllocation)
      throw NoMemory(fmt::format("{} ({})", error.plain(), needed_memory(open_.arguments)));
    throw;
  }
  device_.counting().begin_work();
  if (open_.energy)
    meter(started);
  wire(best);
  if (open_.measure_copy)
    if (auto copy = measure_copy())
      answer.peaks.push_back(std::move(*copy));
  check(cudaStreamSynchronize(device_.stream()));
  answer.device = device_.facts();
  if (!open_.counters.empty())
    answer.uncounted_because = device_.counting().uncounted_because();
  if (!no_energy_because_.empty())
    answer.uncounted_because = no_energy_because_;
  answer.at_ms = started.ms();
}

void Work::run(const EvaluateBatch& batch) {
  observer_.set_kernel(open_.label);
  vary_ = batch.vary;
  if (batch.keep_scratch) { // as it is before the first launch; references run before
    workspace_->use_seed({batch.second_seed, batch.change});
    workspace_->use_seed(open_.seed);
  }
  data_->keep_scratch(batch.keep_scratch);
  runner_->run(batch);
  data_->keep_scratch(false);
}

void Work::make_data(const HostClock& started, WorkOpened& answer) {
  const DeviceKernels& kernels = device_.kernels();
  data_.emplace(open_.arguments, kernels);
  choose_verified(open_, kernels, *data_);
  if (open_.reference.default_configuration) {
    answer.unverified_because = expect_default(answer.only_written);
  } else {
    SpotCheckTime& time = device_.spot_checks();
    const ExpectedAnswer expected = expect(open_.seed, time.limit(open_));
    time.checked(open_, expected.computed_again);
    answer.reference_problem = expected.problem;
    answer.elements_checked = expected.elements_checked;
  }
  if (open_.conditions.regime == Regime::rotate)
    data_->make_copies(2 * static_cast<std::size_t>(device_.facts().l2_bytes));
  const auto restore = [this] {
    if (open_.conditions.regime == Regime::rotate)
      return data_->restore_copies();
    data_->restore();
    if (vary_)
      data_->vary();
  };
  stopwatch_.emplace(
      kernels, device_.facts(), open_.conditions.regime, started,
      TimedData{restore, [this] { data_->use_next_copy(); }, [this] { data_->use_data(); }});
  const auto expect_unchecked = [this](DataSeed seed) { expect(seed, unchecked); };
  workspace_.emplace(*data_, *stopwatch_, device_.stream(), expect_unchecked, open_.seed,
                     largest_batch,
                     DeviceWorkspace::Looks{.differences = open_.differences,
                                            .digests = open_.conditions.bitwise});
}

ExpectedAnswer Work::expect(DataSeed seed, std::chrono::milliseconds spot_limit) {
  return make_expected(open_, seed, device_.facts(), device_.kernels(), *data_, spot_limit);
}

/// Nothing where its output can be compared with; else nothing is, and why. What faults is thrown:
/// the process is of no use then.
std::optional<std::string> Work::expect_default(std::optional<WrittenPart>& only_written) {
  std::optional<std::string> problem;
  try {
    ExpectedAnswer expected = expect(open_.seed, unchecked);
    problem = std::move(expected.problem);
    if (!problem)
      only_written = expected.only_written;
  } catch (const CudaError&) {
    throw;
  } catch (const Error& error) {
    problem = error.what();
  }
  if (problem) {
    open_.reference.kernel.reset();
    data_->expect_nothing();
  }
  return problem;
}

void Work::meter(const HostClock& started) {
  board_.emplace(device_.facts().uuid, device_.stream(), started);
  no_energy_because_ = board_->useless_because();
  if (no_energy_because_.empty())
    energy_.emplace(*board_, *workspace_, observer_, open_.seed);
}

void Work::wire(BestTime& best) {
  timer_.emplace(*stopwatch_, observer_, best, open_.conditions.sampling);
  std::optional<Acceptance> accept;
  if (!open_.accept.empty())
    accept.emplace(open_.accept);
  launches_.emplace(*workspace_, observer_, verification_by(open_), std::move(accept));
  runner_.emplace([this](const Launchable& launchable) { return load(launchable); }, *workspace_,
                  *launches_, device_.counting(), *timer_, best, observer_,
                  BatchRunner::Counters{.race = open_.counters,
                                        .others = open_.final_counters,
                                        .energy = energy_ ? &*energy_ : nullptr,
                                        .no_energy_because = no_energy_because_},
                  open_.seed);
}

LoadedCandidate Work::load(const Launchable& launchable) {
  LoadedKernel kernel(launchable);
  const auto& transfer = launchable.geometry.transfer;
  const ArgumentData::Passed passed = transfer ? data_->all() : data_->passed_to(kernel);
  LoadedCandidate loaded{nullptr, kernel.facts(),
                         kernel.launch_error(device_.facts(), passed.bytes)};
  if (transfer)
    loaded.kernel = transfer_kernel(std::move(kernel), *transfer, loaded.launch_error);
  else
    loaded.kernel = std::make_unique<BoundKernel>(std::move(kernel), *data_, device_.stream());
  return loaded;
}

/// Null where there can be no such memory, and why.
std::unique_ptr<Kernel> Work::transfer_kernel(LoadedKernel kernel, const HostTransfer& transfer,
                                              std::optional<std::string>& error) {
  auto& buffers = host_buffers_[transfer.memory];
  try {
    if (!buffers)
      buffers =
          std::make_shared<HostBuffers>(open_.arguments, *data_, transfer.memory, device_.stream());
    return std::make_unique<TransferKernel>(std::move(kernel), transfer, buffers, open_.arguments,
                                            *data_, device_.stream());
  } catch (const DeviceError& refused) {
    if (refused.context_lost())
      throw;
    error = refused.plain();
  } catch (const Error& refused) {
    error = refused.what();
  }
  return nullptr;
}

/// The device-to-device copy bandwidth, read and written, with buffers as large as the largest
/// argument, timed like a kernel. Nothing when there is no memory for it.
std::optional<Peak> Work::measure_copy() {
  constexpr std::size_t least = std::size_t{64} << 20, most = std::size_t{1} << 30; // bytes
  constexpr std::size_t samples = 11;
  const std::size_t bytes = std::clamp(data_->largest_bytes(), least, most);
  std::optional<Copy> copy;
  try {
    copy.emplace(bytes, device_.stream());
  } catch (const CudaError&) {
    return std::nullopt;
  }
  copy->launch(); // the first is slower
  const auto times_ms = stopwatch_->take(std::vector<Turn>(samples, Turn{&*copy})).times_ms;
  const double size = static_cast<double>(bytes);
  return Peak{.name = "copy",
              .value = 2 * size / (summarise(times_ms)->median_ms * 1e6),
              .unit = "GB/s",
              .date = utc_now(),
              .conditions =
                  fmt::format("{}, {:.2f} GB buffers, median of {}",
                              stopwatch_->regime() == Regime::cold ? "L2 flushed" : "caches warm",
                              size / 1e9, samples),
              .device_uuid = device_.facts().uuid};
}

} // namespace gridsmith
