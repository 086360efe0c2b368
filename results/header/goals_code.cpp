// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/header/goals_code.hpp"

#include "gridsmith/results/header/cpp_text.hpp"
#include "gridsmith/results/header/device_code.hpp"
#include "gridsmith/results/header/runtime.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace gridsmith {
namespace {

constexpr const char* goals_frame = R"tuned(
// By other goals than the time alone.
#ifndef GRIDSMITH_TUNED_{kernel}_GOALS
#define GRIDSMITH_TUNED_{kernel}_GOALS 0x{hash}
{lists}namespace tuned::{kernel} {{ inline namespace of_{part} {{ inline namespace by_{hash} {{
{declarations}
}}}}}} // namespace tuned::{kernel}::of_{part}::by_{hash}
#elif GRIDSMITH_TUNED_{kernel}_GOALS != 0x{hash}
#error "tuned::{kernel}: headers with two sets of goals in one source; export them again into one"
#endif
)tuned";

constexpr const char* declarations_text = R"tuned(
// What a configuration is chosen by: {meaning}.
enum class Goal : unsigned char {{ {codes} }};
GRIDSMITH_TUNED_FN const char* text(Goal value) {{
  const char* const words[] = {{{names}}};
  return words[static_cast<int>(value)];
}}
GRIDSMITH_TUNED_FN const char* unit(Goal goal) {{
  const char* const words[] = {{{units}}};
  return words[static_cast<int>(goal)];
}}
struct GoalChoice {{
  Configuration configuration = {{}};
  Launch launch = {{}};
  Match match = Match::untuned;
  Maybe<double> expected_loss = {{}};  // share of the goal's best value that is lost: 0.02 is 2 %; none: not known
  Maybe<double> expected_value = {{}}; // of the goal, in its unit; none: nothing was measured of this kind of device
  int device = 0, index = 0;         // of the devices of the goal; of its configurations
}};
template <Goal, class>
struct By;

// From a choice of the least cost: the value, or 1 / value where more is better.
GRIDSMITH_TUNED_FN Maybe<GoalChoice> by_goal(const Maybe<Choice>& choice, bool most) {{
  constexpr double nothing = 1e-9; // the least cost there is
  Maybe<GoalChoice> result;
  const Choice& from = choice.value;
  result.has_value = choice.has_value;
  result.value.configuration = from.configuration;
  result.value.launch = from.launch;
  result.value.match = from.match;
  result.value.device = from.device;
  result.value.index = from.index;
  if (from.expected_loss && from.expected_loss.value >= 0)
    result.value.expected_loss = from.expected_loss;
  if (from.expected_ms) {{
    const double value = most ? 1 / from.expected_ms.value : from.expected_ms.value;
    result.value.expected_value = value > nothing ? value : 0.0;
  }}
  return result;
}}
// The best configuration known for a problem by this goal, of all devices of which it is known.
template <class Of = Configuration{lists},
          class Misses = GRIDSMITH_TUNED_MISSES>
GRIDSMITH_TUNED_FN Maybe<GoalChoice> choose(const Problem& p, const Device& d, Goal goal) {{
  Maybe<GoalChoice> choice;
  switch (goal) {{{choices}
  }}
  GRIDSMITH_TUNED_RECORD(Misses, name, p, choice)
  return choice;
}}
// As dispatch by time, if there is one: f(tuned, choice) is called for a configuration of the goal.
template <class Function, class Of = Configuration{lists},
          class Misses = GRIDSMITH_TUNED_MISSES>
constexpr bool dispatch(const Problem& p, const Device& d, Goal goal, Function&& f) {{
  const auto choice = choose<Of, {arguments}, Misses>(p, d, goal);
  if (!choice)
    return false;
  switch (goal) {{{calls}
  }}
  return false;
}}
)tuned";

constexpr const char* usual_text = R"tuned(
// There is one goal, which need not be named.
template <class Of = Configuration{lists},
          class Misses = GRIDSMITH_TUNED_MISSES>
