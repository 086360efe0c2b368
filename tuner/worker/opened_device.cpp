// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/worker/opened_device.hpp"

#include "gridsmith/metrics/counters/attached_profiler.hpp"
#include "gridsmith/metrics/cupti/counter_plan.hpp"
#include "gridsmith/metrics/cupti/counter_session.hpp"
#include "gridsmith/tuner/worker/device_query.hpp"

#include <future>

namespace gridsmith {
namespace {

constexpr std::size_t warm_up_bytes = 1 << 16;

/// The first plan for a chip reads a tenth of a second of CUPTI's tables; a context takes as long.
std::future<void> plan_early(const UseDevice& use) {
  return std::async(std::launch::async, [&] {
    try {
      if (!use.chip.empty() && !use.counters.empty() && attached_profiler().empty())
        planned_passes(use.chip, use.counters);
    } catch (const CuptiError&) { // said when they are wanted
    }
  });
}

} // namespace

OpenedDevice::OpenedDevice(const UseDevice& use, Observer& observer) {
  const auto planning = plan_early(use);
  check(cudaSetDevice(use.ordinal));
  check(cudaFree(nullptr)); // the context, so that its cost is here
  facts_ = query_device(use.ordinal);
  facts_.chip = use.chip; // asking CUPTI takes a tenth of a second
  stream_ = make_stream();
  counting_.emplace(observer,
                    [this](const std::vector<std::string>& names) { return open_counters(names); });
  count_ahead(use);
}

void OpenedDevice::load(const UseDevice& use) {
  if (!use.device_code)
    throw Error("the worker's own kernels did not arrive");
  kernels_.emplace(*use.device_code, facts_.sm_count, stream_.get());
  counting_->open(use.counters);
  if (facts_.chip.empty())
    facts_.chip = known_chip_name(facts_.ordinal).value_or("");
}

/// @throws CuptiError
std::shared_ptr<CounterDevice> OpenedDevice::countable() {
  // Asked first: a second client would disturb the profiler that is there.
  if (const std::string tool = attached_profiler(); !tool.empty())
    throw CuptiError(0, tool);
  if (!countable_)
    countable_ = std::make_shared<CounterDevice>(facts_.ordinal);
  facts_.chip = countable_->chip();
  return countable_;
}

/// What passes while the worker's own kernels are compiled. A set that comes later is planned while the
/// first is counted.
void OpenedDevice::count_ahead(const UseDevice& use) {
  if (use.counters.empty())
    return;
  try {
    ahead_ = std::make_unique<CounterSession>(countable(), use.counters);
    names_ahead_ = use.counters;
    if (!use.later_counters.empty())
      countable()->plan(use.later_counters);
  } catch (const CuptiError&) { // said when they are wanted
  }
}

std::unique_ptr<CounterSource> OpenedDevice::open_counters(const std::vector<std::string>& names) {
  if (ahead_ && names == names_ahead_)
    return std::move(ahead_);
  ahead_.reset(); // one at a time is allowed
  return std::make_unique<CounterSession>(countable(), names);
}

void OpenedDevice::warm_up_counters() {
  if (!warm_up_) {
    warm_up_ = allocate(warm_up_bytes);
    check(cudaMemsetAsync(warm_up_.get(), 0, warm_up_bytes, stream_.get())); // never written again
  }
  counting_->warm_up([this] {
    kernels_->read(warm_up_.get(), warm_up_bytes, warm_up_.get());
    check(cudaStreamSynchronize(stream_.get()));
  });
}

double OpenedDevice::free_share() const {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total));
  return static_cast<double>(free) / static_cast<double>(total);
}

} // namespace gridsmith
