// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/explanation/winner.hpp"

#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/statistics.hpp"
#include "gridsmith/base/text_table.hpp"
#include "gridsmith/results/explanation/explanation.hpp"
#include "gridsmith/results/influence/influence_text.hpp"
#include "gridsmith/results/influence/pairs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace gridsmith {
namespace {

constexpr double no_difference = 1.02; // as contrast() tells times apart that have no samples
constexpr std::size_t compared = 64;   // differences, of which reasons() takes a few
constexpr std::size_t parameters_told = 3, reasons_told = 2;

/// The correct configurations, and which of them is the best.
struct Field {
  const Recording& recording;
  const Influence& known;
  std::vector<const Measurement*> rows;
  std::size_t best = 0;
};

double time_of_row(const Field& field, std::size_t row) {
  return *cost_ms(*field.rows[row]);
}

/// Pairs of one parameter whose second has the best's value.
struct Rivalry {
  Value value;
  std::vector<RowPair> pairs;
};

Rival judged(const Rivalry& against, const Field& field) {
  const auto times = [&](const RowPair& pair) {
    return time_of_row(field, pair.first) / time_of_row(field, pair.second);
  };
  auto chosen = std::find_if(against.pairs.begin(), against.pairs.end(),
                             [&](const RowPair& one) { return one.second == field.best; });
  Rival rival{.value = against.value,
              .pairs = against.pairs.size(),
              .at_best = chosen != against.pairs.end(),
              .contrast = {}};
  if (rival.at_best) {
    rival.times = times(*chosen);
  } else {
    std::vector<double> all;
    all.reserve(against.pairs.size());
    for (const RowPair& one : against.pairs)
      all.push_back(times(one));
    std::sort(all.begin(), all.end());
    rival.times = median(all);
    chosen = std::min_element(against.pairs.begin(), against.pairs.end(),
                              [&](const RowPair& a, const RowPair& b) {
                                return std::abs(std::log(times(a) / rival.times)) <
                                       std::abs(std::log(times(b) / rival.times));
                              });
  }
  rival.contrast = contrast(*field.rows[chosen->first], *field.rows[chosen->second],
                            field.recording, field.known, compared);
  return rival;
}

std::vector<Rivalry> rivalries(const Parameter& parameter, const Field& field) {
  const auto places = places_of(parameter, field.rows);
  const std::size_t own = places[field.best];
  std::vector<Rivalry> all;
  for (auto& [values, pairs] : pairs_of(parameter, places, field.rows)) {
    if (values.first != own && values.second != own)
      continue;
    const std::size_t other = values.first == own ? values.second : values.first;
    Rivalry one{parameter.values[other], {}};
    for (const auto& [first, second] : pairs)
      one.pairs.push_back(values.first == own ? RowPair{second, first} : RowPair{first, second});
    all.push_back(std::move(one));
  }
  return all;
}

bool is_number(const Value& value) {
  return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
}

/// Whether the best's value is plainly the better one.
bool is_beaten(const Rival& rival) {
  constexpr std::size_t enough = 3;
  return rival.times >= no_difference && (rival.contrast.told_apart || rival.pairs >= enough);
}

/// Of numbers the nearest below and above, of words the one that comes nearest in time.
std::vector<Rival> nearest(std::vector<Rival> all, const Value& own) {
  std::vector<Rival> found;
  const auto take = [&](auto&& eligible, auto&& distance) {
    Rival* closest = nullptr;
    for (Rival& one : all)
      if (eligible(one) && (!closest || distance(one) < distance(*closest)))
        closest = &one;
    if (closest)
      found.push_back(std::move(*closest));
  };
  if (!is_number(own)) {
    take([](const Rival&) { return true; }, [](const Rival& one) { return one.times; });
    return found;
  }
  for (const double side : {-1, 1}) {
    const auto distance = [&](const Rival& one) {
      return side * (to_number(one.value) - to_number(own));
    };
    take([&](const Rival& one) { return distance(one) > 0; }, distance);
  }
  return found;
}

double threads_of(const Measurement& one) {
  return static_cast<double>(one.geometry.block[0]) * one.geometry.block[1] * one.geometry.block[2];
}

double shared_bytes_of(const Measurement& one) {
  const double fixed =
      one.compile_facts ? static_cast<double>(one.compile_facts->static_shared_bytes) : 0;
  return fixed + static_cast<double>(one.geometry.dynamic_shared_bytes);
}

/// Whether blocks and shared memory stay within the device's limits if they go on as from the rival to the best.
bool may_go_on(const Measurement& rival, const Measurement& best, const Device& device) {
  constexpr double most_threads = 1024;
  const auto next = [&](const auto& of) { return of(best) * of(best) / std::max(1.0, of(rival)); };
  const double shared = static_cast<double>(
      std::max(device.shared_bytes_per_block, device.shared_bytes_per_block_optin));
  return next(threads_of) <= most_threads && (shared == 0 || next(shared_bytes_of) <= shared);
}

/// One step further than the last of these numbers, in the direction from the one before it: by their ratio where that
/// is 2, else by their difference; nothing where that is no longer above 0.
std::optional<Value> one_further(const Value& before, const Value& last) {
  const double a = to_number(before), b = to_number(last);
  const double next = b == 2 * a || a == 2 * b ? b * b / a : b + (b - a);
  if (!(next > 0) || (b < a && next < 1))
    return std::nullopt;
  if (std::holds_alternative<std::int64_t>(last))
    return Value(static_cast<std::int64_t>(std::llround(next)));
  return Value(next);
}

std::optional<Value> beyond(const Parameter& parameter, const Worth& worth, const Field& field) {
  constexpr std::size_t a_row = 3;
  constexpr double still_falling = 1.03;
  std::vector<Value> values = parameter.values;
  if (values.size() < a_row || !std::all_of(values.begin(), values.end(), is_number) ||
      worth.rivals.size() != 1 || !(worth.rivals.front().times >= still_falling))
    return std::nullopt;
  std::sort(values.begin(), values.end(),
            [](const Value& a, const Value& b) { return to_number(a) < to_number(b); });
  if (same_value(worth.value, values.front()))
    std::reverse(values.begin(), values.end());
  if (!same_value(worth.value, values.back()))
    return std::nullopt;
  const Value& before = values[values.size() - 2];
  const auto counterpart =
      std::find_if(field.rows.begin(), field.rows.end(), [&](const Measurement* one) {
        const Value* value = find_value(one->configuration, parameter.name);
        return value && same_value(*value, before);
      });
  if (!same_value(worth.rivals.front().value, before) || counterpart == field.rows.end() ||
      !may_go_on(**counterpart, *field.rows[field.best], field.recording.device))
    return std::nullopt;
  return one_further(before, worth.value);
}

double weight(const Worth& worth) {
  double most = 1;
  for (const Rival& one : worth.rivals)
    most = std::max(most, one.times);
  return most;
}

void add_parameters(const Field& field, Winner& winner) {
  for (const Parameter& parameter : field.recording.parameters) {
    const Value* own = find_value(field.rows[field.best]->configuration, parameter.name);
    if (!own)
      continue;
    Worth worth{.parameter = parameter.name, .value = *own, .rivals = {}, .beyond = {}};
    const auto against = rivalries(parameter, field);
    std::vector<Rival> beaten;
    bool matters = false;
    for (const Rivalry& one : against) {
      Rival rival = judged(one, field);
      matters = matters || std::abs(std::log(rival.times)) >= std::log(no_difference);
      if (is_beaten(rival))
        beaten.push_back(std::move(rival));
    }
    worth.rivals = nearest(std::move(beaten), *own);
    worth.beyond = beyond(parameter, worth, field);
    if (!worth.rivals.empty())
      winner.parameters.push_back(std::move(worth));
    else if (!against.empty() && !matters)
      winner.no_matter.push_back(parameter.name);
  }
  std::stable_sort(winner.parameters.begin(), winner.parameters.end(),
                   [](const Worth& a, const Worth& b) { return weight(a) > weight(b); });
}

std::string compared_with(const Measurement& other, const Measurement& best, const Field& field,
                          const std::string& name) {
  return why_faster(contrast(other, best, field.recording, field.known, compared),
                    other.configuration, best.configuration, field.known, name);
}

/// "1.14 times as fast as 32: L2 sectors 20 → 10 million"
std::string text_of(const Rival& rival) {
  std::string text =
      fmt::format("{} times as fast as {}", short_number(rival.times), to_text(rival.value));
  if (!rival.at_best)
    text += rival.pairs == 1 ? " in one other pair"
                             : fmt::format(" in the median of {} other pairs", rival.pairs);
  Contrast why = rival.contrast;
  why.differences = reasons(rival.contrast, reasons_told);
  return why.differences.empty() ? text
                                 : fmt::format("{}: {}", text, fmt::join(describe(why), ", "));
}

std::string text_of(const Worth& worth) {
  std::vector<std::string> rivals;
  rivals.reserve(worth.rivals.size());
  for (const Rival& one : worth.rivals)
    rivals.push_back(text_of(one));
  return fmt::format("{}={}: {}", worth.parameter, to_text(worth.value), fmt::join(rivals, "; "));
}

} // namespace

