// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/replay/recorded_evaluator.hpp"

#include <type_traits>
#include <utility>

namespace gridsmith {
namespace {

Measurement missing(Configuration configuration) {
  Measurement measurement;
  measurement.configuration = std::move(configuration);
  measurement.status = Status::constraints;
  measurement.reason = "the recording does not contain this configuration";
  return measurement;
}

/// Raced anew, by itself, on the one device. Without counters that are not asked for: to copy those would take
/// longer than a search.
Measurement race_of(const Measurement& recorded, bool count) {
  Measurement race;
  for_both(race, recorded, [&]<typename F>(F& to, const F& from) {
    if (count || !std::is_same_v<F, CounterValues>)
      to = from;
  });
  race.mode = Mode::race;
  race.same_code_as.clear();
  race.other_gpu.reset();
  race.uncounted_because.reset();
  if (!count) {
    race.counted.reset();
    race.uncounted_because = "not asked for";
  }
  return race;
}

} // namespace

RecordedEvaluator::~RecordedEvaluator() {
  for (const auto& [id, measurement] : pending_)
    machine_->withdraw(*this, id);
}

std::size_t RecordedEvaluator::depth() const {
  return has_compilers() ? Pace::depth(machine_->compilers()) : 1;
}

std::size_t RecordedEvaluator::useful() const {
  return has_compilers() ? pace_.useful(machine_->compilers()) : 1;
}

void RecordedEvaluator::submit(std::vector<Trial> trials) {
  for (Trial& trial : trials) {
    const auto id = space_.space().find(trial.configuration);
    Measurement answer = !id ? missing(std::move(trial.configuration))
                         : machine_ && trial.mode == Mode::race
                             ? race_of(space_.measurement(*id), trial.count)
                             : space_.measurement(*id);
    TimeSpent& spent = answer.spent;
    if (!machine_) {
      spent_.gpu_ms += spent.gpu_ms;
      done_.push_back({trial.id, std::move(answer)});
      continue;
    }
    spent.gpu_ms = at_worker_ms(spent); // other tools' files know no other time of the GPU
    machine_->begin(*this, trial.id, spent.compile_ms / 1000, spent.gpu_ms / 1000);
    pending_.emplace(trial.id, std::move(answer));
  }
}

std::vector<Evaluated> RecordedEvaluator::collect(std::chrono::milliseconds limit) {
  if (!machine_ || !done_.empty())
    return std::exchange(done_, {});
  std::vector<TrialId> ids = machine_->take(*this);
  if (ids.empty()) {
    machine_->pass(std::chrono::duration<double>(limit).count());
    ids = machine_->take(*this);
  }
  std::vector<Evaluated> done;
  for (const TrialId id : ids) {
    done.push_back({id, std::move(pending_.extract(id).mapped())});
    pace_.learn(done.back().measurement.spent);
    spent_.gpu_ms += done.back().measurement.spent.gpu_ms;
  }
  return done;
}

void RecordedEvaluator::withdraw(TrialId id) {
  std::erase_if(done_, [&](const Evaluated& one) { return one.id == id; });
  if (pending_.erase(id) > 0)
    machine_->withdraw(*this, id);
}

std::optional<double> RecordedEvaluator::compiling_s(TrialId id) const {
  return machine_ ? machine_->compiling_s(*this, id) : std::nullopt;
}

void RecordedEvaluator::give_up(TrialId id) {
  const auto for_s = compiling_s(id);
  if (!for_s)
    return;
  Evaluated answer{id, {}};
  answer.measurement.configuration = std::move(pending_.at(id).configuration);
  static_cast<Execution&>(answer.measurement) = given_up_after(*for_s);
  withdraw(id);
  done_.push_back(std::move(answer));
}

EvaluatorState RecordedEvaluator::state() const {
  EvaluatorState state = machine_ ? machine_->state() : EvaluatorState{};
  state.spent = spent_;
  return state;
}

} // namespace gridsmith
