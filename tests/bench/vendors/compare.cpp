// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tests/bench/vendors/compare.hpp"

#include "gridsmith/results/measurement/time_summary.hpp"
#include "gridsmith/tuner/worker/device/device_workspace.hpp"
#include "gridsmith/tuner/worker/device/expected_answer.hpp"
#include "gridsmith/tuner/worker/device/loaded_kernel.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace gridsmith::vendors {
namespace {

class Call final : public Kernel {
public:
  explicit Call(std::function<void()> call) : call_(std::move(call)) {}

  void launch() override { call_(); }

private:
  std::function<void()> call_;
};

/// A job's data, what is expected of it, and its own kernel.
class JobData {
public:
  JobData(const Bench& bench, const Tuned& job)
      : data(job.open.arguments, bench.kernels),
        stopwatch(
            bench.kernels, bench.device, Regime::cold, bench.clock,
            TimedData{.restore = [this] { data.restore(); }, .next_copy = {}, .own_data = {}}),
        workspace_(data, stopwatch, bench.stream.get(), [](std::uint64_t) {}, 1) {
    const ExpectedAnswer expected = make_expected(
        job.open, job.open.seed, bench.device, bench.kernels, data, std::chrono::milliseconds(0));
    if (expected.problem)
      throw Error(*expected.problem);
    LoadedKernel kernel(job.launchable);
    if (const auto error = kernel.launch_error(bench.device, data.all().bytes))
      throw Error(*error);
    data.copy_constants(kernel);
    const auto shared = std::make_shared<LoadedKernel>(std::move(kernel));
    own = [this, shared, stream = bench.stream.get()] { shared->launch(data.pointers(), stream); };
  }

  JobData(const JobData&) = delete; // its parts know each other's places
  JobData& operator=(const JobData&) = delete;

  /// One line where the result is wrong.
  std::optional<std::string> verify(Kernel& kernel) {
    workspace_.begin(1);
    workspace_.prepare(0);
    workspace_.launch(0, kernel);
    workspace_.judge(0);
    return workspace_.read().front().judgement.mismatch;
  }

  ArgumentData data;
  EventStopwatch stopwatch;
  std::function<void()> own;

private:
  DeviceWorkspace workspace_;
};

/// cudaMemcpy of buffers of its own.
std::function<void()> runtime_copy(std::size_t bytes, cudaStream_t stream) {
  struct Buffers {
    DeviceMemory from, to;
  };

  const auto buffers = std::make_shared<Buffers>(Buffers{allocate(bytes), allocate(bytes)});
  check(cudaMemsetAsync(buffers->from.get(), 1, bytes, stream));
  return [=] {
    check(cudaMemcpyAsync(buffers->to.get(), buffers->from.get(), bytes, cudaMemcpyDeviceToDevice,
                          stream));
  };
}

Job job_of(const Tuned& tuned, ArgumentData& data, cudaStream_t stream) {
  Job job{tuned.kernel, tuned.extents, {}, {}, stream};
  for (std::size_t i = 0; i < tuned.open.arguments.size(); ++i)
    if (const auto& buffer = tuned.open.arguments[i].buffer) {
      job.buffers.push_back(*static_cast<void**>(data.pointers()[i]));
      job.elements.push_back(buffer->elements);
    }
  return job;
}

/// Bytes of a copy: its first extent.
std::size_t bytes_of(const Tuned& copy) {
  return static_cast<std::size_t>(copy.extents.front());
}

/// Forth and back, until the median of each is known as a tuning wants it.
void sample(EventStopwatch& stopwatch, std::vector<Contender>& contenders,
            const std::vector<std::unique_ptr<Kernel>>& kernels) {
  Sampling rules;
  rules.prune = false;
  rules.min_samples = 15; // as many as finalists of a tuning get
  std::vector<std::size_t> order(contenders.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto unsettled = [&](std::size_t i) {
    return next_step(contenders[i].times_ms, std::nullopt, rules) == NextStep::sample;
  };
  while (std::any_of(order.begin(), order.end(), unsettled)) {
    std::vector<Turn> turns;
    for (const std::size_t i : order)
      turns.push_back({kernels[i].get()});
    const Samples samples = stopwatch.take(turns);
    for (std::size_t i = 0; i < order.size(); ++i)
      contenders[order[i]].times_ms.push_back(samples.times_ms[i]);
    std::reverse(order.begin(), order.end());
  }
}

} // namespace

double Contender::median_ms() const {
  return summarise(times_ms).value().median_ms;
}

Bench::Bench(Device facts, const Bytes& device_code)
    : device(std::move(facts)), stream(make_stream()),
      kernels(device_code, device.sm_count, stream.get()) {
}

std::vector<Contender> compare(const Bench& bench, const Tuned& job,
                               const std::optional<Tuned>& copy) {
  JobData own_data(bench, job);
  std::optional<JobData> copy_data;
  std::vector<Contender> contenders;
  std::vector<std::unique_ptr<Kernel>> kernels;
  const auto add = [&](const std::string& name, std::function<void()> call, JobData* verified_by) {
    kernels.push_back(std::make_unique<Call>(std::move(call)));
    contenders.push_back({name, std::nullopt, {}});
    if (verified_by)
      contenders.back().differs = verified_by->verify(*kernels.back());
    else
      kernels.back()->launch(); // the first is slower
    return contenders.back().differs;
  };
  if (const auto wrong = add("ours", own_data.own, &own_data))
    throw Error(*wrong);
  if (copy) {
    copy_data.emplace(bench, *copy);
    if (const auto wrong = add("copy kernel", copy_data->own, &*copy_data))
      throw Error("the copy: " + *wrong);
    add("cudaMemcpy", runtime_copy(bytes_of(*copy), bench.stream.get()), nullptr);
  }
  const Job same = job_of(job, own_data.data, bench.stream.get());
  for (const auto& rivals : {cub_rivals(same), library_rivals(same)})
    for (const Rival& rival : rivals)
      add(rival.name, rival.launch, &own_data);
  sample(own_data.stopwatch, contenders, kernels);
  return contenders;
}

} // namespace gridsmith::vendors
