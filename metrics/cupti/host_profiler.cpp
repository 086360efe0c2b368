// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/cupti/host_profiler.hpp"

#include "gridsmith/metrics/cupti/cupti_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gridsmith {
namespace {

std::size_t passes_of(Bytes& config) {
  auto params = sized<CUpti_Profiler_Host_GetNumOfPasses_Params>(
      CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE);
  params.configImageSize = config.size();
  params.pConfigImage = config.data();
  check(cuptiProfilerHostGetNumOfPasses(&params), "plan counters");
  return params.numOfPasses;
}

CounterPlan plan_in_order(const std::string& chip, const Bytes& availability,
                          const std::vector<std::string>& metrics) {
  HostProfiler host(chip, availability);
  const auto code = host.add(metrics);
  if (code != CUPTI_SUCCESS) {
    // CUPTI refuses the whole call without a name; find it.
    const auto rejected = rejected_on(chip, availability, metrics);
    check(code, rejected.empty() ? "plan counters"
                                 : fmt::format("count {} on {}", rejected.front(), chip));
  }
  auto config = host.config_image();
  const auto passes = passes_of(config);
  return {std::move(host), metrics, std::move(config), passes};
}

} // namespace

HostProfiler::HostProfiler(const std::string& chip, const Bytes& availability) {
  auto params = sized<CUpti_Profiler_Host_Initialize_Params>(
      CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE);
  params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  params.pChipName = chip.c_str();
  params.pCounterAvailabilityImage = availability.empty() ? nullptr : availability.data();
  check(cuptiProfilerHostInitialize(&params), fmt::format("plan counters for chip \"{}\"", chip));
  object_ = params.pHostObject;
}

HostProfiler::HostProfiler(HostProfiler&& other) noexcept
    : object_(std::exchange(other.object_, nullptr)) {
}

HostProfiler& HostProfiler::operator=(HostProfiler&& other) noexcept {
  std::swap(object_, other.object_);
  return *this;
}

HostProfiler::~HostProfiler() {
  if (!object_)
    return;
  auto params = sized<CUpti_Profiler_Host_Deinitialize_Params>(
      CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE);
  params.pHostObject = object_;
  cuptiProfilerHostDeinitialize(&params);
}

CUptiResult HostProfiler::add(const std::vector<std::string>& metrics) {
  auto names = pointers(metrics);
  auto params = sized<CUpti_Profiler_Host_ConfigAddMetrics_Params>(
      CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE);
  params.pHostObject = object_;
  params.ppMetricNames = names.data();
  params.numMetrics = names.size();
  return cuptiProfilerHostConfigAddMetrics(&params);
}

Bytes HostProfiler::config_image() const {
  auto size = sized<CUpti_Profiler_Host_GetConfigImageSize_Params>(
      CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE);
  size.pHostObject = object_;
  check(cuptiProfilerHostGetConfigImageSize(&size), "plan counters");
  Bytes image(size.configImageSize);
  auto params = sized<CUpti_Profiler_Host_GetConfigImage_Params>(
      CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE);
  params.pHostObject = object_;
  params.configImageSize = image.size();
  params.pConfigImage = image.data();
  check(cuptiProfilerHostGetConfigImage(&params), "plan counters");
  return image;
}

void HostProfiler::evaluate(const Bytes& counter_data, std::size_t range,
                            std::vector<const char*>& names, std::vector<double>& values) const {
  auto params = sized<CUpti_Profiler_Host_EvaluateToGpuValues_Params>(
      CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE);
  params.pHostObject = object_;
  params.pCounterDataImage = counter_data.data();
  params.counterDataImageSize = counter_data.size();
  params.rangeIndex = range;
  params.ppMetricNames = names.data();
  params.numMetrics = names.size();
  params.pMetricValues = values.data();
  check(cuptiProfilerHostEvaluateToGpuValues(&params), "evaluate counters");
}

std::vector<std::string> rejected_on(const std::string& chip, const Bytes& availability,
                                     const std::vector<std::string>& metrics) {
  std::vector<std::string> rejected;
  for (const auto& metric : metrics) { // a host object is of no use after a refusal
    HostProfiler host(chip, availability);
    if (host.add({metric}) != CUPTI_SUCCESS)
      rejected.push_back(metric);
  }
  return rejected;
}

// The number of passes depends on the order of the names: of a few, the one with the fewest.
CounterPlan plan_counters(const std::string& chip, const Bytes& availability,
                          const std::vector<std::string>& metrics) {
  auto best = plan_in_order(chip, availability, metrics);
  auto order = metrics;
  std::sort(order.begin(), order.end());
  for (int turn = 0; turn < 2 && best.passes > 1; ++turn) {
    auto other = plan_in_order(chip, availability, order);
    if (other.passes < best.passes)
      best = std::move(other);
    std::reverse(order.begin(), order.end());
  }
  return best;
}

} // namespace gridsmith
