// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/presentation/front_text.hpp"

#include "gridsmith/base/number_text.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/base/text_table.hpp"
#include "gridsmith/results/measurement/front.hpp"
#include "gridsmith/tuner/presentation/answer_text.hpp"

#include <fmt/format.h>

#include <vector>

namespace gridsmith {
namespace {

std::string with_unit(double value, const Objective& objective) {
  return number_text(value) + (objective.unit.empty() ? "" : " " + objective.unit);
}

/// " (0.1930 to 0.1940)"; "" of a value without an interval.
std::string interval_text(const Objective& objective, const Measurement& of) {
  const auto interval = interval_of(objective, of);
  return interval
             ? fmt::format(" ({} to {})", number_text(interval->low), number_text(interval->high))
             : "";
}

/// The front, and what it is of.
struct ShownFront {
  explicit ShownFront(const Outcome& outcome)
      : first(objective_of(outcome.answer.found_by, outcome.subject.device)),
        second(against_of(outcome.answer.found_by, outcome.subject.device)),
        points(front_of(outcome.answer, outcome.subject.device)) {}

  std::string sentence() const {
    if (points.empty())
      return fmt::format("There is no front: no finalist has a value of both {} and {}.",
                         first.name, second.name);
    std::string text = fmt::format("The front of {} and {} has {}", first.name, second.name,
                                   counted(points.size(), "configuration"));
    for (const FrontPoint& one : points)
      if (one.knee)
        text += fmt::format("; its knee: {}, {}", with_unit(one.first, first),
                            with_unit(one.second, second));
    return text + ".";
  }

  Objective first, second;
  std::vector<FrontPoint> points;
};

bool is_for_front(const Outcome& outcome) {
  return !outcome.answer.found_by.against.empty();
}

} // namespace

std::string best_by_objective(const Outcome& outcome) {
  const FoundBy& found_by = outcome.answer.found_by;
  const Objective objective = objective_of(found_by, outcome.subject.device);
  const Measurement& best = outcome.answer.ranking.front().measurement;
  const auto value = objective.value(best, found_by.workload);
  if (objective.name == objectives().front().name || !value)
    return "";
  return fmt::format("{} {}{}", objective.name, with_unit(*value, objective),
                     interval_text(objective, best));
}

std::string front_table(const Outcome& outcome, std::size_t width) {
  if (!is_for_front(outcome))
    return "";
  const ShownFront front(outcome);
  if (front.points.empty())
    return wrapped(front.sentence(), width, 2) + '\n';
  Table table({{"front", "", true},
               {front.first.name, front.first.unit},
               {front.second.name, front.second.unit},
               {"configuration", "", true}});
  for (const FrontPoint& one : front.points)
    table.add({one.knee ? "knee" : "",
               number_text(one.first) + interval_text(front.first, *one.measurement),
               number_text(one.second) + interval_text(front.second, *one.measurement),
               short_text(one.measurement->configuration, outcome.subject.parameters)});
  return table.text(width) + wrapped(front.sentence(), width, 2) + '\n';
}

std::string front_sentence(const Outcome& outcome) {
  return is_for_front(outcome) ? ShownFront(outcome).sentence() : "";
}

} // namespace gridsmith
