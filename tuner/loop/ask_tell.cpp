// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/loop/ask_tell.hpp"

#include <algorithm>
#include <chrono>

namespace gridsmith {
namespace {

constexpr std::size_t chunk = 16;       // asked at once of strategies that need no answer
constexpr std::size_t ahead_factor = 2; // batches of likely next configurations compiled ahead

/// How questions and answers take turns.
enum class Turns {
  free,  ///< answers are not needed
  batch, ///< all of a batch are asked, then all are told
  each   ///< a question for each answer
};

Turns turns_of(const Strategy& strategy, bool repeatable) {
  if (strategy.batch() == unlimited_batch)
    return Turns::free;
  return repeatable ? Turns::batch : Turns::each;
}

class AskTell {
public:
  AskTell(Strategy& strategy, Answerer& answerer, const AskTellLimits& limits, const Clock& clock,
          std::stop_token stop)
      : strategy_(strategy), answerer_(answerer), limits_(limits), clock_(clock),
        stop_(std::move(stop)), turns_(turns_of(strategy, limits.repeatable)),
        start_s_(clock_.now_s()) {}

  AskTellResult run() {
    const GiveUp give_up = [this] { return over(); };
    while (true) {
      answerer_.are_last(enough_);
      ask();
      if (open_ == 0 && enough_)
        result_.ended = Ended::unlikely;
      if (open_ == 0 || over())
        return result_;
      const auto answers =
          answerer_.take(turns_ == Turns::batch ? open_ : 1,
                         turns_ == Turns::each ? Order::arrival : Order::asked, give_up);
      if (over())
        return result_;
      if (answers.empty())
        continue; // more may be asked
      timed([&] { strategy_.tell(answers); });
      result_.told += answers.size();
      open_ -= std::min(open_, answers.size());
      enough_ = unlikely_to_pay(answers);
      if (enough_ && answerer_.put_off() == 0)
        result_.ended = Ended::unlikely;
      if (over() || result_.told >= limits_.evaluations + answerer_.given_up())
        return result_;
    }
  }

private:
  bool over() {
    if (stop_.stop_requested())
      result_.ended = Ended::stopped;
    else if (limits_.seconds && clock_.now_s() - start_s_ >= *limits_.seconds)
      result_.ended = Ended::out_of_time;
    return result_.ended != Ended::finished;
  }

  bool unlikely_to_pay(std::span<const Observation> answers) {
    if (!limits_.rule || turns_ == Turns::free)
      return false;
    limits_.rule->hear(answers, strategy_.hope());
    return limits_.rule->over();
  }

  /// How many may be open.
  std::size_t room() const {
    const std::size_t asked_for = limits_.most_open        ? *limits_.most_open
                                  : turns_ == Turns::free  ? answerer_.depth()
                                  : turns_ == Turns::batch ? strategy_.batch()
                                                           : answerer_.useful();
    return std::max<std::size_t>(1, std::min(asked_for, strategy_.most_pending()));
  }

  /// Evaluations that are not asked for yet.
  std::uint64_t left() const {
    const std::uint64_t wanted = limits_.evaluations + answerer_.given_up();
    return wanted - std::min(wanted, result_.asked);
  }

  void ask() {
    if (enough_ || (turns_ == Turns::batch && open_ > 0))
      return;
    const std::size_t room = this->room() + answerer_.put_off();
    while (!exhausted_ && left() > 0 && open_ < room && !over()) {
      const std::size_t wanted = turns_ == Turns::free ? chunk : room - open_;
      std::vector<ConfigurationId> ids;
      timed([&] {
        ids = strategy_.ask(static_cast<std::size_t>(std::min<std::uint64_t>(left(), wanted)));
      });
      if (ids.empty()) {
        exhausted_ = open_ == 0; // else an answer may lead to more
        break;
      }
      result_.asked += ids.size();
      open_ += ids.size();
      answerer_.begin(ids);
      if (turns_ == Turns::batch)
        break; // a strategy may want answers before it fills the batch
    }
    if (!exhausted_ && left() > 0)
      expect();
  }

  /// What will probably be asked, as far as that would keep somebody busy.
  void expect() {
    if (turns_ == Turns::free)
      return;
    const std::size_t ahead =
        turns_ == Turns::batch ? room() * ahead_factor : answerer_.ahead(open_);
    if (ahead > 0)
      answerer_.expect(strategy_.likely(ahead));
  }

  template <typename Action>
  void timed(const Action& action) {
    const auto begun = std::chrono::steady_clock::now();
    action();
    result_.search_ms +=
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count();
  }

  Strategy& strategy_;
  Answerer& answerer_;
  const AskTellLimits& limits_;
  const Clock& clock_;
  std::stop_token stop_;
  Turns turns_;
  double start_s_;
  std::size_t open_ = 0; ///< asked and not told
  bool enough_ = false;  ///< nothing is asked, as long as the rule says so
  bool exhausted_ = false;
  AskTellResult result_;
};

} // namespace

AskTellResult ask_and_tell(Strategy& strategy, Answerer& answerer, const AskTellLimits& limits,
                           const Clock& clock, std::stop_token stop) {
  return AskTell(strategy, answerer, limits, clock, std::move(stop)).run();
}

} // namespace gridsmith
