#include "gridsmith/tuner/worker/inbox.hpp"

#include <thread>
#include <utility>

namespace gridsmith {

Inbox::Inbox(int descriptor) : shared_(std::make_shared<Shared>()) {
  std::thread([shared = shared_, descriptor] { shared->receive(descriptor); }).detach();
}

Inbox::~Inbox() = default;

void Inbox::Shared::hear_best(double told_ms) {
  double known_ms = best_ms.load();
  while (told_ms > 0 && (known_ms <= 0 || told_ms < known_ms) &&
         !best_ms.compare_exchange_weak(known_ms, told_ms)) {
  }
}

void Inbox::Shared::receive(int descriptor) {
  std::string why;
  try {
    while (auto message = read_message(descriptor)) {
      if (const auto* best = std::get_if<BestSoFar>(&*message)) {
        hear_best(best->best_ms);
        continue;
      }
      const std::lock_guard lock(mutex);
      messages.push_back(std::move(*message));
      news.notify_one();
    }
  } catch (const std::exception& error) {
    why = error.what();
  }
  const std::lock_guard lock(mutex);
  ended = true;
  broken = why;
  news.notify_one();
}

std::optional<Message> Inbox::next() {
  std::unique_lock lock(shared_->mutex);
  shared_->news.wait(lock, [&] { return !shared_->messages.empty() || shared_->ended; });
  if (shared_->messages.empty()) {
    if (!shared_->broken.empty())
      throw ProtocolError(shared_->broken);
    return std::nullopt;
  }
  Message message = std::move(shared_->messages.front());
  shared_->messages.pop_front();
  return message;
}

std::optional<EvaluateJob> Inbox::next_evaluation() {
  const std::lock_guard lock(shared_->mutex);
  if (shared_->messages.empty())
    return std::nullopt;
  auto* job = std::get_if<EvaluateJob>(&shared_->messages.front());
  if (!job)
    return std::nullopt;
  std::optional<EvaluateJob> taken(std::move(*job));
  shared_->messages.pop_front();
  return taken;
}

} // namespace gridsmith
