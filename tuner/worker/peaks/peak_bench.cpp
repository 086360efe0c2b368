// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/worker/peaks/peak_bench.hpp"

#include "gridsmith/base/clock_text.hpp"
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/metrics/device/occupancy.hpp"
#include "gridsmith/results/measurement/time_summary.hpp"
#include "gridsmith/tuner/worker/device/loaded_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace gridsmith {

/// Where a kernel's bytes come from.
enum class PeakData {
  none,
  near,     ///< near_bytes, which an L1 holds
  l2,       ///< a quarter of the L2
  dram,     ///< all there is
  one,      ///< one address
  spread,   ///< an address for each thread
  l1_chain, ///< links one after the other, for dependent loads
  l2_chain,
  dram_chain,
};

/// How many threads run.
enum class PeakShape { all_sms, one_block, one_thread };

/// What becomes of the time.
enum class PeakValue {
  rate,   ///< 10^9 of what is counted per second, all threads together
  ns,     ///< of one
  cycles, ///< of one, by the SM's own counter
};

struct PeakRecipe {
  std::string_view name;
  const char* kernel;
  double per_round; ///< of one thread: what is counted
  PeakData data = PeakData::none;
  PeakShape shape = PeakShape::all_sms;
  PeakValue value = PeakValue::rate;
};

namespace {

constexpr double arithmetic = arithmetic_per_round, fma = 2.0 * arithmetic_per_round;
constexpr double warp = 32;
constexpr std::size_t vector_bytes = 16; // of one load
// A multiply-add of a tile is two operations, of one thread a 32nd.
constexpr double tensor = 2.0 * 16 * 8 * 16 * tensor_per_round / warp;
constexpr double near = loads_per_round * vector_bytes, far = streams_per_round * vector_bytes;

constexpr std::array<PeakRecipe, 25> recipes = {{
    {"dram_read", "read", far, PeakData::dram},
    {"dram_write", "write", far, PeakData::dram},
    {"l2_read", "read", far, PeakData::l2},
    {"l1_read", "l1_read", near, PeakData::near},
    {"shared_read", "shared_read", near},
    {"fp32_fma", "fp32_fma", fma},
    {"fp64_fma", "fp64_fma", fma},
    {"fp16_fma", "fp16_fma", 2 * fma}, // two halves each
    {"tensor_fp16", "tensor_fp16", tensor},
    {"integer_mad", "integer_mad", arithmetic},
    {"special_function", "special_function", arithmetic},
    {"instruction_issue", "instruction_issue", arithmetic / warp},
    {"shared_latency", "shared_latency", links_per_round, PeakData::none, PeakShape::one_thread,
     PeakValue::ns},
    {"shared_latency_cycles", "shared_latency", links_per_round, PeakData::none,
     PeakShape::one_thread, PeakValue::cycles},
    {"l1_latency", "l1_latency", links_per_round, PeakData::l1_chain, PeakShape::one_thread,
     PeakValue::ns},
    {"l1_latency_cycles", "l1_latency", links_per_round, PeakData::l1_chain, PeakShape::one_thread,
     PeakValue::cycles},
    {"l2_latency", "l2_latency", links_per_round, PeakData::l2_chain, PeakShape::one_thread,
     PeakValue::ns},
    {"l2_latency_cycles", "l2_latency", links_per_round, PeakData::l2_chain, PeakShape::one_thread,
     PeakValue::cycles},
    {"dram_latency", "l2_latency", links_per_round, PeakData::dram_chain, PeakShape::one_thread,
     PeakValue::ns},
    {"dram_latency_cycles", "l2_latency", links_per_round, PeakData::dram_chain,
     PeakShape::one_thread, PeakValue::cycles},
    {"atomic_same_address", "atomic", atomics_per_round, PeakData::one},
    {"atomic_spread", "atomic", atomics_per_round, PeakData::spread},
    {"shared_atomic_same_address", "shared_atomic", atomics_per_round},
    {"barrier", "barrier", barriers_per_round, PeakData::none, PeakShape::one_block, PeakValue::ns},
    {"barrier_cycles", "barrier", barriers_per_round, PeakData::none, PeakShape::one_block,
     PeakValue::cycles},
}};

// All words but those that no single kernel measures: copy and the two of launches.
static_assert(recipes.size() + 3 == peak_words.size());
static_assert(std::ranges::all_of(recipes, [](const PeakRecipe& recipe) {
  return std::ranges::count(peak_words, recipe.name, &PeakWord::name) == 1;
}));

constexpr std::size_t most_bytes = std::size_t{2} << 30, least_bytes = std::size_t{64} << 20;
constexpr std::size_t state_words = 4;
constexpr std::size_t samples_taken = 7;
// A sample is long enough that a launch (2 us) is a percent of it, and short enough that the power
// limit, which holds for longer, does not decide.
constexpr double least_ms = 0.3, wanted_ms = 1;
constexpr std::uint32_t never = 0x9e3779b9u;
/// Beyond it the L2's size says that what is read cannot have stayed there.
constexpr std::size_t beyond_l2 = 4;

// Chains: of lines for the caches. In DRAM so far apart that no line is another's neighbour, with an
// odd number of lines between, so that all channels are met; mixed within 2 MiB, the page of the
// address translation.
constexpr std::uint32_t line_bytes = 128, far_spacing = 33 * line_bytes;
constexpr std::uint64_t l1_links = near_bytes / line_bytes, l2_links = 8192, far_page = 512,
                        most_far_links = 131072;

std::string clock_text(const std::optional<double>& mhz) {
  return mhz ? fmt::format("SM clock {:.0f} MHz", *mhz) : "SM clock unknown";
}

} // namespace

