// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/worker/steps/inbox.hpp"

#include <unistd.h>

#include <array>
#include <chrono>
#include <thread>

namespace inbox_test {

using namespace gridsmith;

namespace {

/// What the tuner says, and nothing after it.
class Tuner {
public:
  explicit Tuner(const std::vector<Message>& messages) {
    REQUIRE(::pipe(ends_.data()) == 0);
    for (const Message& message : messages)
      write_message(ends_[1], message);
    ::close(ends_[1]);
  }

  ~Tuner() { ::close(ends_[0]); }

  int output() const { return ends_[0]; }

private:
  std::array<int, 2> ends_{};
};

EvaluateBatch batch_of(std::uint64_t first, std::size_t jobs, Mode mode = Mode::race) {
  EvaluateBatch batch;
  batch.mode = mode;
  for (std::size_t i = 0; i < jobs; ++i)
    batch.jobs.push_back({.id = first + i, .label = "", .launchable = {}});
  return batch;
}

EvaluateBatch next_batch(Inbox& inbox) {
  auto message = inbox.next();
  REQUIRE(message);
  return std::get<EvaluateBatch>(*message);
}

/// Told last, so that everything before it has been read once it is heard.
constexpr double last_word_ms = 1.75;

void wait_for_last_word(Inbox& inbox) {
  while (inbox.best(0).ms() != last_word_ms)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

} // namespace

TEST_CASE("races that wait are taken together, up to the most and in order") {
  const Tuner tuner(
      {batch_of(1, 2), batch_of(3, 1), batch_of(4, 3), batch_of(7, 2), BestSoFar{0, last_word_ms}});
  Inbox inbox(tuner.output());
  EvaluateBatch batch = next_batch(inbox);
  wait_for_last_word(inbox);
  inbox.add_waiting(batch, 6);
  REQUIRE(batch.jobs.size() == 6);
  for (std::size_t i = 0; i < 6; ++i)
    CHECK(batch.jobs[i].id == i + 1);
  CHECK(next_batch(inbox).jobs.front().id == 7);
  CHECK_FALSE(inbox.next());
}

TEST_CASE("a batch of another mode is taken by itself, and nothing overtakes it") {
  const Tuner tuner(
      {batch_of(1, 1), batch_of(2, 1, Mode::final), batch_of(3, 1), BestSoFar{0, last_word_ms}});
  Inbox inbox(tuner.output());
  EvaluateBatch batch = next_batch(inbox);
  wait_for_last_word(inbox);
  inbox.add_waiting(batch, 64);
  CHECK(batch.jobs.size() == 1);
  CHECK(next_batch(inbox).mode == Mode::final);
  CHECK(next_batch(inbox).jobs.front().id == 3);
}

TEST_CASE("the best is heard at once and with every batch, and only ever falls") {
  EvaluateBatch with_best = batch_of(2, 1);
  with_best.best_ms = 1.5;
  const Tuner tuner({BestSoFar{0, 3}, BestSoFar{0, 2}, batch_of(1, 1), with_best,
                     BestSoFar{0, last_word_ms}, BestSoFar{0, 4}});
  Inbox inbox(tuner.output());
  EvaluateBatch batch = next_batch(inbox);
  wait_for_last_word(inbox);
  inbox.add_waiting(batch, 64);
  CHECK(inbox.best(0).ms() == 1.5);
  CHECK_FALSE(inbox.next());
  CHECK(inbox.best(0).ms() == 1.5);
}

TEST_CASE("each work has its own best, and its races wait for no other's") {
  EvaluateBatch other = batch_of(2, 1);
  other.work = 1;
  const Tuner tuner({batch_of(1, 1), other, BestSoFar{1, 0.5}, BestSoFar{0, last_word_ms}});
  Inbox inbox(tuner.output());
  EvaluateBatch batch = next_batch(inbox);
  wait_for_last_word(inbox);
  inbox.add_waiting(batch, 64);
  CHECK(batch.jobs.size() == 1);
  CHECK(inbox.best(1).ms() == 0.5);
  CHECK(next_batch(inbox).work == 1);
}

TEST_CASE("a broken stream is an error, an ended one is not") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  const Bytes frame = encode(BestSoFar{0, 1});
  REQUIRE(::write(ends[1], frame.data(), frame.size() - 1) ==
          static_cast<ssize_t>(frame.size() - 1));
  ::close(ends[1]);
  Inbox inbox(ends[0]);
  CHECK_THROWS_AS(inbox.next(), ProtocolError);
  const Tuner silent({});
  Inbox idle(silent.output());
  CHECK_FALSE(idle.next());
  CHECK_FALSE(idle.best(0).ms());
}

} // namespace inbox_test
