// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/measurement/derived.hpp"

namespace gridsmith {

MetricFacts metric_facts(const Measurement& measurement, const Device& device, const Peaks& peaks,
                         const Workload& workload, double time_ms, const OwnMetrics& own) {
  return {.counters = measurement.counters,
          .device = device,
          .time_ms = time_ms,
          .model_bytes = workload.model_bytes,
          .model_flops = workload.model_flops,
          .peaks = &peaks,
          .own = &own,
          .compiled = measurement.compile_facts ? &*measurement.compile_facts : nullptr,
          .configuration = &measurement.configuration,
          .extents = &workload.extents};
}

LaunchFacts launch_facts(const Measurement& measurement, const Device& device, const Peaks& peaks,
                         const Workload& workload) {
  const Geometry& shape = measurement.geometry;
  LaunchFacts facts{.metrics = {.counters = measurement.counters,
                                .device = device,
                                .time_ms = cost_ms(measurement).value_or(0),
                                .model_bytes = workload.model_bytes,
                                .model_flops = workload.model_flops,
                                .peaks = &peaks}};
  facts.compiled = measurement.compile_facts;
  if (shape == Geometry{})
    return facts;
  facts.blocks = shape.blocks();
  facts.threads_per_block = static_cast<int>(shape.threads_per_block());
  facts.dynamic_shared_bytes = shape.dynamic_shared_bytes;
  facts.transfers = shape.transfer.has_value();
  return facts;
}

std::optional<Occupancy> predicted_occupancy(const Device& device, const Measurement& measurement) {
  if (!measurement.compile_facts || device.max_threads_per_sm == 0 ||
      measurement.geometry == Geometry{})
    return std::nullopt;
  const Occupancy found = occupancy(device, *measurement.compile_facts,
                                    static_cast<int>(measurement.geometry.threads_per_block()),
                                    measurement.geometry.dynamic_shared_bytes,
                                    measurement.geometry.shared_carveout_percent.value_or(100));
  return found.blocks_per_sm ? std::optional(found) : std::nullopt;
}

} // namespace gridsmith
