// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/report/search_part.hpp"

#include "gridsmith/results/formats/answer_json.hpp"
#include "gridsmith/results/report/columns.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace gridsmith {
namespace {

using Ordered = nlohmann::ordered_json;

constexpr std::size_t most_in_timeline = 5000; // more are not told apart on a screen

/// Rows of which it is known when they were told, the last one first.
std::vector<std::size_t> last_first(const std::vector<Measurement>& rows) {
  std::vector<std::size_t> order;
  for (std::size_t row = 0; row < rows.size(); ++row)
    if (rows[row].at_s)
      order.push_back(row);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return *rows[a].at_s > *rows[b].at_s; });
  return order;
}

/// As it was looked on, of many spans the longest: more are not told apart.
Ordered seen_timeline(const ReportSet& set) {
  const std::vector<ReportSpan>& all = set.source.timeline;
  double least_s = 0;
  if (all.size() > most_in_timeline) {
    std::vector<double> lengths;
    lengths.reserve(all.size());
    for (const ReportSpan& one : all)
      lengths.push_back(one.to_s - one.from_s);
    const auto last = lengths.begin() + most_in_timeline;
    std::nth_element(lengths.begin(), last, lengths.end(), std::greater<>());
    least_s = *last;
  }
  std::unordered_map<std::string, std::size_t> rows; // a span names its configuration by its text
  for (const auto& [configuration, row] : set.row_of)
    rows.emplace(to_text(configuration), row);
  Ordered list = Ordered::array();
  for (const ReportSpan& one : all)
    if (const auto row = rows.find(one.configuration);
        least_s == 0 || one.to_s - one.from_s > least_s)
      list.push_back({{"lane", one.lane},
                      {"from_s", one.from_s},
                      {"to_s", one.to_s},
                      {"what", one.what},
                      {"row", row == rows.end() ? Ordered(nullptr) : Ordered(row->second)}});
  return list;
}

struct StageSeconds {
  const char *what, *field;
  double TimeSpent::* ms;
};

/// What a worker does for a row, the last first.
constexpr std::array stages{StageSeconds{"count", "count_s", &TimeSpent::count_ms},
                            StageSeconds{"time", "time_s", &TimeSpent::time_ms},
                            StageSeconds{"verify", "verify_s", &TimeSpent::verify_ms}};

/// Whether there is room for counting before the rows were told: else it was done when all was timed.
bool counted_at_once(const std::vector<Measurement>& rows) {
  double worked_s = 0, last_s = 0;
  for (const Measurement& row : rows)
    if (row.at_s) {
      last_s = std::max(last_s, *row.at_s);
      for (const StageSeconds& stage : stages)
        worked_s += row.spent.*stage.ms / 1000;
    }
  return worked_s <= last_s;
}

/// Counted when all else was done, row by row.
void add_late_counting(const std::vector<Measurement>& rows, Ordered& list) {
  double from_s = 0;
  for (const Measurement& row : rows)
    from_s = std::max(from_s, row.at_s.value_or(0));
  for (std::size_t row = 0; row < rows.size(); ++row)
    if (const double seconds = rows[row].spent.count_ms / 1000; rows[row].at_s && seconds > 0) {
      list.push_back({{"lane", "worker"},
                      {"from_s", from_s},
                      {"to_s", from_s + seconds},
                      {"what", "count"},
                      {"row", row}});
      from_s += seconds;
    }
}

/// What the worker did when; empty where that was not recorded. Those of a batch are told together when all of
/// it is done, so they are laid one before the other.
Ordered told_timeline(const Recording& recording) {
  Ordered list = Ordered::array();
  const auto& rows = recording.measurements;
  if (rows.size() > most_in_timeline)
    return list;
  const bool at_once = counted_at_once(rows);
  double next = std::numeric_limits<double>::infinity();
  for (const std::size_t row : last_first(rows)) {
    double end = std::min(*rows[row].at_s, next);
    for (const StageSeconds& stage : stages)
      if (const double seconds = rows[row].spent.*stage.ms / 1000;
          seconds > 0 && (at_once || stage.ms != &TimeSpent::count_ms)) {
        list.push_back({{"lane", "worker"},
                        {"from_s", std::max(0.0, end - seconds)},
                        {"to_s", std::max(0.0, end)},
                        {"what", stage.what},
                        {"row", row}});
        end -= seconds;
      }
    next = end;
  }
  if (!at_once)
    add_late_counting(rows, list);
  return list;
}

} // namespace

Ordered runs_json(const ReportSet& set, std::span<const ReportSource* const> others) {
  const auto& rows = set.recording.measurements;
  const auto seconds = [](const std::vector<Measurement>& of) {
    std::vector<double> at;
    for (const Measurement& one : of)
      if (one.at_s)
        at.push_back(*one.at_s);
    return at.size() == of.size() && !at.empty() ? numbers_json(at) : Ordered(nullptr);
  };
  const auto name = [](const Answer& answer, const Recording& recording) {
    const std::string& strategy = answer.found_by.strategy;
    const std::string day = recording.date.substr(0, 10);
    return strategy.empty() ? (day.empty() ? "this one" : day)
                            : strategy + (day.empty() ? "" : ", " + day);
  };
  std::vector<double> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  Ordered list = Ordered::array();
  list.push_back({{"name", name(set.answer, set.recording)},
                  {"rows", numbers_json(order)},
                  {"at_s", seconds(rows)}});
  for (const ReportSource* other : others) {
    const Recording& recording = other->exported.recording;
    std::vector<double> times;
    times.reserve(recording.measurements.size());
    for (const Measurement& one : recording.measurements)
      times.push_back(cost_ms(one).value_or(std::numeric_limits<double>::quiet_NaN()));
    list.push_back({{"name", name(answer_of(other->exported), recording)},
                    {"rows", nullptr},
                    {"time_ms", numbers_json(times)},
                    {"at_s", seconds(recording.measurements)}});
  }
  return list;
}

Ordered timeline_json(const ReportSet& set) {
  return set.source.timeline.empty() ? told_timeline(set.recording) : seen_timeline(set);
}

Ordered spent_json(const ReportSet& set, const Ordered& timeline) {
  TimeSpent all;
  for (const Measurement& one : set.recording.measurements)
    add_fields(all, one.spent);
  // Where there is a line of time, the sums are of what is drawn there.
  for (const StageSeconds& stage : stages)
    if (!timeline.empty()) {
      all.*stage.ms = 0;
      for (const Ordered& span : timeline)
        if (span.at("lane").get<std::string>().starts_with("worker") &&
            span.at("what") == stage.what)
          all.*stage.ms += 1000 * (span.at("to_s").get<double>() - span.at("from_s").get<double>());
    }
  Ordered json = Ordered::object();
  const auto add = [&](const char* field, double ms) {
    if (ms > 0)
      json[field] = ms / 1000;
  };
  add("compile_s", all.compile_ms);
  add("gpu_s", all.gpu_ms);
  for (const StageSeconds& stage : stages)
    add(stage.field, all.*stage.ms);
  return json.empty() ? Ordered(nullptr) : json;
}

} // namespace gridsmith
