// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/catalogue/acceptance.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/metrics/catalogue/metrics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace gridsmith {
namespace {

bool is_of_results(const Metric& metric) {
  const auto counters = counters_of(metric);
  return !counters.empty() &&
         std::all_of(counters.begin(), counters.end(), [](std::string_view name) {
           return counter_kind(find_counter(name)->cupti) == CounterKind::result;
         });
}

} // namespace

std::vector<std::string> accepted_metrics() {
  std::vector<std::string> names;
  for (const Metric& metric : metric_catalogue())
    if (is_of_results(metric))
      names.push_back(metric.name);
  return names;
}

Acceptance::Acceptance(std::string_view text) : text_(text), condition_(Expression::parse(text)) {
  const auto known = accepted_metrics();
  for (const std::string& name : condition_.names())
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw InputError(unknown_name("metric of a result", name, known));
  if (condition_.names().empty() || text.find_first_of("<>=!") == text.npos)
    throw InputError(fmt::format("expected a condition on {}", fmt::join(known, ", ")));
}

std::string Acceptance::refusal(const CounterValues& differences) const {
  const Device no_device;
  Bindings values;
  std::vector<std::string> said;
  for (const std::string& name : condition_.names()) {
    const auto value =
        metric_value(*find_metric(name), {.counters = differences, .device = no_device});
    if (!value)
      return fmt::format("{} is not finite; accepted: {}", name, text_);
    values.emplace(name, *value);
    said.push_back(fmt::format("{} is {:.3g}", name, *value));
  }
  return condition_.holds(values) ? ""
                                  : fmt::format("{}; accepted: {}", fmt::join(said, ", "), text_);
}

} // namespace gridsmith
