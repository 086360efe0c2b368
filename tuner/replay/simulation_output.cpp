// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/replay/simulation_output.hpp"

#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/listing.hpp"
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

/// What is infinite becomes null in the text.
Json to_json(const std::vector<RatioSpread>& spreads) {
  Json list = Json::array();
  for (const RatioSpread& spread : spreads)
    list.push_back({{"evaluations", spread.evaluations},
                    {"low_quartile", spread.low},
                    {"median", spread.median},
                    {"high_quartile", spread.high}});
  return list;
}

Json to_json(const Reached& reached) {
  return {{"median_evaluations", or_null(reached.median)}, {"runs", reached.runs}};
}

Json to_json(const std::optional<RecordedSeconds>& seconds) {
  if (!seconds)
    return nullptr;
  return {{"to_5_percent", or_null(seconds->to_5_percent)},
          {"to_1_percent", or_null(seconds->to_1_percent)},
          {"to_the_end", seconds->to_the_end},
          {"given_up_compilations", seconds->given_up}};
}

/// A list in JSON, a column each in the table.
template <typename Row>
void add_budgets(Listing<Row>& listing, const std::string& key,
                 const std::vector<RatioSpread>& budgets, bool brief) {
  listing.add({key, [](const Row& row) { return to_json(row.budgets); }});
  for (std::size_t i = 0; i < budgets.size(); ++i)
    listing.add({Column{fmt::format("after {}", budgets[i].evaluations)},
                 [i, brief](const Row& row) { return ratio_text(row.budgets[i], brief); }});
}

template <typename Row>
void add_score(Listing<Row>& listing, bool brief) {
  listing.add({"score", {"score"}, [](const Row& row) {
                 return Cell(fmt::format("{:.3f}", row.score), row.score);
               }});
  if (!brief)
    listing.add({"search_us_per_evaluation", {"us/evaluation"}, [](const Row& row) {
                   return Cell(fmt::format("{:.1f}", row.search_us), row.search_us);
                 }});
}

Listing<SimulationSummary> summary_listing(const std::vector<SimulationSummary>& summaries,
                                           bool brief = false) {
  Listing<SimulationSummary> listing{
      {"strategy", {"strategy", "", true}, &SimulationSummary::strategy},
      {"recordings", &SimulationSummary::recordings}};
  add_budgets(listing, "geometric_means", summaries.front().budgets, brief);
  add_score(listing, brief);
  return listing;
}

std::string summary_text(const SimulationTable& table, bool brief) {
  const auto summaries = summarise(table);
  return fmt::format("geometric means over {} recordings\n", summaries.front().recordings) +
         summary_listing(summaries, brief).table(summaries).text();
}

/// @param timed with the seconds of recorded time
Listing<SimulationResult> results_listing(const SimulationTable& table, bool timed,
                                          bool brief = false) {
  using Row = SimulationResult;
  Listing<Row> listing{{"recording", {"recording", "", true}, &Row::recording},
                       {"strategy", {"strategy", "", true}, &Row::strategy},
                       {"runs", &Row::runs}};
  add_budgets(listing, "budgets", table.front().budgets, brief);
  const auto add_reached = [&](const char* key, const char* title, Reached Row::* reached) {
    listing.add({key, {title}, [=](const Row& row) {
                   return Cell(reached_text(row.*reached, row.runs, brief), to_json(row.*reached));
                 }});
  };
  add_reached("within_5_percent", "to 5 %", &Row::within_5_percent);
  add_reached("within_1_percent", "to 1 %", &Row::within_1_percent);
  listing.add({"seconds", [](const Row& row) { return to_json(row.seconds); }});
  const auto add_seconds = [&](const char* title, auto RecordedSeconds::* value) {
    listing.add({Column{title}, [=](const Row& row) {
                   return seconds_text(row.seconds ? std::optional<double>((*row.seconds).*value)
                                                   : std::nullopt);
                 }});
  };
  if (timed && !brief) {
    add_seconds("s to 5 %", &RecordedSeconds::to_5_percent);
    add_seconds("s to 1 %", &RecordedSeconds::to_1_percent);
    add_seconds("s in all", &RecordedSeconds::to_the_end);
    add_seconds("cancelled", &RecordedSeconds::given_up);
  }
  add_score(listing, brief);
  listing.add({"curve", [](const Row& row) { return to_json(row.curve); }});
  return listing;
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

} // namespace

std::string simulation_text(const SimulationTable& table, std::size_t width) {
  if (table.empty())
    return "";
  const bool timed = std::any_of(table.begin(), table.end(), [](const SimulationResult& cell) {
    return cell.seconds.has_value();
  });
  std::string rows = results_listing(table, timed).table(table).text();
  const bool brief = widest_line(rows) > width;
  if (brief)
    rows = results_listing(table, timed, true).table(table).text();
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
  const auto summaries = summarise(table);
  return json_text(Json{{"results", results_listing(table, false).json(table)},
                        {"summary", summary_listing(summaries).json(summaries)}},
                   2);
}

} // namespace gridsmith