class PeakLaunch final : public Kernel {
public:
  PeakLaunch(LoadedKernel kernel, cudaStream_t stream, double all_threads)
      : threads(all_threads), kernel_(std::move(kernel)), stream_(stream) {}

  void launch() override {
    void* arguments[] = {&work};
    kernel_.launch(arguments, stream_);
  }

  PeakWork work = {};
  double threads; ///< in the whole grid

private:
  LoadedKernel kernel_;
  cudaStream_t stream_;
};

namespace {

/// Device to device, read + written bytes.
class HalfCopy final : public Kernel {
public:
  HalfCopy(void* data, std::size_t half, cudaStream_t stream)
      : data_(static_cast<std::uint8_t*>(data)), half_(half), stream_(stream) {}

  void launch() override {
    check(cudaMemcpyAsync(data_ + half_, data_, half_, cudaMemcpyDeviceToDevice, stream_));
  }

private:
  std::uint8_t* data_;
  std::size_t half_;
  cudaStream_t stream_;
};

/// As much as there is, at most a quarter of the memory.
std::pair<DeviceMemory, std::size_t> allocate_much(std::int64_t memory_bytes) {
  std::size_t bytes =
      std::clamp(static_cast<std::size_t>(memory_bytes) / 4, least_bytes, most_bytes);
  for (;; bytes /= 2)
    try {
      return {allocate(bytes), bytes};
    } catch (const CudaError& error) {
      if (error.code() != cudaErrorMemoryAllocation || bytes <= least_bytes)
        throw;
    }
}

/// "1056 x 256 threads, 15.73 MB"
std::string data_text(const PeakRecipe& recipe, const PeakLaunch& launch) {
  const double count = static_cast<double>(launch.work.count);
  std::string text =
      launch.threads > peak_threads
          ? fmt::format("{:.0f} x {} threads", launch.threads / peak_threads, peak_threads)
          : counted(static_cast<std::uint64_t>(launch.threads), "thread");
  if (launch.work.page > 0)
    text += fmt::format(", {:.2f} MB", count * launch.work.spacing / 1e6);
  else if (recipe.data == PeakData::dram || recipe.data == PeakData::l2)
    text += fmt::format(", {:.2f} MB", count * vector_bytes / 1e6);
  return text;
}

} // namespace

PeakBench::PeakBench(Device device, const MeasurePeaks& asked, const HostClock& started)
    : device_(std::move(device)), code_(asked.peak_code) {
  check(cudaSetDevice(asked.ordinal));
  stream_ = make_stream();
  kernels_.emplace(*asked.device_code, device_.sm_count, stream_.get());
  stopwatch_.emplace(*kernels_, device_, Regime::warm, started, TimedData{});
  std::tie(data_, bytes_) = allocate_much(device_.memory_bytes);
  state_ = allocate(state_words * sizeof(std::uint64_t));
  check(cudaMemsetAsync(state_.get(), 0, state_words * sizeof(std::uint64_t), stream_.get()));
  check(cudaMemsetAsync(data_.get(), 0x35, bytes_, stream_.get())); // no byte or half is special
  check(cudaStreamSynchronize(stream_.get()));
}

