// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/cupti/counter_plan.hpp"

#include "gridsmith/metrics/cupti/cupti_call.hpp"
#include "gridsmith/metrics/cupti/host_profiler.hpp"

namespace gridsmith {

std::vector<std::string> supported_chips() {
  auto params = sized<CUpti_Profiler_Host_GetSupportedChips_Params>(
      CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE);
  check(cuptiProfilerHostGetSupportedChips(&params), "ask CUPTI for its chips");
  return {params.ppChipNames, params.ppChipNames + params.numChips};
}

std::vector<std::string> rejected_metrics(std::string_view chip,
                                          const std::vector<std::string>& metrics) {
  const std::string name(chip);
  HostProfiler known(name); // throws for an unknown chip even where no metric is asked for
  return rejected_on(name, {}, metrics);
}

std::size_t planned_passes(std::string_view chip, const std::vector<std::string>& metrics) {
  return plan_counters(std::string(chip), {}, metrics).passes;
}

} // namespace gridsmith
