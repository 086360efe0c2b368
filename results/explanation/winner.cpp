// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/explanation/winner.hpp"

#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/base/statistics.hpp"
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

constexpr std::size_t compared = 64; // differences, of which reasons() takes a few
constexpr std::size_t parameters_shown = 3, reasons_shown = 2;

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
struct ValuePairs {
  Value value;
  std::vector<RowPair> pairs;
};

Alternative judged(const ValuePairs& against, const Field& field) {
  const auto times = [&](const RowPair& pair) {
    return time_of_row(field, pair.first) / time_of_row(field, pair.second);
  };
  auto chosen = std::find_if(against.pairs.begin(), against.pairs.end(),
                             [&](const RowPair& one) { return one.second == field.best; });
  Alternative alternative{.value = against.value,
                          .pairs = against.pairs.size(),
                          .at_best = chosen != against.pairs.end(),
                          .contrast = {}};
  if (alternative.at_best) {
    alternative.times = times(*chosen);
  } else {
    std::vector<double> all;
    all.reserve(against.pairs.size());
    for (const RowPair& one : against.pairs)
      all.push_back(times(one));
    std::sort(all.begin(), all.end());
    alternative.times = median(all);
    chosen = std::min_element(against.pairs.begin(), against.pairs.end(),
                              [&](const RowPair& a, const RowPair& b) {
                                return std::abs(std::log(times(a) / alternative.times)) <
                                       std::abs(std::log(times(b) / alternative.times));
                              });
  }
  alternative.contrast = contrast(*field.rows[chosen->first], *field.rows[chosen->second],
                                  field.recording, field.known, compared);
  return alternative;
}

