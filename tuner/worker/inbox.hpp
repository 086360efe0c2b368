// Messages from the tuner, read by a thread of their own: so the tuner never waits for a worker
// that measures, what has come can be taken in one go, and a better best is heard at once.
#pragma once

#include "gridsmith/tuner/protocol/messages.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace gridsmith {

class Inbox {
public:
  explicit Inbox(int descriptor);
  /// The thread ends with the stream or the process: it may be waiting for the tuner's next word.
  ~Inbox();
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  /// The next message; waits for it. Nothing at the end of the stream.
  /// @throws ProtocolError when the stream was broken.
  std::optional<Message> next();

  /// The next message if it has come and is an evaluation.
  std::optional<EvaluateJob> next_evaluation();

  /// Lowest best that was ever told; 0: none.
  double best_ms() const { return shared_->best_ms.load(); }

  /// The worker's own news of a better best.
  void hear_best(double best_ms) { shared_->hear_best(best_ms); }

private:
  /// Outlives the inbox when the thread is still waiting for the stream.
  struct Shared {
    std::mutex mutex;
    std::condition_variable news;
    std::deque<Message> messages;
    bool ended = false;
    std::string broken; ///< why the stream could not be read further
    std::atomic<double> best_ms = 0;

    void hear_best(double told_ms);
    void receive(int descriptor);
  };

  std::shared_ptr<Shared> shared_;
};

} // namespace gridsmith
