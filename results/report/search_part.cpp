#include "gridsmith/results/report/search_part.hpp"

#include "gridsmith/results/formats/answer_json.hpp"
#include "gridsmith/results/report/columns.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
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
  Ordered list = Ordered::array();
  for (const ReportSpan& one : all)
    if (const auto row = set.row_of.find(one.configuration);
        least_s == 0 || one.to_s - one.from_s > least_s)
      list.push_back({{"lane", one.lane},
                      {"from_s", one.from_s},
                      {"to_s", one.to_s},
                      {"what", one.what},
                      {"row", row == set.row_of.end() ? Ordered(nullptr) : Ordered(row->second)}});
  return list;
}

/// What the worker did when; empty where that was not recorded. Those of a batch are told together when all of
/// it is counted, so they are laid one before the other.
Ordered told_timeline(const Recording& recording) {
  Ordered list = Ordered::array();
  const auto& rows = recording.measurements;
  if (rows.size() > most_in_timeline)
    return list;
  double next = std::numeric_limits<double>::infinity();
  for (const std::size_t row : last_first(rows)) {
    const TimeSpent& spent = rows[row].spent;
    double end = std::min(*rows[row].at_s, next);
    for (const auto& [what, ms] :
         {std::pair{"count", spent.count_ms}, {"time", spent.time_ms}, {"verify", spent.verify_ms}})
      if (ms > 0) {
        list.push_back({{"lane", "worker"},
                        {"from_s", std::max(0.0, end - ms / 1000)},
                        {"to_s", std::max(0.0, end)},
                        {"what", what},
                        {"row", row}});
        end -= ms / 1000;
      }
    next = end;
  }
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

Ordered spent_json(const Recording& recording) {
  TimeSpent all;
  for (const Measurement& one : recording.measurements) {
    all.compile_ms += one.spent.compile_ms;
    all.gpu_ms += one.spent.gpu_ms;
    all.verify_ms += one.spent.verify_ms;
    all.time_ms += one.spent.time_ms;
    all.count_ms += one.spent.count_ms;
  }
  Ordered json = Ordered::object();
  for (const auto& [name, ms] : {std::pair{"compile_s", all.compile_ms},
                                 {"gpu_s", all.gpu_ms},
                                 {"verify_s", all.verify_ms},
                                 {"time_s", all.time_ms},
                                 {"count_s", all.count_ms}})
    if (ms > 0)
      json[name] = ms / 1000;
  return json.empty() ? Ordered(nullptr) : json;
}

} // namespace gridsmith
