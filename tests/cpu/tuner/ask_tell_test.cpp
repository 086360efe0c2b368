// SPDX-License-Identifier: Apache-2.0
// The loop alone: what it asks, when it tells, when it ends.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/loop/ask_tell.hpp"
#include "gridsmith/tuner/loop/compile_patience.hpp"
#include "gridsmith/tuner/loop/pace.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

namespace ask_tell_test {

using namespace gridsmith;

namespace {

/// Asks 0, 1, 2, … and writes down what it is told.
class Counting final : public Strategy {
public:
  Counting(std::uint64_t size, std::size_t batch) : size_(size), batch_(batch) {}

  std::vector<ConfigurationId> ask(std::size_t count) override {
    most = std::max(most, count);
    std::vector<ConfigurationId> ids;
    while (ids.size() < count && next_ < size_)
      ids.push_back(next_++);
    return ids;
  }

  void tell(std::span<const Observation> observations) override {
    groups.push_back(observations.size());
    for (const Observation& one : observations)
      told.push_back(one.id);
  }

  void withdraw(ConfigurationId) override {}

  std::size_t batch() const override { return batch_; }

  std::size_t most = 0;
  std::vector<std::size_t> groups;
  std::vector<ConfigurationId> told;

private:
  std::uint64_t size_, next_ = 0;
  std::size_t batch_;
};

/// Answers the youngest question first, but for question 0, which takes longest.
class Overtaking final : public Answerer {
public:
  std::size_t depth() const override { return 20; }

  std::size_t useful() const override { return useful_now; }

  void begin(std::span<const ConfigurationId> ids) override {
    open.insert(open.end(), ids.begin(), ids.end());
    deepest = std::max(deepest, open.size());
  }

  void expect(std::span<const ConfigurationId>) override { ++guessed; }

  std::span<const Observation> take(std::size_t least, Order order, const GiveUp&) override {
    CHECK(least == 1);
    CHECK(order == Order::arrival);
    answer_ = {.id = open.back(), .cost = 1};
    open.pop_back();
    return {&answer_, 1};
  }

  std::size_t put_off() const override { return slow; }

  std::size_t given_up() const override { return lost; }

  std::size_t useful_now = 5, deepest = 0, guessed = 0, slow = 0, lost = 0;
  std::vector<ConfigurationId> open;

private:
  Observation answer_;
};

/// Answers the oldest question only, a recorded second each.
class Slow final : public Answerer {
public:
  std::size_t depth() const override { return 20; }

  void begin(std::span<const ConfigurationId> ids) override {
    open.insert(open.end(), ids.begin(), ids.end());
    deepest = std::max(deepest, open.size());
  }

  std::span<const Observation> take(std::size_t least, Order, const GiveUp& give_up) override {
    answers_.clear();
    while (answers_.size() < least && !give_up()) {
      clock.advance(1);
      answers_.push_back({.id = open.front(), .cost = 1});
      open.pop_front();
    }
    return answers_;
  }

