// SPDX-License-Identifier: Apache-2.0
// CUPTI's target half: the device's counters, read by its range profiler. Order of calls and pitfalls:
// CUPTI documentation, "Range Profiling API"; comments say what was found beyond it.
#include "gridsmith/metrics/cupti/counter_session.hpp"

#include "gridsmith/metrics/counters/attached_profiler.hpp"
#include "gridsmith/metrics/cupti/cuda_driver.hpp"
#include "gridsmith/metrics/cupti/cupti_call.hpp"
#include "gridsmith/metrics/cupti/host_profiler.hpp"

#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <cupti_version.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <future>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

namespace gridsmith {
namespace {

// A newer library takes the older structures; an older one does not know what it is given.
void check_library_version() {
  std::uint32_t version = 0;
  check(cuptiGetVersion(&version), "ask CUPTI for its version");
  constexpr std::uint32_t first_dotted = 130000; // 13.0.0; before, a running number
  const std::uint32_t built = CUPTI_API_VERSION;
  const bool older = built >= first_dotted ? version / 100 < built / 100 : version < built;
  if (older)
    throw CuptiError(CUPTI_ERROR_NOT_COMPATIBLE,
                     fmt::format("cannot count: the CUPTI library found (version {}) is older than "
                                 "the one built against ({}); put the newer one first in the "
                                 "library path",
                                 version, built));
}

void check_device(CUdevice device) {
  auto params = sized<CUpti_Profiler_DeviceSupported_Params>(
      CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE);
  params.cuDevice = device;
  params.api = CUPTI_PROFILER_RANGE_PROFILING;
  check(cuptiProfilerDeviceSupported(&params), "ask whether the device has readable counters");
  if (params.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED)
    return;
  const std::array<std::pair<CUpti_Profiler_Support_Level, CUptiResult>, 6> levels = {{
      {params.architecture, CUPTI_ERROR_NOT_SUPPORTED},
      {params.sli, CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED},
      {params.vGpu, params.vGpu == CUPTI_PROFILER_CONFIGURATION_DISABLED
                        ? CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES
                        : CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED},
      {params.confidentialCompute, CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED},
      {params.cmp, CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED},
      {params.wsl, CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED},
  }};
  for (const auto& [level, code] : levels)
    if (level != CUPTI_PROFILER_CONFIGURATION_SUPPORTED)
      check(code, "read this device's counters");
  check(CUPTI_ERROR_NOT_SUPPORTED, "read this device's counters");
}

// What must hold before the first call of CUPTI's target half.
CudaDriver checked_driver() {
  if (const auto tool = attached_profiler(); !tool.empty())
    throw CuptiError(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED,
                     fmt::format("cannot count: {}; run without it to count", tool));
  check_library_version();
  return CudaDriver(); // without one some CUPTI calls crash
}

std::string chip_of(int device_ordinal) {
  auto params = sized<CUpti_Device_GetChipName_Params>(CUpti_Device_GetChipName_Params_STRUCT_SIZE);
  params.deviceIndex = static_cast<std::size_t>(device_ordinal);
  check(cuptiDeviceGetChipName(&params), "ask CUPTI for the chip's name");
  return params.pChipName;
}

// Which counters this very device offers. Refused while a profiler is enabled, so asked before.
Bytes availability_of(CUcontext context) {
  auto params = sized<CUpti_Profiler_GetCounterAvailability_Params>(
      CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE);
  params.ctx = context;
  check(cuptiProfilerGetCounterAvailability(&params), "read this device's counters");
  Bytes image(params.counterAvailabilityImageSize);
  params.pCounterAvailabilityImage = image.data();
  check(cuptiProfilerGetCounterAvailability(&params), "read this device's counters");
  return image;
}

// CUPTI's profiler interface, open while this lives.
class ProfilerInterface {
public:
  ProfilerInterface() {
    auto params =
        sized<CUpti_Profiler_Initialize_Params>(CUpti_Profiler_Initialize_Params_STRUCT_SIZE);
    check(cuptiProfilerInitialize(&params), "start CUPTI's profiler");
  }

