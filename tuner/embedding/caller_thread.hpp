// SPDX-License-Identifier: Apache-2.0
// Work in a thread of its own whose callbacks come in the thread that asked for it: what another
// language wants, whose interpreter belongs to one thread and has to look at its signals.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

namespace gridsmith {

class CallerThread {
public:
  /// @param wait calls `idle` at least this often
  CallerThread(std::chrono::milliseconds wait, std::function<void()> idle)
      : wait_(wait), idle_(std::move(idle)) {}

  /// Until the work is over; what it throws is thrown here. `idle` and calls must not throw.
  void run(const std::function<void()>& work);

  /// From the work: the call is over when this returns.
  void call(const std::function<void()>& callback);

private:
  const std::chrono::milliseconds wait_;
  const std::function<void()> idle_;
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* wanted_ = nullptr; ///< to be called
  bool over_ = false;
};

} // namespace gridsmith