Winner winner_of(const Recording& recording, std::span<const Ranked> ranking,
                 const std::optional<Configuration>& standard, const Influence& known) {
  Winner winner;
  Field field{recording, known, {}, 0};
  const Measurement& best = ranking.front().measurement;
  std::optional<std::size_t> place;
  const Measurement* usual = nullptr;
  for (const Measurement& one : recording.measurements) {
    if (!cost_ms(one))
      continue;
    if (same_configuration(one.configuration, best.configuration))
      place = field.rows.size();
    if (standard && same_configuration(one.configuration, *standard))
      usual = &one;
    field.rows.push_back(&one);
  }
  // Those of the ranking were measured in turn, and are compared as they were then.
  for (const Ranked& one : ranking)
    if (standard && same_configuration(one.measurement.configuration, *standard))
      usual = &one.measurement;
  if (usual)
    winner.against_default = compared_with(*usual, best, field, "the default");
  if (ranking.size() > 1 && usual != &ranking[1].measurement)
    winner.against_next = compared_with(ranking[1].measurement, best, field, "the next best");
  if (place) {
    field.best = *place;
    add_parameters(field, winner);
  }
  return winner;
}

std::vector<std::string> describe(const Winner& winner) {
  std::vector<std::string> lines;
  for (const std::string& sentence : {winner.against_default, winner.against_next})
    if (!sentence.empty())
      lines.push_back(sentence);
  for (std::size_t i = 0; i < std::min(parameters_told, winner.parameters.size()); ++i)
    lines.push_back(text_of(winner.parameters[i]) + ".");
  if (!winner.no_matter.empty())
    lines.push_back(fmt::format("No other value tried of {} makes 2 % of a difference.",
                                fmt::join(winner.no_matter, ", ")));
  return lines;
}

