// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/session/trace.hpp"

#include "gridsmith/base/json_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

namespace gridsmith {
namespace {

using Json = nlohmann::ordered_json;

constexpr int process = 1; // all rows are of one for those who look

/// From top to bottom; compilers follow.
constexpr std::array<std::string_view, 4> first_rows{"session", "strategy", "worker", "GPU"};

/// The known ones first, then by length: "compiler 10" after "compiler 9".
std::pair<std::size_t, std::pair<std::size_t, std::string>> order_of(const std::string& row) {
  const auto known = std::find(first_rows.begin(), first_rows.end(), row);
  return {static_cast<std::size_t>(known - first_rows.begin()), {row.size(), row}};
}

Json name_of_row(std::size_t number, const std::string& row) {
  return {{"ph", "M"},
          {"name", "thread_name"},
          {"pid", process},
          {"tid", number},
          {"args", {{"name", row}}}};
}

} // namespace

std::vector<Span> Trace::in_order() const {
  std::map<decltype(order_of("")), std::vector<Span>> rows;
  for (const Span& span : spans_)
    rows[order_of(span.row)].push_back(span);
  std::vector<Span> all;
  for (auto& [order, row] : rows) {
    std::stable_sort(row.begin(), row.end(),
                     [](const Span& a, const Span& b) { return a.begin < b.begin; });
    Span::Time last = zero_;
    for (Span& span : row) {
      span.begin = std::max(last, span.begin);
      last = span.end = std::max(span.begin, span.end);
      all.push_back(std::move(span));
    }
  }
  return all;
}

std::string Trace::text() const {
  const auto us = [&](Span::Time time) {
    return std::chrono::duration<double, std::micro>(time - zero_).count();
  };
  Json events = Json::array();
  std::size_t number = 0;
  std::string row;
  for (const Span& span : in_order()) {
    if (span.row != row)
      events.push_back(name_of_row(++number, row = span.row));
    events.push_back({{"ph", "X"},
                      {"name", span.name},
                      {"pid", process},
                      {"tid", number},
                      {"ts", us(span.begin)},
                      {"dur", us(span.end) - us(span.begin)},
                      {"args", {{"of", span.detail}}}});
  }
  return json_text(Json{{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}}) + "\n";
}

} // namespace gridsmith