PeakBench::~PeakBench() = default;

/// @param blocks 0: as many as fit on all SMs at once
std::unique_ptr<PeakLaunch> PeakBench::load(const char* kernel, unsigned blocks,
                                            unsigned threads) const {
  const auto loaded = [&](std::int64_t grid) {
    Launchable launchable{code_, std::string("gridsmith_peak_") + kernel, {}};
    launchable.geometry.grid[0] = grid;
    launchable.geometry.block[0] = static_cast<int>(threads);
    return LoadedKernel(launchable);
  };
  try {
    if (blocks == 0) {
      const Occupancy fits = occupancy(device_, loaded(1).facts(), static_cast<int>(threads), 0);
      blocks = static_cast<unsigned>(std::max(1, fits.blocks_per_sm * device_.sm_count));
    }
    auto launch = std::make_unique<PeakLaunch>(loaded(blocks), stream_.get(),
                                               static_cast<double>(blocks) * threads);
    launch->work.data = data_.get();
    launch->work.state = static_cast<std::uint64_t*>(state_.get());
    launch->work.never = never;
    return launch;
  } catch (const CudaError& error) {
    if (error.code() != cudaErrorSymbolNotFound)
      throw;
    throw Error(fmt::format("compute capability {}.{} does not have it",
                            device_.compute_capability / 10, device_.compute_capability % 10));
  }
}

/// Writes the chain; a flush, because what was just written is in the L2.
void PeakBench::link(PeakWork& work, std::uint64_t links, std::uint32_t spacing,
                     std::uint64_t page) {
  work.count = links;
  work.spacing = spacing;
  work.page = page;
  const auto linking = load("link", 0, peak_threads);
  linking->work = work; // it says where the first link is, too
  linking->launch();
  stopwatch_->flush();
  check(cudaStreamSynchronize(stream_.get()));
}

void PeakBench::use_data(const PeakRecipe& recipe, PeakWork& work) {
  const auto l2_bytes = static_cast<std::size_t>(device_.l2_bytes);
  const bool in_dram = recipe.data == PeakData::dram || recipe.data == PeakData::dram_chain;
  if (recipe.data == PeakData::l2 && l2_bytes == 0)
    throw Error("the size of the L2 is not known");
  if (in_dram && bytes_ < beyond_l2 * l2_bytes)
    throw Error(fmt::format("{} of free memory are too few for an L2 of {}",
                            bytes_text(static_cast<double>(bytes_)),
                            bytes_text(static_cast<double>(l2_bytes))));
  if (recipe.data == PeakData::l2)
    work.count = std::min(l2_bytes / 4, bytes_) / vector_bytes;
  else if (recipe.data == PeakData::dram)
    work.count = bytes_ / vector_bytes;
  else if (recipe.data == PeakData::spread)
    work.spacing = sizeof(std::uint32_t);
  else if (recipe.data == PeakData::l1_chain)
    link(work, l1_links, line_bytes, l1_links);
  else if (recipe.data == PeakData::l2_chain)
    link(work, l2_links, line_bytes, l2_links);
  else if (recipe.data == PeakData::dram_chain)
    link(work, std::min<std::uint64_t>(most_far_links, bytes_ / far_spacing / far_page * far_page),
         far_spacing, far_page);
}

std::unique_ptr<PeakLaunch> PeakBench::prepare(const PeakRecipe& recipe) {
  const bool everywhere = recipe.shape == PeakShape::all_sms;
  auto launch = load(recipe.kernel, everywhere ? 0 : 1,
                     recipe.shape == PeakShape::one_thread ? 1 : peak_threads);
  use_data(recipe, launch->work);
  const bool streams = recipe.data == PeakData::l2 || recipe.data == PeakData::dram;
  if (streams && static_cast<double>(launch->work.count) < launch->threads)
    throw Error("the L2 is too small: a quarter of it is less than a load of each thread");
  return launch;
}

