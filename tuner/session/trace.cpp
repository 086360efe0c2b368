#include "gridsmith/tuner/session/trace.hpp"

#include "gridsmith/base/json_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
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

double us(std::int64_t ns) {
  return static_cast<double>(ns) / 1e3;
}

Json name_of_row(std::size_t number, const std::string& row) {
  return {{"ph", "M"},
          {"name", "thread_name"},
          {"pid", process},
          {"tid", number},
          {"args", {{"name", row}}}};
}

} // namespace

std::string Trace::text() const {
  using Row = std::pair<std::string, std::vector<const Span*>>;
  std::map<decltype(order_of("")), Row> rows;
  for (const Span& span : spans_) {
    Row& row = rows[order_of(span.row)];
    row.first = span.row;
    row.second.push_back(&span);
  }
  const auto ns = [&](Span::Time time) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time - zero_).count();
  };
  Json events = Json::array();
  std::size_t number = 0;
  for (auto& [order, row] : rows) {
    events.push_back(name_of_row(++number, row.first));
    std::stable_sort(row.second.begin(), row.second.end(),
                     [](const Span* a, const Span* b) { return a->begin < b->begin; });
    std::int64_t last = 0;
    for (const Span* span : row.second) {
      const std::int64_t begin = std::max<std::int64_t>(last, ns(span->begin));
      last = std::max<std::int64_t>(begin, ns(span->end));
      events.push_back({{"ph", "X"},
                        {"name", span->name},
                        {"pid", process},
                        {"tid", number},
                        {"ts", us(begin)},
                        {"dur", us(last - begin)},
                        {"args", {{"of", span->detail}}}});
    }
  }
  return json_text(Json{{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}}) + "\n";
}

} // namespace gridsmith