  std::deque<ConfigurationId> open;
  std::size_t deepest = 0;
  VirtualClock clock;

private:
  std::vector<Observation> answers_;
};

} // namespace

TEST_CASE("a batch is told whole, and no batch is larger than what is left") {
  Counting strategy(100, 8);
  Slow answers;
  const auto result =
      ask_and_tell(strategy, answers, {.evaluations = 20, .repeatable = true}, answers.clock);
  CHECK(result.ended == Ended::finished);
  CHECK(result.asked == 20);
  CHECK(result.told == 20);
  CHECK(strategy.groups == std::vector<std::size_t>{8, 8, 4});
  CHECK(answers.deepest == 8);
}

TEST_CASE("a strategy that needs no answer has many questions open and is told as answers come") {
  Counting strategy(100, unlimited_batch);
  Slow answers;
  const auto result = ask_and_tell(strategy, answers, {.evaluations = 100}, answers.clock);
  CHECK(result.told == 100);
  CHECK(answers.deepest >= answers.depth());
  CHECK(std::is_sorted(strategy.told.begin(), strategy.told.end()));
  CHECK(strategy.groups == std::vector<std::size_t>(100, 1));
}

TEST_CASE("a slow answer holds nobody: each is told when it is there, and another is asked") {
  Counting strategy(100, 8);
  Overtaking answers;
  const auto result = ask_and_tell(strategy, answers, {.evaluations = 30}, VirtualClock());
  CHECK(result.told == 30);
  CHECK(answers.deepest == 5); // useful, though the strategy takes 8
  CHECK(strategy.groups == std::vector<std::size_t>(30, 1));
  CHECK(strategy.told.front() == 4);
  CHECK(strategy.told.back() == 0); // asked first, known last
  CHECK(answers.guessed == 0);      // nobody would be idle
}

TEST_CASE("another is asked beside what is put off, and what is given up is no evaluation") {
  Counting strategy(100, 8);
  Overtaking answers; // question 0 comes last
  answers.slow = 1;
  auto result = ask_and_tell(strategy, answers, {.evaluations = 30}, VirtualClock());
  CHECK(result.ended == Ended::finished);
  CHECK(result.asked == 30);
  CHECK(result.told == 30);
  CHECK(strategy.told.back() == 0); // one of the thirty, and waited for in the end
  CHECK(answers.deepest == 6);
  Counting again(100, 8);
  Overtaking losing;
  losing.lost = 3;
  result = ask_and_tell(again, losing, {.evaluations = 30}, VirtualClock());
  CHECK(result.told == 33);
}

TEST_CASE("what compiles unusually long is told by what others took, of few with more patience") {
  CompilePatience adapting({}), fixed({.adapts = false, .seconds = 5}), none({.adapts = false});
  CHECK(std::isinf(adapting.put_off_after_s(false)));
  adapting.learn(0); // from a cache
  CHECK(std::isinf(adapting.put_off_after_s(false)));
  adapting.learn(1000);
  CHECK(adapting.put_off_after_s(false) == Approx(24));
  for (int i = 0; i < 7; ++i)
    adapting.learn(i == 3 ? 60'000 : 1000);
  CHECK(adapting.put_off_after_s(false) == Approx(3));
  CHECK(adapting.put_off_after_s(true) == Approx(2));
  CHECK(std::isinf(adapting.give_up_after_s()));
  CHECK(fixed.give_up_after_s() == 5);
  CHECK(std::isinf(fixed.put_off_after_s(true)));
  CHECK(std::isinf(none.give_up_after_s()));
  CompilePatience quick({});
  for (int i = 0; i < 20; ++i)
    quick.learn(30);
  CHECK(quick.put_off_after_s(false) == 1); // shorter is not worth a word
  CHECK(quick.put_off_after_s(true) == 0.5);
}

TEST_CASE(
    "in the end compilations are waited for as long again, or as others have taken, not for ever") {
  CHECK(CompilePatience::wait_in_the_end_s(3, 60, 2) == 3);            // as all of the search
  CHECK(CompilePatience::wait_in_the_end_s(300, 600, 2) == 10);        // but no longer than that
  CHECK(CompilePatience::wait_in_the_end_s(300, 60, 4) == Approx(60)); // 4 take 20 s, three times
  CHECK(CompilePatience::wait_in_the_end_s(0.1, 60, 1) == 0.5);
  CompilePatience some({});
  CHECK(some.is_unusual(0.1)); // nothing was compiled: all came from a cache
  some.learn(1000);
  CHECK_FALSE(some.is_unusual(3));
  CHECK(some.is_unusual(3.1));
}

TEST_CASE("no more questions are open than the strategy takes, and the rest is guessed") {
  Counting strategy(100, 8);
  Overtaking answers;
  answers.useful_now = 12;
  ask_and_tell(strategy, answers, {.evaluations = 30}, VirtualClock());
  CHECK(answers.deepest == 8);
  CHECK(answers.guessed > 0);
}

TEST_CASE("a smaller batch than the strategy's can be asked for") {
  Counting strategy(10, 8);
  Slow answers;
  ask_and_tell(strategy, answers, {.evaluations = 10, .repeatable = true, .most_open = 3},
               answers.clock);
  CHECK(strategy.groups == std::vector<std::size_t>{3, 3, 3, 1});
}

TEST_CASE("fewer questions than are worth having open can be asked for") {
  Counting strategy(100, unlimited_batch);
  Slow answers;
  ask_and_tell(strategy, answers, {.evaluations = 100, .most_open = 2}, answers.clock);
  CHECK(answers.deepest < answers.depth()); // they are asked by the dozen
}

TEST_CASE("compilers and the GPU are kept at work, whichever is scarce") {
  Pace unknown, slow_compilers, slow_gpu;
  CHECK(unknown.useful(16) == 16);
  for (int i = 0; i < 10; ++i) {
    slow_compilers.learn({.compile_ms = 10'000, .time_ms = 10});
    slow_gpu.learn({.compile_ms = 100, .verify_ms = 20, .time_ms = 50, .count_ms = 30});
  }
  CHECK(slow_compilers.useful(16) == 17); // all, and seldom one at the GPU
  CHECK(slow_gpu.useful(16) == 6);        // two that are compiled meanwhile, and four at the GPU
  CHECK(Pace::depth(16) > 64);
}

TEST_CASE("the space ends the loop, whatever the budget") {
  Counting strategy(5, 8);
  Slow answers;
  const auto result = ask_and_tell(strategy, answers, {.evaluations = 1000}, answers.clock);
  CHECK(result.ended == Ended::finished);
  CHECK(result.told == 5);
}

TEST_CASE("time is the clock's: recorded seconds count like real ones") {
  Counting strategy(1000, 4);
  Slow answers;
  const auto result = ask_and_tell(
      strategy, answers, {.evaluations = 1000, .seconds = 10.5, .repeatable = true}, answers.clock);
  CHECK(result.ended == Ended::out_of_time);
  CHECK(result.told == 8); // the third batch was cut off
  CHECK(answers.clock.now_s() == 11);
}

TEST_CASE("a stop is heard before the next question") {
  Counting strategy(10, 4);
  Slow answers;
  std::stop_source stop;
  stop.request_stop();
  const auto result =
      ask_and_tell(strategy, answers, {.evaluations = 10}, answers.clock, stop.get_token());
  CHECK(result.ended == Ended::stopped);
  CHECK(result.asked == 0);
}

TEST_CASE("a search without a budget ends when going on is not likely to pay") {
  std::vector<Value> values;
  for (std::int64_t i = 0; i < 60; ++i)
    values.emplace_back(i);
  const SearchSpace space = SearchSpace::build({{"x", values}, {"y", values}});
  Counting strategy(space.size(), 4);
  Slow answers; // every one the same
  StopRule rule(space);
  const auto result =
      ask_and_tell(strategy, answers, {.evaluations = space.size(), .rule = &rule}, answers.clock);
  CHECK(result.ended == Ended::unlikely);
  CHECK(result.told >= StopRule::least);
  CHECK(result.told < 500);
  CHECK(rule.chance().value_or(1) < StopRule::unlikely);
  // A space that is soon through is finished, and so is one that nobody learns from.
  const SearchSpace small = SearchSpace::build({{"x", {values.begin(), values.begin() + 50}}});
  Counting to_the_end(small.size(), 4), deaf(space.size(), unlimited_batch);
  StopRule of_small(small), of_deaf(space);
  CHECK(ask_and_tell(to_the_end, answers, {.evaluations = small.size(), .rule = &of_small},
                     answers.clock)
            .told == small.size());
  CHECK(ask_and_tell(deaf, answers, {.evaluations = space.size(), .rule = &of_deaf}, answers.clock)
            .told == space.size());
}

TEST_CASE("a rising search is not ended, and one in which nothing ran says nothing") {
  std::vector<Value> values;
  for (std::int64_t i = 0; i < 1000; ++i)
    values.emplace_back(i);
  const SearchSpace space = SearchSpace::build({{"x", values}});
  StopRule better(space), failing(space);
  for (ConfigurationId id = 0; id < 200; ++id) {
    const Observation gain{.id = id, .cost = 100 * std::pow(0.98, static_cast<double>(id))};
    const Observation failure{.id = id};
    better.hear({&gain, 1}, Hope{0.05, 0.6});
    failing.hear({&failure, 1}, std::nullopt);
    CHECK_FALSE(better.over());
    CHECK_FALSE(failing.over());
  }
  CHECK_FALSE(failing.chance());
}

} // namespace ask_tell_test