  ProfilerInterface(const ProfilerInterface&) = delete;
  ProfilerInterface& operator=(const ProfilerInterface&) = delete;

  ~ProfilerInterface() {
    auto params =
        sized<CUpti_Profiler_DeInitialize_Params>(CUpti_Profiler_DeInitialize_Params_STRUCT_SIZE);
    cuptiProfilerDeInitialize(&params);
  }
};

/// Whether it is read by patching the kernel's code.
bool is_patched(const std::string& metric) {
  return metric.starts_with("smsp__sass_");
}

// The enabled range profiler of one context with one configuration. Another set, or room for more kernels,
// takes a new object, whose first start() costs 0.2 s on an H200: a live one goes on with the first.
class RangeProfiler {
public:
  RangeProfiler(CUcontext context, const CounterPlan& plan, std::size_t most_kernels)
      : plan_(plan), most_kernels_(most_kernels) {
    auto params =
        sized<CUpti_RangeProfiler_Enable_Params>(CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE);
    params.ctx = context;
    check(cuptiRangeProfilerEnable(&params), "enable the range profiler");
    object_ = params.pRangeProfilerObject;
    try {
      data_.resize(counter_data_size());
    } catch (...) {
      disable();
      throw;
    }
  }

  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  ~RangeProfiler() { disable(); }

  std::size_t most_kernels() const { return most_kernels_; }

  // Empties the counter data and starts over at the first pass.
  void arm() {
    auto image = sized<CUpti_RangeProfiler_CounterDataImage_Initialize_Params>(
        CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE);
    image.pRangeProfilerObject = object_;
    image.counterDataSize = data_.size();
    image.pCounterData = data_.data();
    check(cuptiRangeProfilerCounterDataImageInitialize(&image), "prepare the counter data");
    auto params = sized<CUpti_RangeProfiler_SetConfig_Params>(
        CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE);
    params.pRangeProfilerObject = object_;
    params.configSize = plan_.config.size();
    params.pConfig = plan_.config.data();
    params.counterDataImageSize = data_.size();
    params.pCounterDataImage = data_.data();
    params.range = CUPTI_AutoRange; // a user range also counts the GPU waiting for the host
    params.replayMode = CUPTI_UserReplay;
    params.maxRangesPerPass = most_kernels_;
    params.numNestingLevels = 1;
    params.minNestingLevel = 1;
    params.passIndex = 0;
    params.targetNestingLevel = 1;
    check(cuptiRangeProfilerSetConfig(&params), "configure the range profiler");
  }

  void start() {
    auto params =
        sized<CUpti_RangeProfiler_Start_Params>(CUpti_RangeProfiler_Start_Params_STRUCT_SIZE);
    params.pRangeProfilerObject = object_;
    check(cuptiRangeProfilerStart(&params), "start counting");
  }

  /// True when that was the last pass.
  bool stop() {
    auto params =
        sized<CUpti_RangeProfiler_Stop_Params>(CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE);
    params.pRangeProfilerObject = object_;
    check(cuptiRangeProfilerStop(&params), "stop counting");
    return params.isAllPassSubmitted != 0;
  }

  void decode() {
    auto params = sized<CUpti_RangeProfiler_DecodeData_Params>(
        CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE);
    params.pRangeProfilerObject = object_;
    check(cuptiRangeProfilerDecodeData(&params), "read the counters");
    if (params.numOfRangeDropped > 0)
      throw CuptiError(
          CUPTI_ERROR_MAX_LIMIT_REACHED,
          fmt::format("CUPTI dropped {} counted kernels; count fewer kernels at a time",
                      params.numOfRangeDropped));
  }

  std::size_t decoded_ranges() const {
    auto params = sized<CUpti_RangeProfiler_GetCounterDataInfo_Params>(
        CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE);
    params.pCounterDataImage = data_.data();
    params.counterDataImageSize = data_.size();
    check(cuptiRangeProfilerGetCounterDataInfo(&params), "read the counters");
    return params.numTotalRanges;
  }

