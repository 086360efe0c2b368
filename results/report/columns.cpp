// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/report/columns.hpp"

#include "gridsmith/base/content_hash.hpp"
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/results/explanation/explanation.hpp"
#include "gridsmith/results/measurement/quantities.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

namespace gridsmith {
namespace {

using Ordered = nlohmann::ordered_json;
using Numbers = std::vector<double>;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t short_column = 2000; // below it plain JSON is as small and easier to read

template <typename Value>
Numbers numbers_of(const Recording& recording, Value&& value) {
  Numbers numbers;
  numbers.reserve(recording.measurements.size());
  for (const Measurement& one : recording.measurements)
    numbers.push_back(value(one));
  return numbers;
}

template <typename Text>
std::vector<std::string> texts_of(const Recording& recording, Text&& text) {
  std::vector<std::string> texts;
  texts.reserve(recording.measurements.size());
  for (const Measurement& one : recording.measurements)
    texts.push_back(text(one));
  return texts;
}

/// A log of megabytes would be no use in a table.
std::string failure_of(const Measurement& one) {
  constexpr std::size_t most = 1000; // bytes
  if (one.reason.size() <= most)
    return one.reason;
  return well_formed(one.reason.substr(0, most)) + " …";
}

bool is_number(const Value& value) {
  return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
}

ReportColumn parameter_column(const Parameter& parameter, const Recording& recording) {
  ReportColumn column{.name = parameter.name, .kind = "parameter"};
  const auto value = [&](const Measurement& one) {
    return find_value(one.configuration, parameter.name);
  };
  if (std::all_of(parameter.values.begin(), parameter.values.end(), is_number))
    column.numbers = numbers_of(recording, [&](const Measurement& one) {
      const Value* held = value(one);
      return held ? to_number(*held) : unknown;
    });
  else
    column.texts = texts_of(recording, [&](const Measurement& one) {
      const Value* held = value(one);
      return held ? to_text(*held) : std::string();
    });
  return column;
}

/// A wrong result has no time, and one sample no interval.
bool has_interval(const Measurement& one) {
  const auto time = one.correct() ? time_of(one) : std::nullopt;
  return time && time->samples > 1;
}

ReportColumn quantity_column(const Quantity& quantity, const Recording& recording) {
  ReportColumn column{.name = quantity.name,
                      .kind = std::string(to_text(quantity.kind)),
                      .unit = quantity.unit,
                      .words = quantity.words,
                      .better = quantity.better};
  const bool derived =
      quantity.kind == Quantity::Kind::metric || quantity.kind == Quantity::Kind::rate;
  if (const Metric* metric = derived ? metric_named(quantity.name, recording) : nullptr) {
    column.label = metric->label;
    column.source = metric->formulas.empty() ? "" : metric->formulas.front();
  }
  const bool of_interval = quantity.kind == Quantity::Kind::time && quantity.name != "time_ms";
  column.numbers = numbers_of(recording, [&](const Measurement& one) {
    return of_interval && !has_interval(one) ? unknown
                                             : quantity.value(one, recording).value_or(unknown);
  });
  return column;
}

void add_facts(const Recording& recording, std::vector<ReportColumn>& columns) {
  const auto known = [](double one) { return !std::isnan(one); };
  columns.push_back({.name = "status",
                     .kind = "result",
                     .words = "what became of it",
                     .texts = texts_of(recording, [](const Measurement& one) {
                       return std::string(to_text(one.status));
                     })});
  columns.push_back({.name = "failure",
                     .kind = "result",
                     .words = "why it failed",
                     .texts = texts_of(recording, failure_of)});
  if (count_shared(recording.measurements) > 0)
    columns.push_back(
        {.name = "same_code_as",
         .kind = "result",
         .words = "the configuration of the same machine code that was measured in its place",
         .texts = texts_of(recording, [](const Measurement& one) { return one.same_code_as; })});
  std::vector<std::string> doubts = texts_of(recording, [&](const Measurement& one) {
    const auto doubt = rate_doubt(one, board_of(recording), recording.workload);
    return doubt ? to_text(*doubt) : std::string();
  });
  if (std::any_of(doubts.begin(), doubts.end(), [](const auto& text) { return !text.empty(); }))
    columns.push_back({.name = "doubt",
                       .kind = "result",
                       .words = "a rate beyond the measured peak of this device",
                       .texts = std::move(doubts)});
  for (const Quantity& fact : measured_facts())
    if ((fact.seen & Quantity::on_page) && !(fact.seen & Quantity::explains)) {
      ReportColumn column = quantity_column(fact, recording);
      if (column.name == "time_ms" ||
          std::any_of(column.numbers.begin(), column.numbers.end(), known))
        columns.push_back(std::move(column));
    }
  Numbers order(recording.measurements.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = static_cast<double>(i + 1);
  columns.push_back(
      {.name = "order", .kind = "order", .words = "place in the run, from 1", .numbers = order});
}

void add_quantities(const Recording& recording, std::vector<ReportColumn>& columns) {
  std::vector<const Measurement*> rows;
  for (const Measurement& one : recording.measurements)
    if (one.correct() || one.compile_facts)
      rows.push_back(&one);
  for (const Quantity& quantity : quantities_of(rows, recording))
    columns.push_back(quantity_column(quantity, recording));
}

/// "busy_l1_and_shared_memory".
std::string busy_name(std::string_view unit) {
  std::string name = "busy_";
  for (const char c : unit)
    name += std::isalnum(static_cast<unsigned char>(c)) != 0
                ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
                : '_';
  return name;
}

/// How busy each unit was, as the analysis has it.
void add_busy(const Recording& recording, std::vector<ReportColumn>& columns) {
  std::map<std::string, Numbers> all;
  std::vector<std::string> units; // in the order found
  const auto& rows = recording.measurements;
  for (std::size_t row = 0; row < rows.size(); ++row)
    if (rows[row].correct() && !rows[row].counters.empty())
      for (const auto& [unit, percent] : busy_units(recording, rows[row])) {
        const auto [place, is_new] = all.emplace(unit, Numbers(rows.size(), unknown));
        if (is_new)
          units.push_back(unit);
        place->second[row] = percent;
      }
  for (const std::string& unit : units)
    columns.push_back({.name = busy_name(unit),
                       .kind = "metric",
                       .unit = "%",
                       .words = unit + " busy, in percent of the highest rate that it reaches",
                       .label = unit + " busy",
                       .numbers = std::move(all.at(unit))});
}

template <typename Number, typename List>
std::string little_endian(const List& list) {
  static_assert(std::endian::native == std::endian::little);
  std::string bytes(list.size() * sizeof(Number), '\0');
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto number = static_cast<Number>(list[i]);
    std::memcpy(bytes.data() + i * sizeof number, &number, sizeof number);
  }
  return base64_of(bytes);
}

using Codes = std::vector<std::size_t>;

/// In as few bytes each as hold the largest.
Ordered codes_json(const Codes& codes, std::size_t largest) {
  if (codes.size() <= short_column)
    return codes;
  if (largest < 0x100)
    return {{"u8", little_endian<std::uint8_t>(codes)}};
  if (largest < 0x10000)
    return {{"u16", little_endian<std::uint16_t>(codes)}};
  return {{"u32", little_endian<std::uint32_t>(codes)}};
}

Ordered words_json(const std::vector<std::string>& texts) {
  std::map<std::string, std::size_t> numbers;
  Ordered words = Ordered::array();
  Codes codes;
  for (const std::string& text : texts) {
    const auto [found, added] = numbers.emplace(text, numbers.size());
    if (added)
      words.push_back(text);
    codes.push_back(found->second);
  }
  const std::size_t largest = words.size();
  return {{"words", std::move(words)}, {"codes", codes_json(codes, largest)}};
}

/// Where there are so few that a byte names each, that is smaller and exact; nothing otherwise.
std::optional<Ordered> few_numbers(const Numbers& numbers) {
  constexpr std::size_t most = 255; // and one for what is not known
  std::map<double, std::size_t> places;
  for (const double one : numbers)
    if (!std::isnan(one) && places.emplace(one, places.size()).second && places.size() > most)
      return std::nullopt;
  std::vector<double> words(places.size());
  for (const auto& [number, place] : places)
    words[place] = number;
  Codes codes;
  for (const double one : numbers)
    codes.push_back(std::isnan(one) ? words.size() : places.at(one));
  return Ordered{{"words", words}, {"codes", codes_json(codes, words.size())}};
}

} // namespace

std::vector<ReportColumn> report_columns(const Recording& recording) {
  std::vector<ReportColumn> columns;
  columns.reserve(recording.parameters.size());
  for (const Parameter& parameter : recording.parameters)
    columns.push_back(parameter_column(parameter, recording));
  add_facts(recording, columns);
  add_quantities(recording, columns);
  add_busy(recording, columns);
  return columns;
}

Ordered numbers_json(const Numbers& numbers) {
  if (numbers.size() > short_column) {
    if (auto few = few_numbers(numbers))
      return *std::move(few);
    return {{"f32", little_endian<float>(numbers)}};
  }
  Ordered list = Ordered::array();
  for (const double one : numbers)
    list.push_back(std::isfinite(one) ? Ordered(one) : Ordered(nullptr));
  return list;
}

Ordered column_json(const ReportColumn& column) {
  Ordered json = {{"name", column.name}, {"kind", column.kind}, {"unit", column.unit}};
  if (!column.words.empty())
    json["words"] = column.words;
  if (!column.label.empty())
    json["label"] = column.label;
  if (!column.source.empty())
    json["source"] = column.source;
  if (column.better != Better::neither)
    json["better"] = to_text(column.better);
  json["values"] = column.texts.empty() ? numbers_json(column.numbers) : words_json(column.texts);
  return json;
}

} // namespace gridsmith
