// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/influence/influence_text.hpp"

#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/base/text_layout.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace gridsmith {
namespace {

constexpr std::size_t most_told = 3;   // explanations, and parameters of the time
constexpr double worth_telling = 0.05; // of a variance
constexpr double worth_a_ratio = 1.05;

/// "623 → 537 MB": both in the unit that suits the larger.
std::string from_to(double from, double to, const std::string& unit) {
  const auto [divisor, shown] = scale_of(std::max(std::abs(from), std::abs(to)), unit);
  return fmt::format("{} → {}{}{}", number_text(from / divisor, 3), number_text(to / divisor, 3),
                     shown.empty() ? "" : " ", shown);
}

std::string words_of(const Influence& influence, const std::string& name) {
  const Quantity* quantity = influence.quantity(name);
  return quantity ? quantity->words : name;
}

/// "; naive → tiled: 0.125 times, all else equal (13 pairs)"
std::string step_text(const ParameterEffect& effect) {
  if (!effect.step || std::abs(std::log(effect.step->ratio)) < std::log(worth_a_ratio))
    return "";
  return fmt::format("; {} → {}: {} times, all else equal ({})", to_text(effect.step->from),
                     to_text(effect.step->to), number_text(effect.step->ratio, 3),
                     counted(effect.step->pairs, "pair"));
}

/// The parameter that moves a quantity most; nullptr: none by more than chance.
const ParameterEffect* mover_of(const Influence& influence, const std::string& quantity) {
  const auto found =
      std::find_if(influence.effects.begin(), influence.effects.end(), [&](const auto& one) {
        return one.quantity == quantity && !one.by_chance && one.share >= worth_telling;
      });
  return found == influence.effects.end() ? nullptr : &*found;
}

void tell_explanations(const Influence& influence, std::vector<std::string>& told) {
  for (std::size_t i = 0; i < std::min(most_told, influence.explanations.size()); ++i) {
    const Explanation& one = influence.explanations[i];
    if (one.share < worth_telling)
      continue;
    const std::string alike =
        one.alike.empty() ? "" : fmt::format(", with {} like it", one.alike.size());
    told.push_back(fmt::format("{}: {} of the time's variance{}", words_of(influence, one.quantity),
                               percent_text(one.share), alike));
    if (const ParameterEffect* mover = mover_of(influence, one.quantity))
      told.push_back(fmt::format("  moved most by {}, {} of its variance{}", mover->parameter,
                                 percent_text(mover->share), step_text(*mover)));
  }
  if (influence.together.size() > 1) {
    std::vector<std::string> words;
    for (const std::string& name : influence.together)
      words.push_back(words_of(influence, name));
    told.push_back(fmt::format("together {} of the time's variance: {}",
                               percent_text(influence.together_share), fmt::join(words, ", ")));
  }
}

void tell_time(const Influence& influence, std::vector<std::string>& told) {
  std::size_t parameters = 0;
  for (const ParameterEffect& one : influence.effects)
    if (one.quantity == time_quantity().name && !one.by_chance && one.share >= worth_telling &&
        parameters++ < most_told)
      told.push_back(fmt::format("{}: {} of the time's variance{}", one.parameter,
                                 percent_text(one.share), step_text(one)));
}

nlohmann::ordered_json effect_json(const ParameterEffect& effect) {
  nlohmann::ordered_json json{{"parameter", effect.parameter},
                              {"quantity", effect.quantity},
                              {"share", effect.share},
                              {"by_chance", effect.by_chance},
                              {"step", nullptr}};
  if (effect.step)
    json["step"] = {{"from", json_of(effect.step->from)},
                    {"to", json_of(effect.step->to)},
                    {"ratio", effect.step->ratio},
                    {"pairs", effect.step->pairs}};
  return json;
}

/// Of parameters that differ the one that moves the time most first: "VARIANT tiled → blocked (61 % of the
/// time's variance)".
std::vector<std::string> parameter_changes(const Configuration& from, const Configuration& to,
                                           const Influence& known) {
  std::vector<std::pair<double, std::string>> changes;
  for (const auto& [name, value] : to) {
    const Value* before = find_value(from, name);
    if (!before || same_value(*before, value))
      continue;
    const auto effect =
        std::find_if(known.effects.begin(), known.effects.end(), [&](const ParameterEffect& one) {
          return one.parameter == name && one.quantity == time_quantity().name && !one.by_chance &&
                 one.share >= worth_telling;
        });
    const double share = effect == known.effects.end() ? 0 : effect->share;
    changes.emplace_back(share, fmt::format("{} {} → {}{}", name, to_text(*before), to_text(value),
                                            share > 0 ? fmt::format(" ({} of the time's variance)",
                                                                    percent_text(share))
                                                      : ""));
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> texts;
  texts.reserve(changes.size());
  for (auto& [share, text] : changes)
    texts.push_back(std::move(text));
  return texts;
}

/// The first few, and how many more there are.
std::string listed(std::vector<std::string> texts, std::size_t most) {
  if (texts.size() > most + 1) {
    const std::string more = fmt::format("{} more", texts.size() - most);
    texts.resize(most);
    texts.push_back(more);
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

} // namespace

std::vector<std::string> describe(const Influence& influence) {
  std::vector<std::string> told;
  if (!influence.enough)
    return {fmt::format("{}: too few to analyse; {} are needed",
                        counted(influence.configurations, "correct configuration"),
                        fewest_configurations)};
  tell_explanations(influence, told);
  if (told.empty())
    told.push_back(fmt::format("no counter explains the time of {} by more than chance would",
                               counted(influence.configurations, "configuration")));
  tell_time(influence, told);
  for (std::string& sentence : told)
    sentence = cut(sentence, sentence_width);
  return told;
}

std::vector<std::string> describe(const Contrast& contrast) {
  std::vector<std::string> told;
  for (const Difference& one : contrast.differences) {
    // What goes with less time across the space is no worse, whatever its direction says.
    const bool for_less = contrast.to_ms < contrast.from_ms && one.agrees == true;
    const bool worse = one.improved() == false && !for_less;
    told.push_back(
        cut(fmt::format("{} {}{}", one.quantity.words, from_to(one.from, one.to, one.quantity.unit),
                        worse ? ", which is worse" : ""),
            sentence_width));
  }
  if (told.empty())
    told.emplace_back("no counter, metric or compile fact tells them apart by more than it varies");
  return told;
}

std::string why_faster(const Contrast& contrast, const Configuration& from, const Configuration& to,
                       const Influence& known, const std::string& other) {
  if (from == to)
    return fmt::format("It is {}: no other configuration is faster.", other);
  if (!contrast.told_apart && contrast.few_samples)
    return fmt::format("Its time is within {:g} % of that of {}: too little for so few samples.",
                       100 * (same_time_ratio - 1), other);
  if (!contrast.told_apart)
    return fmt::format("Its time cannot be distinguished from that of {}.", other);
  if (!(contrast.to_ms < contrast.from_ms))
    return fmt::format("It takes {} times as long as {}.",
                       number_text(contrast.to_ms / contrast.from_ms, 3), other);
  const std::string faster = fmt::format("{} times as fast as {}",
                                         number_text(contrast.from_ms / contrast.to_ms, 3), other);
  Contrast because = contrast;
  because.differences = reasons(contrast);
  if (!because.differences.empty())
    return fmt::format("{}: {}.", faster, fmt::join(describe(because), ", "));
  return fmt::format("{}, and no counter or fact of the compiled code says why; the parameters "
                     "that differ: {}.",
                     faster, listed(parameter_changes(from, to, known), most_told));
}

nlohmann::ordered_json influence_json(const Influence& influence) {
  using Ordered = nlohmann::ordered_json;
  Ordered json{{"configurations", influence.configurations}, {"enough", influence.enough},
               {"explanations", Ordered::array()},           {"together", influence.together},
               {"together_share", influence.together_share}, {"effects", Ordered::array()}};
  for (const Explanation& one : influence.explanations)
    json["explanations"].push_back({{"quantity", one.quantity},
                                    {"share", one.share},
                                    {"exponent", one.exponent},
                                    {"alike", one.alike}});
  for (const ParameterEffect& one : influence.effects)
    json["effects"].push_back(effect_json(one));
  return json;
}

nlohmann::ordered_json contrast_json(const Contrast& contrast) {
  using Ordered = nlohmann::ordered_json;
  Ordered json{{"from_ms", contrast.from_ms},
               {"to_ms", contrast.to_ms},
               {"told_apart", contrast.told_apart},
               {"differences", Ordered::array()}};
  for (const Difference& one : contrast.differences)
    json["differences"].push_back({{"quantity", one.quantity.name},
                                   {"unit", one.quantity.unit},
                                   {"from", one.from},
                                   {"to", one.to},
                                   {"better", or_null(one.improved())},
                                   {"share", or_null(one.share)},
                                   {"agrees", or_null(one.agrees)}});
  return json;
}

} // namespace gridsmith
