// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/presentation/answer_tables.hpp"

#include "gridsmith/base/number_text.hpp"
#include "gridsmith/base/text_table.hpp"
#include "gridsmith/results/measurement/derived.hpp"
#include "gridsmith/results/measurement/quantities.hpp"
#include "gridsmith/tuner/presentation/answer_text.hpp"
#include "gridsmith/tuner/presentation/terminal.hpp"
#include "gridsmith/tuner/session/session_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <ranges>
#include <set>
#include <string_view>

namespace gridsmith {
namespace {

struct Rate {
  std::string_view metric, unit;
};

std::optional<double> metric_of(const Subject& subject, const Ranked& one,
                                std::string_view metric) {
  return metric_value(metric,
                      metric_facts(one.measurement, subject.device, subject.peaks, subject.workload,
                                   one.time.median_ms, subject.own_metrics));
}

/// The one whose limit the winner is nearer to. How near is said by "Why", once.
Rate rate_of(const Subject& subject, const Ranked& best) {
  const double memory = metric_of(subject, best, "percent_of_copy").value_or(0);
  const double compute = metric_of(subject, best, "percent_of_fp32_peak").value_or(0);
  return compute <= memory ? Rate{"effective_gb_per_s", "GB/s"} : Rate{"gflop_per_s", "GFLOP/s"};
}

std::string metric_cell(const Subject& subject, const Ranked& one, std::string_view metric) {
  const auto value = metric_of(subject, one, metric);
  return value ? number_text(*value) : "";
}

/// Half the width of the middle half.
std::string spread_cell(const TimeSummary& time) {
  if (time.samples < 2)
    return "";
  return fmt::format("{:.1f}",
                     50 * (time.third_quartile_ms - time.first_quartile_ms) / time.median_ms);
}

/// With as many digits as tell those apart that differ, four to six.
std::vector<std::string> time_cells(const std::vector<Ranked>& ranking) {
  std::vector<std::string> cells;
  for (int digits = 4; digits <= 6; ++digits) {
    cells.clear();
    std::set<double> times;
    for (const Ranked& one : ranking) {
      cells.push_back(fmt::format("{:#.{}g}", one.time.median_ms, digits));
      times.insert(one.time.median_ms);
    }
    if (std::set<std::string>(cells.begin(), cells.end()).size() == times.size())
      break;
  }
  return cells;
}

/// Names of the parameters that are not the same in all.
std::vector<std::string> differing(const std::vector<Ranked>& ranking) {
  std::vector<std::string> names;
  const Configuration& first = ranking.front().measurement.configuration;
  for (const auto& [name, value] : first)
    if (std::any_of(ranking.begin(), ranking.end(), [&](const Ranked& one) {
          const Value* other = find_value(one.measurement.configuration, name);
          return !other || *other != value;
        }))
      names.push_back(name);
  return names;
}

std::string parameter_cell(const Ranked& one, const std::string& name) {
  const Value* value = find_value(one.measurement.configuration, name);
  return value ? to_text(*value) : "";
}

/// Rank, time, spread, how much slower than the best, and the rate that matters.
std::vector<std::vector<std::string>> figures(const Subject& subject,
                                              const std::vector<Ranked>& ranking,
                                              std::string_view rate, bool confirmed) {
  std::vector<std::vector<std::string>> rows;
  const std::vector<std::string> times = time_cells(ranking);
  for (std::size_t place = 0; place < ranking.size(); ++place) {
    const Ranked& one = ranking[place];
    const std::string rank = !confirmed   ? std::to_string(place + 1)
                             : place == 0 ? "best"
                             : one.tied   ? "tied"
                                          : std::to_string(place + 1);
    rows.push_back({rank, times[place], spread_cell(one.time),
                    fmt::format("{:.3f}", one.time.median_ms / ranking.front().time.median_ms),
                    metric_cell(subject, one, rate) + (doubt_of(subject, one) ? " ?" : "")});
  }
  return rows;
}

/// 32-byte sectors per request, the field's transactions per access, and in brackets what a
/// coalesced warp needs for accesses of this size.
std::string sectors_cell(const Subject& subject, const Ranked& one, std::string_view metric,
                         int AccessBytes::* bytes) {
  std::string cell = metric_cell(subject, one, metric);
  if (cell.empty() || !subject.access_bytes)
    return cell;
  const int access = subject.access_bytes(one.measurement.configuration).*bytes;
  return fmt::format("{} ({})", cell, number_text(ideal_sectors_per_request(access)));
}

/// A line of the comparison: what it is, its unit, and how a configuration fills it.
struct Aspect {
  std::string name, unit;
  std::function<std::string(const Ranked&)> cell;
};

/// @param recording of the subject
std::vector<Aspect> aspects(const Subject& subject, const Recording& recording) {
  const auto shown = [&](std::string name, const Quantity& what) {
    return Aspect{
        std::move(name), what.unit, [what, &recording](const Ranked& one) {
          const auto value = what.value(one.measurement, recording);
          return !value ? "" : what.unit == "%" ? digits_text(*value, 3) : number_text(*value);
        }};
  };
  const auto metric = [&](std::string name, std::string_view which) {
    return shown(std::move(name), metric_quantity(*find_metric(which)));
  };
  const std::string ideal = subject.access_bytes ? " (ideal)" : "";
  std::vector<Aspect> all = {
      shown("time", measured_fact("time_ms")),
      metric("effective bandwidth", "effective_gb_per_s"),
      metric("compute rate", "gflop_per_s"),
      metric("DRAM throughput, counted", "dram_gb_per_s"),
      {"load sectors/request" + ideal, "",
       [&](const Ranked& one) {
         return sectors_cell(subject, one, "load_sectors_per_request", &AccessBytes::load);
       }},
      {"store sectors/request" + ideal, "",
       [&](const Ranked& one) {
         return sectors_cell(subject, one, "store_sectors_per_request", &AccessBytes::store);
       }},
      metric("achieved occupancy", "achieved_occupancy")};
  // The table has registers before the occupancy that they limit; people read the occupancy first.
  for (const Quantity& fact : std::views::reverse(measured_facts()))
    if (fact.seen & Quantity::in_comparison)
      all.push_back(shown(fact.words, fact));
  for (const OwnCounter& own : recording.own_metrics.counters)
    all.push_back(shown(own.name, counter_quantity(own.cupti)));
  for (const Metric& own : recording.own_metrics.metrics)
    all.push_back(shown(own.name, metric_quantity(own)));
  return all;
}

std::optional<Ranked> ranked(const Measurement& measurement) {
  const auto time = measurement.correct() ? time_of(measurement) : std::nullopt;
  return time ? std::optional(Ranked{measurement, *time, false}) : std::nullopt;
}

struct Shown {
  std::string title;
  Ranked one;
};

/// By what separates them.
std::string comparison_table(const Subject& subject, const std::vector<Shown>& shown,
                             std::size_t width = unlimited_width) {
  std::vector<Column> heads = {{"", "", true}, {"", "", true}};
  std::vector<Ranked> ones;
  for (const Shown& column : shown) {
    heads.push_back({column.title, ""});
    ones.push_back(column.one);
  }
  Table table(heads);
  const auto row = [&](const std::string& name, const std::string& unit, const auto& cell) {
    std::vector<std::string> cells = {name, unit};
    for (const Ranked& one : ones)
      cells.push_back(cell(one));
    if (std::any_of(cells.begin() + 2, cells.end(), [](const auto& text) { return !text.empty(); }))
      table.add(std::move(cells));
  };
  const Recording recording = recording_of(subject);
  for (const Aspect& aspect : aspects(subject, recording))
    row(aspect.name, aspect.unit, aspect.cell);
  for (const std::string& name : differing(ones))
    row(name, "", [&](const Ranked& one) { return parameter_cell(one, name); });
  return table.text(width);
}

} // namespace

namespace {

std::string finals_table(const Outcome& outcome, const std::vector<FinalsUnder>& finals,
                         const std::string& what,
                         const std::function<std::string(const FinalsUnder&)>& name,
                         std::size_t width) {
  if (finals.empty())
    return "";
  const FoundBy& found_by = outcome.answer.found_by;
  const Objective by = objective_of(found_by, outcome.subject.device);
  const bool by_time = by.name == objectives().front().name;
  Table table({{what, "", true},
               {"best there", "ms"},
               {by_time ? "" : by.name, by.unit},
               {"the winner", by_time ? "% slower" : "% worse"},
               {"configuration that is best there", "", true}});
  const Configuration& winner = outcome.answer.ranking.front().measurement.configuration;
  for (const FinalsUnder& one : finals) {
    if (one.ranking.empty()) {
      table.add({name(one), "", "", "", "no finalist was right there"});
      continue;
    }
    const Ranked& best = one.ranking.front();
    const auto value = by_time ? std::nullopt : by.value(best.measurement, found_by.workload);
    const auto loss = excess_cost(one.ranking, winner, by, found_by.workload);
    table.add(
        {name(one), fmt::format("{:#.4g}", best.time.median_ms), value ? number_text(*value) : "",
         !loss       ? "failed"
         : *loss > 0 ? fmt::format("{:.1f}", 100 * *loss)
                     : "0",
         loss == 0 ? "" : short_text(best.measurement.configuration, outcome.subject.parameters)});
  }
  return table.text(width);
}

} // namespace

std::string regimes_table(const Outcome& outcome, std::size_t width) {
  return finals_table(
      outcome, outcome.regimes, "regime",
      [](const FinalsUnder& one) { return std::string(to_text(one.regime)); }, width);
}

std::string clocks_table(const Outcome& outcome, std::size_t width) {
  return finals_table(
      outcome, outcome.clocks, "SM clock",
      [](const FinalsUnder& one) {
        return one.locked_clock_mhz ? fmt::format("{} MHz", *one.locked_clock_mhz) : "not locked";
      },
      width);
}

std::optional<RateDoubt> doubt_of(const Subject& subject, const Ranked& one) {
  return rate_doubt(one.measurement, {&subject.device, &subject.peaks}, subject.workload);
}

std::optional<Ranked> default_of(const Outcome& outcome) {
  const auto& wanted = outcome.subject.default_configuration;
  for (const Ranked& one : outcome.answer.ranking) // measured again: that is its time
    if (wanted && one.measurement.configuration == *wanted)
      return one;
  for (const Measurement& one : outcome.result.measurements)
    if (wanted && one.configuration == *wanted)
      return ranked(one);
  return std::nullopt;
}

std::optional<Ranked> slowest_of(const Outcome& outcome) {
  std::optional<Ranked> slowest;
  for (const Measurement& one : outcome.result.measurements)
    if (auto now = ranked(one); now && (!slowest || now->time.median_ms > slowest->time.median_ms))
      slowest = std::move(now);
  return slowest;
}

std::string ranking_table(const Subject& subject, const std::vector<Ranked>& ranking,
                          std::size_t width, bool confirmed) {
  const Rate rate = rate_of(subject, ranking.front());
  const std::vector<Column> heads = {
      {"", "", true}, {"time", "ms"}, {"±", "%"}, {"/ best", ""}, {"rate", std::string(rate.unit)}};
  const std::vector<std::string> names = differing(ranking);
  std::vector<Column> all = heads;
  for (const std::string& name : names)
    all.push_back({name, ""});
  Table wide(all), narrow(heads);
  auto rows = figures(subject, ranking, rate.metric, confirmed);
  for (std::size_t place = 0; place < ranking.size(); ++place) {
    narrow.add(rows[place]);
    for (const std::string& name : names)
      rows[place].push_back(parameter_cell(ranking[place], name));
    wide.add(rows[place]);
  }
  if (widest_line(wide.text()) <= width || widest_line(narrow.text()) > width)
    return wide.text(width);
  for (std::size_t place = 0; place < ranking.size(); ++place) {
    std::string parameters = "   ";
    for (const std::string& name : names)
      parameters += " " + name + "=" + parameter_cell(ranking[place], name);
    narrow.add_below(place, std::move(parameters));
  }
  return narrow.text(width);
}

std::string comparison_text(const Outcome& outcome, std::size_t width) {
  std::vector<Shown> shown;
  const auto add = [&](const std::string& title, std::optional<Ranked> one) {
    if (one && std::none_of(shown.begin(), shown.end(), [&](const Shown& other) {
          return other.one.measurement.configuration == one->measurement.configuration;
        }))
      shown.push_back({title, std::move(*one)});
  };
  const std::vector<Ranked>& ranking = outcome.answer.ranking;
  add("best", ranking.front());
  if (ranking.size() > 1)
    add("second", ranking[1]);
  add("default", default_of(outcome));
  add("slowest", slowest_of(outcome));
  for (; shown.size() > 1; shown.pop_back()) {
    std::string text = comparison_table(outcome.subject, shown);
    if (widest_line(text) <= width)
      return text;
    if (shown.size() == 2)
      return comparison_table(outcome.subject, shown, width);
  }
  return "";
}

} // namespace gridsmith