  const Bytes& data() const { return data_; }

private:
  std::size_t counter_data_size() const {
    auto names = pointers(plan_.metrics);
    auto params = sized<CUpti_RangeProfiler_GetCounterDataSize_Params>(
        CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE);
    params.pRangeProfilerObject = object_;
    params.pMetricNames = names.data();
    params.numMetrics = names.size();
    params.maxNumOfRanges = most_kernels_;
    params.maxNumRangeTreeNodes = static_cast<std::uint32_t>(most_kernels_);
    check(cuptiRangeProfilerGetCounterDataSize(&params), "prepare the counter data");
    return params.counterDataSize;
  }

  void disable() noexcept {
    auto params =
        sized<CUpti_RangeProfiler_Disable_Params>(CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE);
    params.pRangeProfilerObject = object_;
    cuptiRangeProfilerDisable(&params);
  }

  const CounterPlan& plan_;
  std::size_t most_kernels_;
  CUpti_RangeProfiler_Object* object_ = nullptr;
  Bytes data_;
};

} // namespace

std::string chip_name(int device_ordinal) {
  checked_driver();
  const ProfilerInterface open;
  return chip_of(device_ordinal);
}

struct CounterDevice::Impl {
  explicit Impl(int ordinal)
      : current(checked_driver().current()), chip((check_device(current.device), chip_of(ordinal))),
        availability(availability_of(static_cast<CUcontext>(current.context))) {}

  std::shared_future<CounterPlan> plan(const std::vector<std::string>& metrics) {
    auto& plan = plans[metrics];
    if (!plan.valid())
      plan = std::async(std::launch::async,
                        [this, metrics] { return plan_counters(chip, availability, metrics); });
    return plan;
  }

  DriverContext current;
  ProfilerInterface interface;
  std::string chip;
  Bytes availability;
  std::map<std::vector<std::string>, std::shared_future<CounterPlan>> plans;
};

CounterDevice::CounterDevice(int ordinal) : impl_(std::make_unique<Impl>(ordinal)) {
}

CounterDevice::~CounterDevice() = default;

const std::string& CounterDevice::chip() const {
  return impl_->chip;
}

void CounterDevice::plan(const std::vector<std::string>& metrics) {
  impl_->plan(metrics);
}

struct CounterSession::Impl {
  using Action = CounterSource::Action;

  /// Kernels of a pass that a set of one pass has room for from the start. Sets of more take much room for each
  /// kernel, and a millisecond to make it (the full one 1.7 MB): they get what is needed.
  static constexpr std::size_t usual_room = 128;

  Impl(std::shared_ptr<CounterDevice> on, const std::vector<std::string>& metrics,
       std::size_t kernels)
      : device(std::move(on)), kernels_each(std::max<std::size_t>(kernels, 1)),
        planned(device->impl_->plan(metrics)), plan(planned.get()) {
    if (plan.passes == 1)
      profiler.emplace(context(), plan, usual_room);
  }

  CUcontext context() const { return static_cast<CUcontext>(device->impl_->current.context); }

  // Ready for the first pass. After a session that was broken off, and for more kernels than there is
  // room for, from the ground up.
  void make_ready(std::size_t launches) {
    const std::size_t kernels = launches * kernels_each;
    if (!profiler || kernels > profiler->most_kernels()) {
      const std::size_t room = profiler ? 2 * profiler->most_kernels() : 0;
      profiler.reset();
      profiler.emplace(context(), plan,
                       std::max({kernels, room, plan.passes == 1 ? usual_room : 0}));
    }
    profiler->arm();
  }

  /// Which kernel of a pass each launch is; CUPTI counts all of them, in order.
  using Places = std::vector<std::optional<std::size_t>>;

  Places launch_all(std::size_t pass, std::size_t launches, const Action& prepare,
                    const Action& body) const {
    Places places(launches);
    std::size_t kernels = 0;
    for (std::size_t number = 0; number < launches; ++number) {
      if (prepare)
        kernels += prepare({pass, number});
      const std::size_t launched = body({pass, number});
      if (launched > 1)
        throw std::invalid_argument("one kernel at a time is counted");
      if (launched == 1)
        places[number] = kernels++;
    }
    return places;
  }

