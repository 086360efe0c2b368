// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/presentation/campaign_text.hpp"

#include "gridsmith/base/number_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/base/text_table.hpp"
#include "gridsmith/results/measurement/time_summary.hpp"
#include "gridsmith/results/selection/loss.hpp"
#include "gridsmith/tuner/presentation/answer_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace gridsmith {
namespace {

Objective objective_of(const Outcome& outcome) {
  return objective_of(outcome.answer.found_by, outcome.subject.device);
}

void add_row(Table& table, const Outcome& outcome, const Objective& by) {
  const auto& ranking = outcome.answer.ranking;
  const auto& fallback = outcome.subject.default_configuration;
  const auto usual = fallback ? time_ms(outcome, *fallback) : std::nullopt;
  std::optional<double> best, best_value, usual_value;
  const Workload& work = outcome.answer.found_by.workload;
  if (const Ranked* winner = outcome.answer.winner()) {
    best = winner->time.median_ms;
    if (!by.by_time)
      best_value = by.value(winner->measurement, work);
  }
  if (const Measurement* measured =
          fallback && !by.by_time ? last_measured(outcome, *fallback) : nullptr)
    usual_value = by.value(*measured, work);
  table.add(
      {outcome.subject.problem, number_cell(best_value), number_cell(usual_value),
       number_cell(best), number_cell(usual),
       best && usual ? fmt::format("{:.2f}", *usual / *best) : "",
       std::to_string(outcome.result.measurements.size()),
       outcome.for_all ? fmt::format("{:.1f}", 100 * share_lost(by, 1 + outcome.for_all->loss))
                       : "",
       ranking.empty() ? "no correct result"
       : outcome.answer.found_by.unconfirmed
           ? "not confirmed"
           : short_text(ranking.front().measurement.configuration, outcome.subject.parameters)});
}

/// What one configuration for all sizes costs.
std::string common_text(std::span<const Outcome> outcomes, Across across,
                        std::span<const double> weights) {
  if (!outcomes.front().for_all)
    return "No configuration gave a correct result at every size.";
  double sum = 0, all = 0, worst = 0;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const double weight = i < weights.size() ? weights[i] : 1.0;
    sum += weight * std::log1p(outcomes[i].for_all->loss);
    all += weight;
    worst = std::max(worst, outcomes[i].for_all->loss);
  }
  const Objective by = objective_of(outcomes.front());
  return printable(fmt::format(
      "For all sizes ({}): {}; {} {} than each size's best as first measured, in the geometric mean, {} at worst.",
      across == Across::mean ? "least geometric mean" : "least worst ratio",
      short_text(outcomes.front().for_all->configuration, outcomes.front().subject.parameters),
      share_text(by, std::exp(sum / all)),
      by.by_time ? worse_word(by) : worse_word(by) + " " + by.name, share_text(by, 1 + worst)));
}

} // namespace

std::string campaign_text(std::span<const Outcome> outcomes, Across across,
                          std::span<const double> weights,
                          std::span<const Calibration> calibrations, const Terminal& terminal) {
  const Objective by = objective_of(outcomes.front());
  Table table({{"size", "", true},
               {by.name, by.unit}, // but the time: empty, and not shown
               {"default", by.unit},
               {"best", "ms"},
               {"default", "ms"},
               {"gain", "times"},
               {"tried", ""},
               {"for all", "% " + worse_word(by)},
               {"configuration", "", true}});
  std::size_t tried = 0;
  std::uint64_t reused = 0;
  std::map<std::string, double> seconds; // of each device's search, which its sizes share
  std::size_t drawn = 0;
  std::vector<std::string> added;
  for (const Outcome& outcome : outcomes) {
    if (outcome.subject.drawn)
      ++drawn;
    else
      add_row(table, outcome, by);
    if (outcome.subject.added)
      added.push_back(outcome.subject.problem);
    tried += outcome.result.measurements.size();
    reused += outcome.result.reused;
    double& longest = seconds[outcome.subject.device.uuid + outcome.subject.device.name];
    longest = std::max(longest, outcome.result.seconds);
  }
  std::string text = table.text(terminal.width) + '\n';
  if (!added.empty())
    text += wrapped(fmt::format("Added, as the choice was least certain there: {}.",
                                fmt::join(added, ", ")),
                    terminal.width, 2) +
            '\n';
  if (across != Across::each)
    text += wrapped(common_text(outcomes, across, weights), terminal.width, 2) + '\n';
  std::string summary = fmt::format("Tried {} at {}", counted(tried, "configuration"),
                                    counted(outcomes.size() - drawn, "size"));
  if (drawn > 0)
    summary += fmt::format(" and {} drawn ones", drawn);
  double all = 0;
  for (const auto& [device, one] : seconds)
    all += one;
  if (all > 0)
    summary += " in " + duration_text(all);
  if (reused > 0)
    summary += fmt::format(", {} from the store", reused);
  text += wrapped(summary + ".", terminal.width, 2) + '\n';
  for (const Calibration& one : calibrations)
    text += wrapped(fmt::format("A header of these sizes chooses, {}.", to_text(one)),
                    terminal.width, 2) +
            '\n';
  for (const Outcome& outcome : outcomes)
    if (const std::string why = shortfall(outcome); !why.empty())
      text += wrapped(printable(outcome.subject.problem + ": " + why), terminal.width, 2) + '\n';
  return text;
}

} // namespace gridsmith