PeakBench::Timing PeakBench::summary(const Samples& samples, std::size_t first,
                                     std::size_t step) const {
  std::vector<double> times;
  for (std::size_t i = first; i < samples.times_ms.size(); i += step)
    times.push_back(samples.times_ms[i]);
  const double median = summarise(times)->median_ms;
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  return {median, (*most - *least) / median, samples.sm_clock_mhz};
}

/// With as many rounds as make a sample long enough.
PeakBench::Timing PeakBench::time(PeakLaunch& launch) {
  constexpr std::uint64_t most_rounds = std::uint64_t{1} << 40;
  std::uint64_t& rounds = launch.work.rounds;
  const auto once_ms = [&] { return stopwatch_->take({Turn{&launch}}).times_ms.front(); };
  rounds = 1;
  for (double ms = once_ms(); ms < least_ms; ms = once_ms()) {
    const double factor = std::clamp(wanted_ms / std::max(ms, 1e-6), 2.0, 64.0);
    rounds = static_cast<std::uint64_t>(static_cast<double>(rounds) * factor);
    if (rounds > most_rounds)
      throw Error("the kernel takes no time: it was compiled away");
  }
  return summary(stopwatch_->take(std::vector<Turn>(samples_taken, Turn{&launch})), 0, 1);
}

PeakBench::Timing PeakBench::time_copy() {
  HalfCopy copy(data_.get(), bytes_ / 2, stream_.get());
  copy.launch(); // the first is slower
  return summary(stopwatch_->take(std::vector<Turn>(samples_taken, Turn{&copy})), 0, 1);
}

/// Behind a kernel that runs for long, so that the host has enqueued all before the first begins.
PeakBench::Timing PeakBench::time_launches(int launches) {
  const auto busy = load("barrier", 1, peak_threads), empty = load("launch", 1, 1);
  time(*busy);
  std::vector<Turn> turns;
  for (std::size_t i = 0; i < samples_taken; ++i) {
    turns.push_back({&*busy});
    turns.push_back({&*empty, launches});
  }
  return summary(stopwatch_->take(turns), 1, 2);
}

/// Of the chain or the barriers that ran last.
std::uint64_t PeakBench::cycles() const {
  std::array<std::uint64_t, state_words> state{};
  check(cudaMemcpy(state.data(), state_.get(), sizeof state, cudaMemcpyDeviceToHost));
  return state[1];
}

Peak PeakBench::peak(std::string_view name, double value, const Timing& timing,
                     const std::string& how) const {
  return {.name = std::string(name),
          .value = value,
          .unit = std::string(find_peak_word(name)->unit),
          .date = utc_now(),
          .conditions =
              fmt::format("{}, {}, median of {}, spread {:.1f} %", how,
                          clock_text(timing.clock_mhz), samples_taken, 100 * timing.spread),
          .device_uuid = device_.uuid};
}

Peak PeakBench::measure(std::string_view name) {
  constexpr int many = 100; // launches one after the other
  if (name == "copy") {
    const Timing timing = time_copy();
    const std::size_t half_bytes = bytes_ / 2;
    const auto half = static_cast<double>(half_bytes);
    return peak(name, 2 * half / (timing.median_ms * 1e6), timing,
                fmt::format("caches warm, {:.2f} GB buffers", half / 1e9));
  }
  if (name == "launch_overhead" || name == "launch_interval") {
    const int launches = name == "launch_overhead" ? 1 : many;
    const Timing timing = time_launches(launches);
    return peak(name, timing.median_ms * 1e3, timing, fmt::format("{} enqueued", launches));
  }
  const auto* recipe = std::find_if(recipes.begin(), recipes.end(),
                                    [&](const PeakRecipe& one) { return one.name == name; });
  if (recipe == recipes.end())
    throw Error("this worker does not know this peak");
  const auto launch = prepare(*recipe);
  const Timing timing = time(*launch);
  const double amount = recipe->per_round * static_cast<double>(launch->work.rounds);
  const double value = recipe->value == PeakValue::rate
                           ? amount * launch->threads / (timing.median_ms * 1e6)
                       : recipe->value == PeakValue::ns ? timing.median_ms * 1e6 / amount
                                                        : static_cast<double>(cycles()) / amount;
  return peak(name, value, timing, data_text(*recipe, *launch));
}

} // namespace gridsmith
