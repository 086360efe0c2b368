// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/worker/steps/inbox.hpp"

#include <iterator>
#include <thread>
#include <utility>

namespace gridsmith {

Inbox::Inbox(int descriptor) : shared_(std::make_shared<Shared>()) {
  std::thread([shared = shared_, descriptor] { shared->receive(descriptor); }).detach();
}

Inbox::~Inbox() = default;

void Inbox::Shared::receive(int descriptor) {
  std::optional<std::string> why;
  try {
    while (auto message = read_message(descriptor)) {
      const std::lock_guard lock(mutex);
      if (const auto* told = std::get_if<BestSoFar>(&*message)) {
        best[told->work].offer(told->best_ms);
        continue;
      }
      messages.push_back(std::move(*message));
      news.notify_one();
    }
  } catch (const std::exception& error) {
    why = error.what();
  }
  const std::lock_guard lock(mutex);
  ended = true;
  broken = std::move(why);
  news.notify_one();
}

bool Inbox::quiet_for(std::chrono::milliseconds limit) {
  std::unique_lock lock(shared_->mutex);
  return !shared_->news.wait_for(lock, limit,
                                 [&] { return !shared_->messages.empty() || shared_->ended; });
}

std::optional<Message> Inbox::next() {
  std::unique_lock lock(shared_->mutex);
  shared_->news.wait(lock, [&] { return !shared_->messages.empty() || shared_->ended; });
  if (shared_->messages.empty()) {
    if (shared_->broken)
      throw ProtocolError(*shared_->broken);
    return std::nullopt;
  }
  Message message = std::move(shared_->messages.front());
  shared_->messages.pop_front();
  return message;
}

BestTime& Inbox::best(std::uint64_t work) {
  const std::lock_guard lock(shared_->mutex);
  return shared_->best[work];
}

void Inbox::add_waiting(EvaluateBatch& batch, std::size_t most) {
  const std::lock_guard lock(shared_->mutex);
  while (!shared_->messages.empty()) {
    auto* more = std::get_if<EvaluateBatch>(&shared_->messages.front());
    if (!more || more->mode != Mode::race || more->work != batch.work ||
        more->count != batch.count || more->time != batch.time ||
        batch.jobs.size() + more->jobs.size() > most)
      return;
    shared_->best[batch.work].offer(more->best_ms);
    batch.jobs.insert(batch.jobs.end(), std::move_iterator(more->jobs.begin()),
                      std::move_iterator(more->jobs.end()));
    shared_->messages.pop_front();
  }
}

} // namespace gridsmith
