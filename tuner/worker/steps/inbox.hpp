// SPDX-License-Identifier: Apache-2.0
// Messages from the tuner, read by a thread of their own: so the tuner never waits for a worker
// that measures, what has come can be taken in one go, and a better best is heard at once.
#pragma once

#include "gridsmith/tuner/protocol/messages.hpp"
#include "gridsmith/tuner/worker/steps/best_time.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
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

  /// Whether nothing comes for so long.
  bool quiet_for(std::chrono::milliseconds limit);

  /// The next message; waits for it. Nothing at the end of the stream.
  /// @throws ProtocolError when the stream was broken.
  std::optional<Message> next();

  /// Adds the jobs of races of the same work that have come and wait, as whole batches, as long as
  /// there are not more than `most`. @pre the batch is a race
  void add_waiting(EvaluateBatch& batch, std::size_t most);

  /// Of one work, told by the tuner or found here; stays where it is.
  BestTime& best(std::uint64_t work);

private:
  /// Outlives the inbox when the thread is still waiting for the stream.
  struct Shared {
    std::mutex mutex;
    std::condition_variable news;
    std::deque<Message> messages;
    bool ended = false;
    std::optional<std::string> broken;      ///< why the stream could not be read further
    std::map<std::uint64_t, BestTime> best; ///< by work

    void receive(int descriptor);
  };

  std::shared_ptr<Shared> shared_;
};

} // namespace gridsmith
