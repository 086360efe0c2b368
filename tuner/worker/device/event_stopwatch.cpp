// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/worker/device/event_stopwatch.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace gridsmith {

namespace {

/// A clock below this share of the expected one is throttled (NVIDIA/nvbench's rule).
constexpr double throttled_below = 0.75;
constexpr int most_retakes = 5;
constexpr std::chrono::milliseconds first_pause{50}; // grows by half each time
/// Shorter spans say too little about the clock: the nanosecond counter may tick once a
/// microsecond.
constexpr std::uint64_t shortest_span_ns = 20'000;
/// Of the L2's size: replacement is not strictly by age. Four times it changed nothing (H200).
constexpr std::size_t flush_factor = 2;
constexpr std::size_t least_flush_bytes = 1 << 20;
constexpr std::uint64_t hold_ns = 200'000; // enqueuing takes 10 to 30 us …
constexpr std::uint64_t launch_ns = 4'000; // … and each further launch 2 to 3

} // namespace

EventStopwatch::EventStopwatch(const DeviceKernels& kernels, const Device& device, Regime regime,
                               const HostClock& since, TimedData data)
    : kernels_(kernels), regime_(regime), since_(since), data_(std::move(data)),
      flush_bytes_(
          std::max(flush_factor * static_cast<std::size_t>(device.l2_bytes), least_flush_bytes)),
      expected_mhz_(device.sm_clock_khz / 1000.0), flush_(allocate(flush_bytes_)),
      stamps_(allocate_pinned(2 * sizeof(ClockStamp))) {
  check(cudaMemsetAsync(flush_.get(), 0, flush_bytes_, kernels_.stream()));
}

const Event& EventStopwatch::event(std::size_t number) {
  while (events_.size() <= number)
    events_.push_back(make_event());
  return events_[number];
}

void EventStopwatch::flush() const {
  kernels_.read(flush_.get(), flush_bytes_, flush_.get()); // all zero, and never written
}

void EventStopwatch::hold() const {
  kernels_.hold(hold_ns);
}

std::optional<double> EventStopwatch::clock_mhz() const {
  const auto* stamps = static_cast<const ClockStamp*>(stamps_.get());
  const std::uint64_t span_ns = stamps[1].nanoseconds - stamps[0].nanoseconds;
  // Cycle counters of two SMs cannot be compared.
  if (stamps[0].sm != stamps[1].sm || span_ns < shortest_span_ns ||
      stamps[1].nanoseconds < stamps[0].nanoseconds)
    return std::nullopt;
  return 1000.0 * static_cast<double>(stamps[1].cycles - stamps[0].cycles) /
         static_cast<double>(span_ns);
}

/// What comes before the sample.
void EventStopwatch::make_ready(const Turn& turn) const {
  if (regime_ == Regime::cold || regime_ == Regime::rotate)
    data_.restore();
  if (regime_ != Regime::cold)
    turn.kernel->launch();
  turn.kernel->prepare();
  if (regime_ == Regime::cold)
    flush();
  else if (turn.launches > 1)
    kernels_.hold(hold_ns + static_cast<std::uint64_t>(turn.launches) * launch_ns);
}

void EventStopwatch::launch(const Turn& turn) const {
  struct Rotation { // ends where a launch is refused, too
    const TimedData* data;

    ~Rotation() {
      if (data)
        data->own_data();
    }
  };

  const Rotation rotation{regime_ == Regime::rotate ? &data_ : nullptr};
  for (int launch = 0; launch < turn.launches; ++launch) {
    if (rotation.data)
      data_.next_copy();
    turn.kernel->launch();
  }
}

/// The launches of each turn, as nodes one after the other.
std::vector<GraphRun> EventStopwatch::graphs_of(const std::vector<Turn>& turns) const {
  std::vector<GraphRun> runs;
  for (const Turn& turn : turns) {
    cudaStream_t stream = kernels_.stream();
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    cudaGraph_t made = nullptr;
    try {
      launch(turn);
    } catch (...) { // the stream is of use again
      static_cast<void>(cudaStreamEndCapture(stream, &made));
      const Graph unfinished(made);
      throw;
    }
    check(cudaStreamEndCapture(stream, &made));
    const Graph graph(made);
    cudaGraphExec_t run = nullptr;
    check(cudaGraphInstantiate(&run, graph.get(), 0));
    runs.emplace_back(run);
    check(cudaGraphUpload(run, stream));
  }
  return runs;
}

Samples EventStopwatch::take_once(const std::vector<Turn>& turns) {
  cudaStream_t stream = kernels_.stream();
  auto* stamps = static_cast<ClockStamp*>(stamps_.get());
  const std::size_t count = turns.size();
  const std::size_t begin = 2 * count, end = 2 * count + 1;
  event(end); // created before anything is enqueued
  const std::vector<GraphRun> graphs =
      regime_ == Regime::graph ? graphs_of(turns) : std::vector<GraphRun>();
  kernels_.stamp(&stamps[0]);
  check(cudaEventRecord(event(begin).get(), stream));
  for (std::size_t i = 0; i < count; ++i) {
    make_ready(turns[i]);
    check(cudaEventRecord(event(2 * i).get(), stream));
    if (graphs.empty())
      launch(turns[i]);
    else
      check(cudaGraphLaunch(graphs[i].get(), stream));
    check(cudaEventRecord(event(2 * i + 1).get(), stream));
  }
  check(cudaEventRecord(event(end).get(), stream));
  kernels_.stamp(&stamps[1]);
  check(cudaStreamSynchronize(stream));

  const double now_ms = since_.ms();
  Samples samples;
  for (std::size_t i = 0; i < count; ++i) {
    samples.times_ms.push_back(elapsed_ms(event(2 * i), event(2 * i + 1)) / turns[i].launches);
    samples.taken_at_ms.push_back(now_ms - elapsed_ms(event(2 * i), event(end)));
  }
  samples.gpu_ms = elapsed_ms(event(begin), event(end));
  samples.sm_clock_mhz = clock_mhz();
  return samples;
}

Samples EventStopwatch::take(const std::vector<Turn>& turns) {
  Samples samples = take_once(turns);
  double spent_ms = samples.gpu_ms;
  std::chrono::duration<double, std::milli> pause = first_pause;
  const auto throttled = [&] {
    return samples.sm_clock_mhz && *samples.sm_clock_mhz < throttled_below * expected_mhz_;
  };
  for (int retake = 0; throttled() && retake < most_retakes; ++retake, pause *= 1.5) {
    std::this_thread::sleep_for(pause);
    samples = take_once(turns);
    spent_ms += samples.gpu_ms;
  }
  if (throttled()) // this device runs no faster (power, or locked clocks): do not wait every time
    expected_mhz_ = *samples.sm_clock_mhz;
  samples.gpu_ms = spent_ms;
  return samples;
}

} // namespace gridsmith
