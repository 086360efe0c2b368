// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/replay/simulated_machine.hpp"

#include <algorithm>

namespace gridsmith {

void SimulatedMachine::begin(const Evaluator& whose, TrialId id, double compile_s,
                             double measure_s) {
  works_.push_back({&whose, id, compile_s, measure_s});
  start_some();
}

void SimulatedMachine::pass(double limit_s) {
  const double end_s = clock_.now_s() + limit_s;
  for (bool done = false; !done;) {
    Work* next = nullptr;
    for (Work& work : works_)
      if ((work.stage == Stage::compiling || work.stage == Stage::measured) &&
          work.until_s <= (next ? next->until_s : end_s))
        next =
            !next || work.until_s < next->until_s || work.stage == Stage::measured ? &work : next;
    clock_.move_to(next ? next->until_s : end_s);
    if (!next)
      return;
    done = end_stage(*next);
    start_some();
  }
}

std::vector<TrialId> SimulatedMachine::take(const Evaluator& whose) {
  std::vector<TrialId> ids;
  std::erase_if(works_, [&](const Work& work) {
    const bool taken = work.whose == &whose && work.stage == Stage::done;
    if (taken)
      ids.push_back(work.id);
    return taken;
  });
  return ids;
}

void SimulatedMachine::withdraw(const Evaluator& whose, TrialId id) {
  if (const auto found = find(whose, id); found != works_.end()) {
    works_.erase(found);
    start_some();
  }
}

std::optional<double> SimulatedMachine::compiling_s(const Evaluator& whose, TrialId id) const {
  const auto found = find(whose, id);
  if (found == works_.end() || found->stage != Stage::compiling)
    return std::nullopt;
  return clock_.now_s() - found->since_s;
}

EvaluatorState SimulatedMachine::state() const {
  EvaluatorState state;
  state.compiling = count(Stage::compiling);
  state.queued = count(Stage::waiting) + count(Stage::compiled);
  state.measuring = count(Stage::measured);
  return state;
}

std::size_t SimulatedMachine::count(Stage stage) const {
  return static_cast<std::size_t>(std::count_if(
      works_.begin(), works_.end(), [stage](const Work& work) { return work.stage == stage; }));
}

/// Of those that are in it, the one that came first.
SimulatedMachine::Works::iterator SimulatedMachine::first(Stage stage) {
  auto first = works_.end();
  for (auto one = works_.begin(); one != works_.end(); ++one)
    if (one->stage == stage && (first == works_.end() || one->since_s < first->since_s))
      first = one;
  return first;
}

SimulatedMachine::Works::const_iterator SimulatedMachine::find(const Evaluator& whose,
                                                               TrialId id) const {
  return std::find_if(works_.begin(), works_.end(),
                      [&](const Work& work) { return work.whose == &whose && work.id == id; });
}

void SimulatedMachine::enter(Work& work, Stage stage, double seconds) {
  work.stage = stage;
  work.since_s = clock_.now_s();
  work.until_s = work.since_s + seconds;
}

/// Whoever is free takes the first that waits for it.
void SimulatedMachine::start_some() {
  for (auto work = first(Stage::waiting);
       work != works_.end() && count(Stage::compiling) < compilers_; work = first(Stage::waiting))
    enter(*work, Stage::compiling, work->compile_s);
  const auto ready = first(compilers_ > 0 ? Stage::compiled : Stage::waiting);
  if (ready != works_.end() && count(Stage::measured) == 0)
    enter(*ready, Stage::measured, ready->measure_s + (compilers_ > 0 ? 0 : ready->compile_s));
}

/// Its compilation is over, or all is: true. What the GPU does not see is known once it is compiled.
bool SimulatedMachine::end_stage(Work& work) {
  const bool goes_on = work.stage == Stage::compiling && work.measure_s > 0;
  enter(work, goes_on ? Stage::compiled : Stage::done);
  return !goes_on;
}

} // namespace gridsmith
