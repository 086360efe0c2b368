#include "gridsmith/tuner/worker/opened_device.hpp"

#include "gridsmith/metrics/counters/attached_profiler.hpp"
#include "gridsmith/metrics/cupti/counter_session.hpp"
#include "gridsmith/tuner/worker/device_query.hpp"

namespace gridsmith {
namespace {

constexpr std::size_t warm_up_bytes = 1 << 16;

} // namespace

OpenedDevice::OpenedDevice(const UseDevice& use, Observer& observer) {
  check(cudaSetDevice(use.ordinal));
  check(cudaFree(nullptr)); // the context, so that its cost is here
  facts_ = query_device(use.ordinal);
  stream_ = make_stream();
  counting_.emplace(observer,
                    [this](const std::vector<std::string>& names) { return open_counters(names); });
  enable_ahead(use.counters);
}

void OpenedDevice::load(const UseDevice& use) {
  if (!use.device_code)
    throw Error("the worker's own kernels did not come");
  kernels_.emplace(*use.device_code, facts_.sm_count, stream_.get());
  counting_->open(use.counters);
  if (facts_.chip.empty())
    facts_.chip = known_chip_name(facts_.ordinal).value_or("");
}

OpenedDevice::Counters OpenedDevice::enabled(const std::vector<std::string>& names) {
  constexpr std::size_t kernels_of_a_launch = 2; // itself, and what sets the caches
  // Asked first: a second client would disturb the profiler that is there.
  if (const std::string tool = attached_profiler(); !tool.empty())
    throw CuptiError(0, tool);
  return std::make_unique<CounterSession>(facts_.ordinal, names,
                                          kernels_of_a_launch * largest_batch);
}

/// Two tenths of a second that pass while the worker's own kernels are compiled.
void OpenedDevice::enable_ahead(const std::vector<std::string>& names) {
  if (names.empty())
    return;
  try {
    ahead_ = enabled(names);
    names_ahead_ = names;
  } catch (const CuptiError&) { // said when they are wanted
  }
}

std::unique_ptr<CounterSource> OpenedDevice::open_counters(const std::vector<std::string>& names) {
  if (names != names_ahead_)
    ahead_.reset(); // one at a time is allowed
  Counters counters = ahead_ ? std::move(ahead_) : enabled(names);
  facts_.chip = counters->chip();
  if (!warm_up_) {
    warm_up_ = allocate(warm_up_bytes);
    check(cudaMemsetAsync(warm_up_.get(), 0, warm_up_bytes, stream_.get())); // never written again
  }
  // The first session after enabling costs some hundred milliseconds; often nobody waits yet.
  counters->collect(1, {}, [this](const CountedLaunch&) -> std::size_t {
    kernels_->read(warm_up_.get(), warm_up_bytes, warm_up_.get());
    check(cudaStreamSynchronize(stream_.get()));
    return 1;
  });
  return counters;
}

double OpenedDevice::free_share() const {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total));
  return static_cast<double>(free) / static_cast<double>(total);
}

} // namespace gridsmith