std::vector<ValuePairs> pairs_by_value(const Parameter& parameter, const Field& field) {
  const auto places = places_of(parameter, field.rows);
  const std::size_t own = places[field.best];
  std::vector<ValuePairs> all;
  for (auto& [values, pairs] : pairs_of(parameter, places, field.rows)) {
    if (values.first != own && values.second != own)
      continue;
    const std::size_t other = values.first == own ? values.second : values.first;
    ValuePairs one{parameter.values[other], {}};
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
bool is_beaten(const Alternative& alternative) {
  constexpr std::size_t enough = 3;
  return alternative.times >= same_time_ratio &&
         (alternative.contrast.told_apart || alternative.pairs >= enough);
}

/// Of numbers the nearest below and above, of words the one that comes nearest in time.
std::vector<Alternative> nearest(std::vector<Alternative> all, const Value& own) {
  std::vector<Alternative> found;
  const auto take = [&](auto&& eligible, auto&& distance) {
    Alternative* closest = nullptr;
    for (Alternative& one : all)
      if (eligible(one) && (!closest || distance(one) < distance(*closest)))
        closest = &one;
    if (closest)
      found.push_back(std::move(*closest));
  };
  if (!is_number(own)) {
    take([](const Alternative&) { return true; }, [](const Alternative& one) { return one.times; });
    return found;
  }
  for (const double side : {-1, 1}) {
    const auto distance = [&](const Alternative& one) {
      return side * (to_number(one.value) - to_number(own));
    };
    take([&](const Alternative& one) { return distance(one) > 0; }, distance);
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

/// Whether the best's block and shared memory stay within the device's limits if they grow once more as from the first
/// to the second of a pair.
bool may_grow(const Measurement& first, const Measurement& second, const Measurement& best,
              const Device& device) {
  const auto next = [&](const auto& of) {
    return of(best) * of(second) / std::max(1.0, of(first));
  };
  const double shared = static_cast<double>(
      std::max(device.shared_bytes_per_block, device.shared_bytes_per_block_optin));
  return (device.max_threads_per_block == 0 || next(threads_of) <= device.max_threads_per_block) &&
         (shared == 0 || next(shared_bytes_of) <= shared);
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

std::optional<Value> beyond(const Parameter& parameter, const ParameterChoice& choice,
                            const std::vector<ValuePairs>& against, const Field& field) {
  constexpr std::size_t a_row = 3;
  constexpr double still_falling = 1.03;
  std::vector<Value> values = parameter.values;
  if (values.size() < a_row || !std::all_of(values.begin(), values.end(), is_number) ||
      choice.alternatives.size() != 1 || !(choice.alternatives.front().times >= still_falling))
    return std::nullopt;
  std::sort(values.begin(), values.end(),
            [](const Value& a, const Value& b) { return to_number(a) < to_number(b); });
  if (same_value(choice.value, values.front()))
    std::reverse(values.begin(), values.end());
  if (!same_value(choice.value, values.back()))
    return std::nullopt;
  const Value& before = values[values.size() - 2];
  const auto pairs = std::find_if(against.begin(), against.end(), [&](const ValuePairs& one) {
    return same_value(one.value, before);
  });
  if (!same_value(choice.alternatives.front().value, before) || pairs == against.end())
    return std::nullopt;
  const auto [first, second] = pairs->pairs.front();
  if (!may_grow(*field.rows[first], *field.rows[second], *field.rows[field.best],
                field.recording.device))
    return std::nullopt;
  return one_further(before, choice.value);
}

double weight(const ParameterChoice& choice) {
  double most = 1;
  for (const Alternative& one : choice.alternatives)
    most = std::max(most, one.times);
  return most;
}

void add_parameters(const Field& field, Winner& winner) {
  for (const Parameter& parameter : field.recording.parameters) {
    const Value* own = find_value(field.rows[field.best]->configuration, parameter.name);
    if (!own)
      continue;
    ParameterChoice choice{
        .parameter = parameter.name, .value = *own, .alternatives = {}, .beyond = {}};
    const auto against = pairs_by_value(parameter, field);
    std::vector<Alternative> beaten;
    bool matters = false;
    for (const ValuePairs& one : against) {
      Alternative alternative = judged(one, field);
      matters = matters || std::abs(std::log(alternative.times)) >= std::log(same_time_ratio);
      if (is_beaten(alternative))
        beaten.push_back(std::move(alternative));
    }
    choice.alternatives = nearest(std::move(beaten), *own);
    choice.beyond = beyond(parameter, choice, against, field);
    if (!choice.alternatives.empty())
      winner.parameters.push_back(std::move(choice));
    else if (!against.empty() && !matters)
      winner.no_difference.push_back(parameter.name);
  }
  std::stable_sort(
      winner.parameters.begin(), winner.parameters.end(),
      [](const ParameterChoice& a, const ParameterChoice& b) { return weight(a) > weight(b); });
}

/// "dram_traffic 400 bytes, of the default 1000; it takes 2 times as long."
std::string compared_by(const Objective& by, const Measurement& other, const Measurement& best,
                        const Workload& workload, const std::string& name) {
  if (other.configuration == best.configuration)
    return fmt::format("It is {}.", name);
  const auto own = by.value(best, workload), others = by.value(other, workload);
  if (!own || !others)
    return "";
  const double times = cost_ms(best).value_or(0) / cost_ms(other).value_or(1);
  return fmt::format("{} {}{}, of {} {}; it takes {} times as long.", by.name, number_text(*own),
                     by.unit.empty() ? "" : " " + by.unit, name, number_text(*others),
                     number_text(times, 3));
}

std::string compared_with(const Measurement& other, const Measurement& best, const Field& field,
                          const std::string& name, const Objective& by) {
  if (!by.by_time)
    return compared_by(by, other, best, field.recording.workload, name);
  return why_faster(contrast(other, best, field.recording, field.known, compared),
                    other.configuration, best.configuration, field.known, name);
}

/// "1.14 times as fast as 32: L2 sectors 20 → 10 million"
std::string text_of(const Alternative& alternative) {
  std::string text = fmt::format("{} times as fast as {}", number_text(alternative.times, 3),
                                 to_text(alternative.value));
  if (!alternative.at_best)
    text += alternative.pairs == 1
                ? " in one other pair"
                : fmt::format(" in the median of {} other pairs", alternative.pairs);
  Contrast why = alternative.contrast;
  why.differences = reasons(alternative.contrast, reasons_shown);
  return why.differences.empty() ? text
                                 : fmt::format("{}: {}", text, fmt::join(describe(why), ", "));
}

std::string text_of(const ParameterChoice& choice) {
  std::vector<std::string> alternatives;
  alternatives.reserve(choice.alternatives.size());
  for (const Alternative& one : choice.alternatives)
    alternatives.push_back(text_of(one));
  return fmt::format("{}={}: {}", choice.parameter, to_text(choice.value),
                     fmt::join(alternatives, "; "));
}

} // namespace

Winner winner_of(const Recording& recording, std::span<const Ranked> ranking,
                 const std::optional<Configuration>& standard, const Influence& known,
                 const Objective& objective) {
  Winner winner;
  Field field{recording, known, {}, 0};
  const Measurement& best = ranking.front().measurement;
  std::optional<std::size_t> place;
  const Measurement* usual = nullptr;
  for (const Measurement& one : recording.measurements) {
    if (!cost_ms(one))
      continue;
    if (one.configuration == best.configuration)
      place = field.rows.size();
    if (standard && one.configuration == *standard)
      usual = &one;
    field.rows.push_back(&one);
  }
  // Those of the ranking were measured in turn, and are compared as they were then.
  for (const Ranked& one : ranking)
    if (standard && one.measurement.configuration == *standard)
      usual = &one.measurement;
  if (usual)
    winner.against_default = compared_with(*usual, best, field, "the default", objective);
  if (ranking.size() > 1 && usual != &ranking[1].measurement)
    winner.against_next =
        compared_with(ranking[1].measurement, best, field, "the next best", objective);
  if (place && objective.by_time) {
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
  for (std::size_t i = 0; i < std::min(parameters_shown, winner.parameters.size()); ++i)
    lines.push_back(text_of(winner.parameters[i]) + ".");
  if (!winner.no_difference.empty())
    lines.push_back(fmt::format("No other value tried of {} makes 2 % of a difference.",
                                fmt::join(winner.no_difference, ", ")));
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
  for (const ParameterChoice& choice : winner.parameters)
    if (choice.beyond) {
      const Alternative& inside = choice.alternatives.front();
      steps.push_back(fmt::format(
          "{}={}, outside the space: {} is its {} value, and the time still fell from {} "
          "to it ({} times as fast)",
          choice.parameter, to_text(*choice.beyond), to_text(choice.value),
          to_number(*choice.beyond) > to_number(choice.value) ? "largest" : "smallest",
          to_text(inside.value), number_text(inside.times, 3)));
    }
  return steps;
}

nlohmann::ordered_json winner_json(const Winner& winner, const Verdict& verdict) {
  using Ordered = nlohmann::ordered_json;
  Ordered json = {
      {"sentences", describe(winner)},         {"against_default", winner.against_default},
      {"against_next", winner.against_next},   {"parameters", Ordered::array()},
      {"no_difference", winner.no_difference}, {"next", next_steps(winner, verdict)}};
  for (const ParameterChoice& choice : winner.parameters) {
    Ordered alternatives = Ordered::array();
    for (const Alternative& one : choice.alternatives)
      alternatives.push_back({{"value", json_of(one.value)},
                              {"times_as_fast", one.times},
                              {"pairs", one.pairs},
                              {"at_best", one.at_best}});
    json["parameters"].push_back(
        {{"parameter", choice.parameter},
         {"value", json_of(choice.value)},
         {"text", text_of(choice)},
         {"against", std::move(alternatives)},
         {"beyond", choice.beyond ? Ordered(json_of(*choice.beyond)) : Ordered(nullptr)}});
  }
  return json;
}

} // namespace gridsmith