std::vector<std::string> next_steps(const Winner& winner, const Verdict& verdict) {
  constexpr double at_its_limit = 0.9;
  if (verdict.clean() && verdict.busy >= at_its_limit)
    return {
        verdict.bound == Bound::bandwidth
            ? "nothing but fewer bytes: smaller types, more use of loaded data, or the work of several "
              "kernels in one"
            : "nothing but fewer instructions: the unit that limits it is at its limit"};
  std::vector<std::string> steps;
  if (!verdict.clean() && verdict.findings.front().gain)
    steps.push_back(fmt::format("{} ({}: {})", verdict.findings.front().remedy,
                                plain_words(verdict.findings.front().cause),
                                gain_text(verdict.findings.front())));
  for (const Worth& worth : winner.parameters)
    if (worth.beyond) {
      const Rival& inside = worth.rivals.front();
      steps.push_back(fmt::format(
          "{}={}, outside the space: {} is its {} value, and the time still fell from {} "
          "to it ({} times as fast; a step further rarely gains more)",
          worth.parameter, to_text(*worth.beyond), to_text(worth.value),
          to_number(*worth.beyond) > to_number(worth.value) ? "largest" : "smallest",
          to_text(inside.value), short_number(inside.times)));
    }
  return steps;
}

nlohmann::ordered_json winner_json(const Winner& winner, const Verdict& verdict) {
  using Ordered = nlohmann::ordered_json;
  Ordered json = {{"against_default", winner.against_default},
                  {"against_next", winner.against_next},
                  {"parameters", Ordered::array()},
                  {"no_difference", winner.no_matter},
                  {"next", next_steps(winner, verdict)}};
  for (const Worth& worth : winner.parameters) {
    Ordered rivals = Ordered::array();
    for (const Rival& one : worth.rivals)
      rivals.push_back({{"value", json_of(one.value)},
                        {"times_as_fast", one.times},
                        {"pairs", one.pairs},
                        {"at_best", one.at_best}});
    json["parameters"].push_back(
        {{"parameter", worth.parameter},
         {"value", json_of(worth.value)},
         {"text", text_of(worth)},
         {"against", std::move(rivals)},
         {"beyond", worth.beyond ? Ordered(json_of(*worth.beyond)) : Ordered(nullptr)}});
  }
  return json;
}

} // namespace gridsmith
