// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/loop/slow_compilations.hpp"

#include <algorithm>

namespace gridsmith {

std::size_t count_put_off(const Questions& open) {
  return static_cast<std::size_t>(std::count_if(
      open.begin(), open.end(), [](const Question& question) { return question.is_put_off(); }));
}

void SlowCompilations::begin() {
  given_up_ = 0;
  idle_since_s_.reset();
}

void SlowCompilations::learn(const Measurement& answer) {
  compiled_ += compile_given_up(answer) ? 0 : 1;
  patience_.learn(answer.spent.compile_ms);
}

void SlowCompilations::look_after(Questions& open, const EvaluatorState& state, Order order,
                                  double now_s, const std::function<bool()>& asked_all) {
  compilers_ = std::max(compilers_, state.compiling);
  const bool last = asked_all() && state.queued == 0;
  for (Question& question : open) {
    const auto for_s =
        question.answer ? std::nullopt : question.evaluator().compiling_s(question.trial);
    if (!for_s || question.patience == Patience::over)
      continue;
    const bool full = count_put_off(open) >= CompilePatience::most_put_off(compilers_);
    if (*for_s >= patience_.give_up_after_s() ||
        (order == Order::arrival && full && *for_s >= patience_.hopeless_after_s(last))) {
      give_up(question);
    } else if (order == Order::arrival && !full && question.patience == Patience::waiting &&
               *for_s >= patience_.put_off_after_s(last)) {
      question.patience = Patience::less; // it goes on, and others are asked
      question.evaluator().put_off(question.trial);
    }
  }
  if (order == Order::arrival && patience_.adapts())
    give_up_in_the_end(open, state, now_s, asked_all());
}

/// Once nothing is left to be asked and the device has nothing to do.
void SlowCompilations::give_up_in_the_end(Questions& open, const EvaluatorState& state,
                                          double now_s, bool asked_all) {
  if (!asked_all || compiled_ == 0 || state.compiling == 0 || state.queued + state.measuring > 0) {
    if (given_up_ == 0) // what is asked in place of those that were is waited for no longer
      idle_since_s_.reset();
    return;
  }
  if (!idle_since_s_)
    idle_since_s_ = now_s;
  const auto unanswered = static_cast<std::size_t>(
      std::count_if(open.begin(), open.end(), [](const auto& one) { return !one.answer; }));
  if (now_s - *idle_since_s_ <
      CompilePatience::wait_in_the_end_s(*idle_since_s_, compiled_, unanswered))
    return;
  for (Question& question : open)
    if (!question.answer && question.patience != Patience::over &&
        patience_.is_unusual(question.evaluator().compiling_s(question.trial).value_or(0)))
      give_up(question);
}

void SlowCompilations::give_up(Question& question) {
  question.patience = Patience::over;
  ++given_up_;
  question.evaluator().give_up(question.trial);
}

} // namespace gridsmith
