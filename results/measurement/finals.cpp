// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/measurement/finals.hpp"

#include "gridsmith/results/measurement/answer.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>

namespace gridsmith {

void mark_failed_final(Measurement& measurement) {
  if (measurement.mode == Mode::final && !measurement.correct() &&
      !measurement.reason.starts_with(failed_again))
    measurement.reason.insert(0, failed_again);
}

bool overrules(const Measurement& record) {
  return record.mode == Mode::final && !record.correct() && record.reason.starts_with(failed_again);
}

std::vector<Measurement> settle(std::vector<Measurement>& rows,
                                std::span<const Measurement> finals) {
  std::vector<Measurement> shared;
  if (std::none_of(finals.begin(), finals.end(), overrules))
    return shared;
  std::unordered_map<Configuration, std::string> launched; // a final is launched by itself
  for (const Measurement& row : rows)
    launched.emplace(row.configuration, launched_as(row));
  std::unordered_map<std::string, const Measurement*> newest; // by what was launched
  for (const Measurement& final : finals)
    if (const auto row = launched.find(final.configuration); row != launched.end())
      newest[row->second] = &final;
  for (Measurement& row : rows) {
    const auto final = newest.find(launched_as(row));
    if (!row.correct() || final == newest.end() || !overrules(*final->second))
      continue;
    Measurement now = *final->second;
    if (now.configuration != row.configuration) {
      now.same_code_as = to_text(now.configuration);
      now.configuration = row.configuration;
      shared.push_back(now);
    }
    row = std::move(now);
  }
  return shared;
}

std::vector<Configuration> drift_witnesses(std::vector<Measurement> stored,
                                           const Objective& objective, const Workload& workload) {
  std::erase_if(stored, [](const Measurement& one) { return one.pruned_early; });
  if (stored.size() < drift_evidence)
    return {};
  const FinalsRules rules{.most = drift_evidence,
                          .within = std::numeric_limits<double>::infinity()};
  const auto chosen = finalists(stored, rules, objective, workload);
  std::vector<Configuration> best;
  best.reserve(chosen.size());
  for (const Measurement* one : chosen)
    best.push_back(one->configuration);
  return best;
}

} // namespace gridsmith
