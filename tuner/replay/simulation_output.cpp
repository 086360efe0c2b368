// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/replay/simulation_output.hpp"

#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/base/text_layout.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace gridsmith {
namespace {

using Json = nlohmann::ordered_json;

std::string ratio_text(const RatioSpread& spread, bool brief) {
  return brief ? fmt::format("{:.3f}", spread.median)
               : fmt::format("{:.3f} [{:.3f} {:.3f}]", spread.median, spread.low, spread.high);
}

std::string reached_text(const Reached& reached, std::size_t runs, bool brief) {
  const std::string median = reached.median ? fmt::format("{:g}", *reached.median) : "-";
  return runs > 0 && !brief ? fmt::format("{} ({}/{})", median, reached.runs, runs) : median;
}

std::string seconds_text(const std::optional<double>& seconds) {
  return seconds ? fmt::format("{:.1f}", *seconds) : "-";
}

void add_seconds(const std::optional<RecordedSeconds>& seconds, std::vector<std::string>& row) {
  if (seconds)
    row.insert(row.end(),
               {seconds_text(seconds->to_5_percent), seconds_text(seconds->to_1_percent),
                seconds_text(seconds->to_the_end), fmt::format("{:.1f}", seconds->given_up)});
  else
    row.insert(row.end(), {"-", "-", "-", "-"});
}

/// Columns as wide as their widest cell, the first `left` of them flush left.
std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t left) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c)
      line += c < left ? fmt::format("{:<{}}  ", row[c], widths[c])
                       : fmt::format("{:>{}}  ", row[c], widths[c]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::vector<std::string> budget_titles(const std::vector<RatioSpread>& budgets) {
  std::vector<std::string> titles;
  titles.reserve(budgets.size());
  for (const RatioSpread& budget : budgets)
    titles.push_back(fmt::format("after {}", budget.evaluations));
  return titles;
}

void add_titles(std::vector<std::string>& row, const std::vector<std::string>& titles,
                const std::vector<std::string>& others, bool brief) {
  row.insert(row.end(), titles.begin(), titles.end());
  if (!brief)
    row.insert(row.end(), others.begin(), others.end());
}

std::string summary_text(const SimulationTable& table, bool brief) {
  const auto summaries = summarise(table);
  std::vector<std::vector<std::string>> rows = {{"strategy"}};
  for (const std::string& title : budget_titles(summaries.front().budgets))
    rows.front().push_back(title);
  add_titles(rows.front(), {"score"}, {"us/evaluation"}, brief);
  for (const SimulationSummary& summary : summaries) {
    rows.push_back({summary.strategy});
    for (const RatioSpread& budget : summary.budgets)
      rows.back().push_back(ratio_text(budget, brief));
    rows.back().push_back(fmt::format("{:.3f}", summary.score));
    if (!brief)
      rows.back().push_back(fmt::format("{:.1f}", summary.search_us));
  }
  return fmt::format("geometric means over {} recordings\n", summaries.front().recordings) +
         aligned(rows, 1);
}

std::string results_text(const SimulationTable& table, bool timed, bool brief) {
  std::vector<std::vector<std::string>> rows = {{"recording", "strategy"}};
  for (const std::string& title : budget_titles(table.front().budgets))
    rows.front().push_back(title);
  add_titles(rows.front(), {"to 5 %", "to 1 %"}, {}, brief);
  if (timed && !brief)
    rows.front().insert(rows.front().end(), {"s to 5 %", "s to 1 %", "s in all", "cancelled"});
  add_titles(rows.front(), {"score"}, {"us/evaluation"}, brief);
  for (const SimulationResult& cell : table) {
    rows.push_back({printable(cell.recording), cell.strategy});
    for (const RatioSpread& budget : cell.budgets)
      rows.back().push_back(ratio_text(budget, brief));
    rows.back().push_back(reached_text(cell.within_5_percent, cell.runs, brief));
    rows.back().push_back(reached_text(cell.within_1_percent, cell.runs, brief));
    if (timed && !brief)
      add_seconds(cell.seconds, rows.back());
    rows.back().push_back(fmt::format("{:.3f}", cell.score));
    if (!brief)
      rows.back().push_back(fmt::format("{:.1f}", cell.search_us));
  }
  return aligned(rows, 2);
}

/// Where not even that fits.
std::string paragraphs_text(const SimulationTable& table, std::size_t width) {
  std::string text;
  for (const SimulationResult& cell : table) {
    std::string line = fmt::format("{}, {}:", printable(cell.recording), cell.strategy);
    for (const RatioSpread& budget : cell.budgets)
      line += fmt::format(" {:.3f} after {},", budget.median, budget.evaluations);
    text += wrapped(fmt::format("{} {} to 5 %, {} to 1 %, score {:.3f}", line,
                                reached_text(cell.within_5_percent, cell.runs, true),
                                reached_text(cell.within_1_percent, cell.runs, true), cell.score),
                    width, 2) +
            '\n';
  }
  return text;
}

std::string legend_text(bool timed, bool brief) {
  if (brief)
    return "best found / optimum, median; evaluations to within 5 % and 1 %, median; score: 0 random "
           "search, 1 optimum";
  return "best found / optimum: median [quartiles]; evaluations to within 5 % and 1 %: median (runs "
         "that got there); " +
         std::string(timed
                         ? "s: seconds of recorded time, median; cancelled: compilations of a run, "
                           "mean; "
                         : "") +
         "score: 0 random search, 1 optimum";
}

/// "default is 1.2 % above the optimum after 200 evaluations, random (exact) 9.8 %"
std::string verdict_text(const SimulationTable& table) {
  std::vector<SimulationSummary> all = summarise(table);
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  std::string text;
  for (const SimulationSummary& one : all) {
    const double above = 100 * (one.budgets.back().median - 1);
    const std::string how = !std::isfinite(above) ? "found nothing"
                            : above < 0.05        ? "at the optimum"
                                           : fmt::format("{:.1f} % above the optimum", above);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", one.strategy, how);
  }
  return fmt::format("Medians after {}, best score first: {}.",
                     counted(all.front().budgets.back().evaluations, "evaluation"), text);
}

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json to_json(const std::vector<RatioSpread>& spreads) {
  Json list = Json::array();
  for (const RatioSpread& spread : spreads)
    list.push_back({{"evaluations", spread.evaluations},
                    {"low_quartile", number(spread.low)},
                    {"median", number(spread.median)},
                    {"high_quartile", number(spread.high)}});
  return list;
}

Json to_json(const Reached& reached) {
  return {{"median_evaluations", reached.median ? Json(*reached.median) : Json(nullptr)},
          {"runs", reached.runs}};
}

Json to_json(const std::optional<RecordedSeconds>& seconds) {
  if (!seconds)
    return nullptr;
  const auto known = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  return {{"to_5_percent", known(seconds->to_5_percent)},
          {"to_1_percent", known(seconds->to_1_percent)},
          {"to_the_end", seconds->to_the_end},
          {"given_up_compilations", seconds->given_up}};
}

} // namespace