  /// Stops, whatever comes. True after the last pass.
  bool run_pass(const std::function<void()>& launch) {
    profiler->start();
    try {
      launch();
    } catch (...) {
      quietly([&] { profiler->stop(); });
      throw;
    }
    return profiler->stop();
  }

  std::vector<CounterValues> collect(std::size_t launches, const Action& prepare,
                                     const Action& body) {
    make_ready(launches);
    try {
      Places places;
      bool last = false;
      for (std::size_t pass = 0; pass < plan.passes && !last; ++pass)
        last = run_pass([&] {
          Places now = launch_all(pass, launches, prepare, body);
          if (pass > 0 && now != places)
            throw CuptiError(CUPTI_ERROR_UNKNOWN, "a counted kernel could not be launched again");
          places = std::move(now);
        });
      if (!last)
        throw CuptiError(CUPTI_ERROR_UNKNOWN, "CUPTI wants more passes than it planned");
      profiler->decode();
      return read(places);
    } catch (...) {
      profiler.reset(); // passes may be pending in it
      throw;
    }
  }

  std::vector<CounterValues> read(const Places& places) const {
    std::vector<CounterValues> result(places.size());
    auto names = pointers(plan.metrics);
    std::vector<double> values(names.size());
    for (std::size_t number = 0; number < places.size(); ++number) {
      if (!places[number])
        continue;
      if (*places[number] >= profiler->decoded_ranges())
        throw CuptiError(CUPTI_ERROR_UNKNOWN, fmt::format("CUPTI counted {} kernels, one missing",
                                                          profiler->decoded_ranges()));
      plan.host.evaluate(profiler->data(), *places[number], names, values);
      for (std::size_t k = 0; k < values.size(); ++k)
        if (std::isfinite(values[k])) // a ratio over nothing has no value
          result[number].emplace(plan.metrics[k], values[k]);
      drop_unpatched(result[number]);
    }
    return result;
  }

  std::shared_ptr<CounterDevice> device;
  std::size_t kernels_each;
  std::shared_future<CounterPlan> planned;
  const CounterPlan& plan;
  std::optional<RangeProfiler> profiler;

private:
  /// Some counters are read by patching the kernel's code, which now and then is not done: then all
  /// of them are 0, which no kernel's are.
  static void drop_unpatched(CounterValues& values) {
    const auto patched = [](const auto& one) { return is_patched(one.first); };
    const auto counted = [&](const auto& one) { return patched(one) && one.second != 0; };
    if (std::none_of(values.begin(), values.end(), counted))
      std::erase_if(values, patched);
  }

  template <typename Action>
  static void quietly(Action action) noexcept {
    try {
      action();
    } catch (const CuptiError&) { // the first error is the one to tell
    }
  }
};

CounterSession::CounterSession(std::shared_ptr<CounterDevice> device,
                               const std::vector<std::string>& metrics, std::size_t kernels_each)
    : impl_(std::make_unique<Impl>(std::move(device), metrics, kernels_each)) {
}

CounterSession::CounterSession(int ordinal, const std::vector<std::string>& metrics,
                               std::size_t kernels_each)
    : CounterSession(std::make_shared<CounterDevice>(ordinal), metrics, kernels_each) {
}

CounterSession::~CounterSession() = default;
CounterSession::CounterSession(CounterSession&&) noexcept = default;
CounterSession& CounterSession::operator=(CounterSession&&) noexcept = default;

const std::string& CounterSession::chip() const {
  return impl_->device->chip();
}

std::size_t CounterSession::passes() const {
  return impl_->plan.passes;
}

bool CounterSession::patches_code() const {
  const auto& metrics = impl_->plan.metrics;
  return std::any_of(metrics.begin(), metrics.end(), is_patched);
}

std::vector<CounterValues> CounterSession::collect(std::size_t launches, const Action& prepare,
                                                   const Action& body) {
  return launches == 0 ? std::vector<CounterValues>() : impl_->collect(launches, prepare, body);
}

} // namespace gridsmith
