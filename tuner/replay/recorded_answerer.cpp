// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/replay/recorded_answerer.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace gridsmith {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

} // namespace

RecordedAnswerer::RecordedAnswerer(const Judge& judge, const SimulationSettings& settings,
                                   std::size_t budget, const std::string& strategy)
    : judge_(judge), strategy_(strategy), asked_(judge.space().size(), false), budget_(budget),
      useful_(settings.in_flight.value_or(1)), patience_(settings.compile_timeout),
      compilers_(settings.compilers.value_or(0)) {
  run_.best.reserve(budget);
}

std::size_t RecordedAnswerer::put_off() const {
  return static_cast<std::size_t>(std::count_if(compiling_.begin(), compiling_.end(),
                                                [](const Work& work) { return work.put_off; }));
}

void RecordedAnswerer::begin(std::span<const ConfigurationId> ids) {
  for (const ConfigurationId id : ids) {
    if (id >= asked_.size() || asked_[id])
      throw std::logic_error("strategy '" + strategy_ + "' asked for configuration " +
                             std::to_string(id) + " of " + std::to_string(asked_.size()) +
                             (id < asked_.size() ? " twice" : ""));
    asked_[id] = true;
    waiting_.push_back({id, begun_++});
  }
  start_some();
}

std::span<const Observation> RecordedAnswerer::take(std::size_t least, Order order,
                                                    const GiveUp& give_up) {
  taken_.clear();
  told_.clear();
  by_arrival_ = order == Order::arrival;
  bool more_wanted = false; // than those that are open
  while (taken_.size() < least && open() > 0 && !more_wanted && !(!taken_.empty() && give_up()))
    more_wanted = step();
  if (order == Order::asked)
    std::sort(taken_.begin(), taken_.end(),
              [](const Work& a, const Work& b) { return a.number < b.number; });
  for (const Work& one : taken_)
    told_.push_back(answer_of(one));
  return told_;
}

SimulatedRun RecordedAnswerer::finish(double search_us) {
  run_.asked = run_.best.size();
  run_.best.resize(budget_, best_); // an exhausted space: what was found stays found
  run_.at_s.resize(budget_, clock_.now_s());
  run_.end_s = clock_.now_s();
  run_.given_up += put_off();
  run_.search_us = search_us;
  return std::move(run_);
}

std::size_t RecordedAnswerer::open() const {
  return waiting_.size() + compiling_.size() + compiled_.size() + (measuring_ ? 1 : 0);
}

/// A given-up one tells only how long it was waited for.
Observation RecordedAnswerer::answer_of(const Work& work) const {
  if (!work.given_up)
    return judge_.answer(work.id);
  return {.id = work.id, .compile_ms = 1000 * (work.ready_s - work.begun_s)};
}

/// Whoever is free takes the first that waits for it.
void RecordedAnswerer::start_some() {
  const double now = clock_.now_s();
  while (compiling_.size() < compilers_ && !waiting_.empty()) {
    Work& work = compiling_.emplace_back(waiting_.front());
    waiting_.erase(waiting_.begin());
    work.begun_s = now;
    work.ready_s = now + judge_.compile_s(work.id);
  }
  if (measuring_)
    return;
  Queue& ready = compilers_ > 0 ? compiled_ : waiting_;
  if (ready.empty())
    return;
  measuring_ = ready.front();
  ready.erase(ready.begin());
  measuring_->ready_s = now + judge_.measure_s(measuring_->id) +
                        (compilers_ > 0 ? 0 : judge_.compile_s(measuring_->id));
}

/// All is asked, and no question waits for a compiler.
bool RecordedAnswerer::last() const {
  return waiting_.empty() &&
         (are_last_ || begun_ >= std::min(budget_ + run_.given_up, asked_.size()));
}

void RecordedAnswerer::see_idle() {
  const bool idle = last() && !compiling_.empty() && compiled_.empty() && !measuring_;
  if (!idle &&
      run_.given_up == 0) // what is asked in place of those that were is waited for no longer
    idle_since_s_.reset();
  else if (idle && !idle_since_s_)
    idle_since_s_ = clock_.now_s();
}

/// When it is given up; never: not as things are.
double RecordedAnswerer::given_up_s(const Work& work) const {
  const bool full = put_off() >= CompilePatience::most_put_off(compilers_);
  const double hopeless_s = by_arrival_ && full ? patience_.hopeless_after_s(last()) : never;
  const double alone_s = work.begun_s + std::min(hopeless_s, patience_.give_up_after_s());
  if (!by_arrival_ || !patience_.adapts() || !idle_since_s_ || !last() || !compiled_.empty() ||
      measuring_)
    return alone_s;
  const double end_s = std::max(
      clock_.now_s(), *idle_since_s_ + CompilePatience::wait_in_the_end_s(
                                           *idle_since_s_, run_.best.size(), compiling_.size()));
  return patience_.is_unusual(end_s - work.begun_s) ? std::min(alone_s, end_s) : alone_s;
}

/// … or put off before.
double RecordedAnswerer::patience_s(const Work& work) const {
  const bool may =
      by_arrival_ && !work.put_off && put_off() < CompilePatience::most_put_off(compilers_);
  const double put_off_s = may ? work.begun_s + patience_.put_off_after_s(last()) : never;
  return std::min(put_off_s, given_up_s(work));
}

/// Until something has happened. True: more may be asked than before.
bool RecordedAnswerer::step() {
  see_idle();
  const auto compiled =
      std::min_element(compiling_.begin(), compiling_.end(),
                       [](const Work& a, const Work& b) { return a.ready_s < b.ready_s; });
  const auto slow =
      std::min_element(compiling_.begin(), compiling_.end(),
                       [&](const Work& a, const Work& b) { return patience_s(a) < patience_s(b); });
  const double compiled_s = compiled == compiling_.end() ? never : compiled->ready_s;
  const double slow_s = slow == compiling_.end() ? never : patience_s(*slow);
  const double measured_s = measuring_ ? measuring_->ready_s : never;
  clock_.advance(std::max(0.0, std::min({compiled_s, slow_s, measured_s}) - clock_.now_s()));
  bool more = false;
  if (measured_s <= std::min(compiled_s, slow_s))
    answer(*std::exchange(measuring_, std::nullopt));
  else if (compiled_s <= slow_s)
    take_compiled(compiled);
  else
    more = lose_patience(slow);
  start_some();
  return more;
}

/// What the device does not see is known now.
void RecordedAnswerer::take_compiled(Queue::iterator which) {
  const Work work = *which;
  compiling_.erase(which);
  patience_.learn(1000 * judge_.compile_s(work.id));
  if (judge_.measure_s(work.id) > 0)
    compiled_.push_back(work);
  else
    answer(work);
}

bool RecordedAnswerer::lose_patience(Queue::iterator which) {
  if (given_up_s(*which) <= patience_s(*which))
    give_up(which);
  else
    which->put_off = true;
  return by_arrival_;
}

void RecordedAnswerer::give_up(Queue::iterator which) {
  Work work = *which;
  compiling_.erase(which);
  work.given_up = true;
  work.ready_s = clock_.now_s();
  patience_.learn(1000 * (work.ready_s - work.begun_s));
  ++run_.given_up;
  taken_.push_back(work);
}

void RecordedAnswerer::answer(const Work& work) {
  best_ = std::min(best_, judge_.ratio(work.id));
  run_.best.push_back(best_);
  run_.at_s.push_back(clock_.now_s());
  taken_.push_back(work);
}

} // namespace gridsmith