std::string simulation_text(const SimulationTable& table, std::size_t width) {
  if (table.empty())
    return "";
  const bool timed = std::any_of(table.begin(), table.end(), [](const SimulationResult& cell) {
    return cell.seconds.has_value();
  });
  std::string rows = results_text(table, timed, false);
  const bool brief = widest_line(rows) > width;
  if (brief)
    rows = results_text(table, timed, true);
  if (widest_line(rows) > width)
    rows = paragraphs_text(table, width);
  const bool several = std::any_of(table.begin(), table.end(), [&](const SimulationResult& cell) {
    return cell.recording != table.front().recording;
  });
  return wrapped(legend_text(timed, brief), width, 0) + '\n' + rows +
         (several ? "\n" + summary_text(table, brief) : "") + '\n' +
         wrapped(verdict_text(table), width, 0) + '\n';
}

std::string simulation_csv(const SimulationTable& table) {
  std::string text = "recording,strategy,runs,evaluations,low_quartile,median,high_quartile,"
                     "evaluations_to_5_percent,runs_to_5_percent,evaluations_to_1_percent,"
                     "runs_to_1_percent,score,search_us_per_evaluation\n";
  const auto median = [](const Reached& reached) {
    return reached.median ? fmt::format("{:g}", *reached.median) : std::string();
  };
  for (const SimulationResult& cell : table)
    for (const RatioSpread& budget : cell.budgets)
      text += fmt::format(
          "{},{},{},{},{:.6g},{:.6g},{:.6g},{},{},{},{},{:.6g},{:.4g}\n", csv_field(cell.recording),
          csv_field(cell.strategy), cell.runs, budget.evaluations, budget.low, budget.median,
          budget.high, median(cell.within_5_percent), cell.within_5_percent.runs,
          median(cell.within_1_percent), cell.within_1_percent.runs, cell.score, cell.search_us);
  return text;
}

std::string simulation_json(const SimulationTable& table) {
  Json json = {{"results", Json::array()}, {"summary", Json::array()}};
  for (const SimulationResult& cell : table)
    json["results"].push_back({{"recording", cell.recording},
                               {"strategy", cell.strategy},
                               {"runs", cell.runs},
                               {"budgets", to_json(cell.budgets)},
                               {"within_5_percent", to_json(cell.within_5_percent)},
                               {"within_1_percent", to_json(cell.within_1_percent)},
                               {"seconds", to_json(cell.seconds)},
                               {"score", cell.score},
                               {"search_us_per_evaluation", cell.search_us},
                               {"curve", to_json(cell.curve)}});
  for (const SimulationSummary& summary : summarise(table))
    json["summary"].push_back({{"strategy", summary.strategy},
                               {"recordings", summary.recordings},
                               {"geometric_means", to_json(summary.budgets)},
                               {"score", summary.score},
                               {"search_us_per_evaluation", summary.search_us}});
  return json_text(json, 2);
}

} // namespace gridsmith
