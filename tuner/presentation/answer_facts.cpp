#include "gridsmith/tuner/presentation/answer_facts.hpp"

#include "gridsmith/results/measurement/derived.hpp"

namespace gridsmith {

std::optional<double> metric_of(const Subject& subject, const Ranked& one,
                                std::string_view metric) {
  return metric_value(metric, metric_facts(one.measurement, subject.device, subject.peaks,
                                           subject.workload, one.time.median_ms));
}

std::map<std::string, std::size_t> count_by_status(const std::vector<Measurement>& measurements) {
  std::map<std::string, std::size_t> counts;
  for (const Measurement& measurement : measurements)
    ++counts[std::string(to_text(measurement.status))];
  return counts;
}

} // namespace gridsmith
