#include "gridsmith/tuner/presentation/answer_facts.hpp"

namespace gridsmith {

MetricFacts metric_facts(const Subject& subject, const Ranked& one) {
  return {.counters = one.measurement.counters,
          .device = subject.device,
          .time_ms = one.time.median_ms,
          .model_bytes = subject.workload.model_bytes,
          .model_flops = subject.workload.model_flops,
          .copy_gb_per_s = peak_of(subject.peaks, "copy")};
}

std::optional<double> metric_of(const Subject& subject, const Ranked& one,
                                std::string_view metric) {
  return metric_value(metric, metric_facts(subject, one));
}

std::optional<Occupancy> predicted_occupancy(const Subject& subject,
                                             const Measurement& measurement) {
  if (!measurement.compile_facts || subject.device.max_threads_per_sm == 0)
    return std::nullopt;
  const Occupancy found = occupancy(subject.device, *measurement.compile_facts,
                                    static_cast<int>(measurement.geometry.threads_per_block()),
                                    measurement.geometry.dynamic_shared_bytes);
  return found.blocks_per_sm ? std::optional(found) : std::nullopt;
}

std::map<std::string, std::size_t> count_by_status(const std::vector<Measurement>& measurements) {
  std::map<std::string, std::size_t> counts;
  for (const Measurement& measurement : measurements)
    ++counts[std::string(to_text(measurement.status))];
  return counts;
}

} // namespace gridsmith
