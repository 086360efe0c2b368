// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/report/families.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/results/formats/header.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace gridsmith {
namespace {

using Ordered = nlohmann::ordered_json;
using Exports = std::vector<const Export*>;

/// More cells than this are not searched for what would ship: a page is made in seconds.
constexpr std::size_t most_cells = 200'000;

/// The winners, what ships, and the default, each once.
std::vector<std::size_t> shown_of(const SizeTable& table, const std::vector<std::size_t>& chosen) {
  std::vector<std::size_t> shown = best_of_each(table);
  shown.insert(shown.end(), chosen.begin(), chosen.end());
  if (table.default_configuration)
    shown.push_back(*table.default_configuration);
  std::vector<std::size_t> once;
  for (const std::size_t one : shown)
    if (std::find(once.begin(), once.end(), one) == once.end())
      once.push_back(one);
  return once;
}

/// Cost over the least of the size; null: not measured there.
Ordered losses_json(const SizeTable& table, const std::vector<std::size_t>& shown) {
  const std::vector<double> best = least_costs(table);
  Ordered rows = Ordered::array();
  for (std::size_t problem = 0; problem < table.problems.size(); ++problem) {
    Ordered row = Ordered::array();
    for (const std::size_t one : shown) {
      const SizeCell& cell = table.cell(problem, one);
      row.push_back(cell.state == CellState::measured && best[problem] > 0
                        ? Ordered(cell.cost / best[problem])
                        : Ordered(nullptr));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string rule_text(const Selection& selection) {
  const auto share = [&](double loss) { return share_text(selection.objective, loss); };
  std::string text = fmt::format(
      "{} of these {} all {} sizes; at most {} is lost at a measured one",
      selection.configurations.size(), selection.configurations.size() == 1 ? "serves" : "serve",
      selection.problems.size(), share(selection.measured.worst));
  if (selection.left_out.complete())
    text +=
        fmt::format(", {} in the mean at sizes left out", share(selection.left_out.geometric_mean));
  else if (selection.left_out.sizes > 0)
    text += ", what is lost at sizes left out is not known";
  if (selection.calibrated)
    text += "; " + to_text(*selection.calibrated);
  return text + fmt::format("; rule '{}'", to_text(selection.rule.kind));
}

Ordered curve_json(const Selection& selection) {
  Ordered steps = Ordered::array();
  for (const CoverStep& step : selection.curve)
    steps.push_back({{"configurations", step.configurations.size()},
                     {"worst", share_text(selection.objective, step.loss.worst)},
                     {"mean", share_text(selection.objective, step.loss.geometric_mean)}});
  return steps;
}

std::size_t place_of(const SizeTable& table, const Configuration& configuration) {
  const auto& all = table.configurations;
  return static_cast<std::size_t>(std::find_if(all.begin(), all.end(),
                                               [&](const SizedConfiguration& one) {
                                                 return one.configuration == configuration;
                                               }) -
                                  all.begin());
}

Ordered family_json(const Exports& exports) {
  const ToShip from = to_ship(exports);
  const SizeTable& table = from.table;
  Ordered json = {{"kernel", table.kernel},
                  {"device", table.device.name},
                  {"objective", table.objective.name},
                  {"higher_is_better", table.objective.direction == Direction::maximise}};
  for (const ProblemSize& problem : table.problems)
    json["problems"].push_back(to_text(problem));
  std::vector<std::size_t> chosen;
  std::string rule;
  Ordered curve = Ordered::array();
  if (table.cells.size() <= most_cells) {
    const Selection selection = select(table, from.rules);
    chosen.reserve(selection.configurations.size());
    for (const SelectedConfiguration& one : selection.configurations)
      chosen.push_back(place_of(table, one.of.configuration));
    rule = rule_text(selection);
    curve = curve_json(selection);
  }
  const std::vector<std::size_t> shown = shown_of(table, chosen);
  Ordered& places = json["chosen"] = Ordered::array();
  for (const std::size_t one : chosen)
    places.push_back(std::find(shown.begin(), shown.end(), one) - shown.begin());
  for (const std::size_t one : shown)
    json["configurations"].push_back(to_text(table.configurations[one].configuration));
  json["loss"] = losses_json(table, shown);
  json["rule"] = rule;
  json["curve"] = std::move(curve);
  return json;
}

/// Sizes of other parameters or another source do not compare.
Ordered family_or_why_not(const Exports& exports) {
  try {
    return family_json(exports);
  } catch (const InputError& error) {
    Ordered problems = Ordered::array();
    for (const Export* one : exports)
      problems.push_back(one->recording.problem);
    const Recording& first = exports.front()->recording;
    return {{"kernel", first.kernel},
            {"device", first.device.name},
            {"problems", std::move(problems)},
            {"configurations", Ordered::array()},
            {"loss", Ordered::array()},
            {"chosen", Ordered::array()},
            {"rule", std::string("they do not compare: ") + error.what()}};
  }
}

// ---- one problem on several devices

using TimesOf = std::map<std::string, double>; ///< of one device, by configuration

TimesOf times_of(const Recording& recording) {
  TimesOf times;
  for (const Measurement& one : recording.measurements)
    if (const auto cost = cost_ms(one))
      times.emplace(to_text(one.configuration), *cost);
  return times;
}

std::string best_of(const TimesOf& times) {
  return std::min_element(times.begin(), times.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

Ordered row_json(const TimesOf& times, const std::vector<std::string>& winners) {
  Ordered row = Ordered::array();
  for (const std::string& one : winners) {
    const auto found = times.find(one);
    row.push_back(found == times.end() ? Ordered(nullptr)
                                       : Ordered(found->second / times.at(best_of(times))));
  }
  return row;
}

/// What the best of one device costs on another: times are compared on each device alone.
Ordered devices_json(const Exports& exports) {
  std::vector<TimesOf> times;
  times.reserve(exports.size());
  std::vector<std::string> winners;
  Ordered names = Ordered::array(), losses = Ordered::array();
  for (const Export* one : exports) {
    names.push_back(one->recording.device.name);
    times.push_back(times_of(one->recording));
    const std::string best = best_of(times.back());
    if (std::find(winners.begin(), winners.end(), best) == winners.end())
      winners.push_back(best);
  }
  for (const TimesOf& one : times)
    losses.push_back(row_json(one, winners));
  const Recording& first = exports.front()->recording;
  return {{"kernel", first.kernel},
          {"device", "each device at " + first.problem},
          {"objective", objectives().front().name},
          {"higher_is_better", false},
          {"problems", names},
          {"configurations", winners},
          {"loss", std::move(losses)},
          {"chosen", Ordered::array()},
          {"rule", ""}};
}

void add_devices(std::span<const Export* const> exports, Ordered& list) {
  std::map<std::pair<std::string, std::string>, Exports> groups; // by kernel and problem
  for (const Export* one : exports)
    if (has_best(*one))
      groups[{one->recording.kernel, one->recording.problem}].push_back(one);
  for (const auto& [of, group] : groups)
    if (group.size() > 1)
      list.push_back(devices_json(group));
}

} // namespace

Ordered families_json(std::span<const Export* const> exports) {
  std::map<std::pair<std::string, std::string>, Exports> groups; // by kernel and device
  for (const Export* one : exports)
    if (has_best(*one))
      groups[{one->recording.kernel, one->recording.device.name}].push_back(one);
  Ordered list = Ordered::array();
  for (const auto& [of, all] : groups)
    for (const auto& [objective, group] : by_objective(all))
      if (group.size() > 1)
        list.push_back(family_or_why_not(group));
  add_devices(exports, list);
  return list;
}

} // namespace gridsmith