GRIDSMITH_TUNED_FN Maybe<GoalChoice> choose(const Problem& p, const Device& d) {{
  return choose<Of, {arguments}, Misses>(p, d, Goal::{code});
}}
template <class Function, class Of = Configuration{lists},
          class Misses = GRIDSMITH_TUNED_MISSES>
constexpr bool dispatch(const Problem& p, const Device& d, Function&& f) {{
  return dispatch<Function, Of, {arguments}, Misses>(p, d, Goal::{code}, static_cast<Function&&>(f));
}}
)tuned";

/// "time, the least in ms; dram_traffic, the least in bytes"
std::string meaning(const Goals& goals) {
  std::vector<std::string> list;
  list.reserve(goals.all.size());
  for (const auto& [by, code] : goals.all)
    list.push_back(fmt::format("{}, the {} in {}", by.name,
                               by.direction == Direction::minimise ? "least" : "most",
                               by.unit.empty() ? "no unit" : by.unit));
  return comment_text(fmt::format("{}", fmt::join(list, "; ")));
}

} // namespace

const std::string& Goals::code_of(std::string_view objective) const {
  return std::find_if(all.begin(), all.end(),
                      [&](const Goal& one) { return one.objective.name == objective; })
      ->code;
}

Goals goals_among(const std::vector<Objective>& objectives) {
  std::map<std::pair<bool, std::string>, Objective> each; // time first
  for (const Objective& one : objectives)
    each.try_emplace({!one.by_time, one.name}, one);
  Goals goals;
  if (each.size() == 1 && each.begin()->second.by_time)
    return goals;
  std::set<std::string> used;
  for (const auto& [key, one] : each)
    goals.all.push_back({one, identifier_beside(one.name, used)});
  return goals;
}

GoalsCode goals_code(const KernelCode& kernel, const std::string& part, const Goals& goals) {
  std::vector<std::string> codes, names, units, arguments;
  std::string macros, lists, choices, calls;
  for (const auto& [by, code] : goals.all) {
    const std::string list = fmt::format("On{}", codes.size());
    codes.push_back(code);
    names.push_back(string_literal(by.name));
    units.push_back(string_literal(by.unit));
    arguments.push_back(list);
    if (!by.by_time)
      macros += fmt::format("#define {} Devices<>\n", device_list(kernel, code));
    lists += fmt::format(
        ",\n          class {} = decltype(newest(static_cast<const {}*>(nullptr), Rank<64>{{}}))",
        list, by.by_time ? "Of" : fmt::format("By<Goal::{}, Of>", code));
    choices +=
        fmt::format("\n  case Goal::{}:\n    choice = by_goal(choose_among<Of>(p, d, {}{{}}), {});"
                    "\n    break;",
                    code, list, by.direction == Direction::maximise);
    calls +=
        fmt::format("\n  case Goal::{}:\n    return call_chosen(*choice, f, {}{{}});", code, list);
  }
  std::string declarations = fmt::format(
      fmt::runtime(declarations_text), fmt::arg("meaning", meaning(goals)),
      fmt::arg("codes", fmt::join(codes, ", ")), fmt::arg("names", fmt::join(names, ", ")),
      fmt::arg("units", fmt::join(units, ", ")), fmt::arg("lists", lists),
      fmt::arg("choices", choices), fmt::arg("calls", calls),
      fmt::arg("arguments", fmt::join(arguments, ", ")));
  if (!goals.by_time() && goals.usual())
    declarations +=
        fmt::format(fmt::runtime(usual_text), fmt::arg("code", codes.front()),
                    fmt::arg("lists", lists), fmt::arg("arguments", fmt::join(arguments, ", ")));
  const std::string hash = short_hash(part + declarations);
  return {fmt::format(fmt::runtime(goals_frame), fmt::arg("kernel", kernel.name),
                      fmt::arg("hash", hash), fmt::arg("part", part), fmt::arg("lists", macros),
                      fmt::arg("declarations", declarations)),
          hash};
}

} // namespace gridsmith
