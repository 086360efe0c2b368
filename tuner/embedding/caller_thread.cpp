// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/embedding/caller_thread.hpp"

#include <exception>
#include <thread>

namespace gridsmith {

void CallerThread::run(const std::function<void()>& work) {
  std::exception_ptr failed;
  over_ = false;
  std::jthread thread([&] {
    try {
      work();
    } catch (...) {
      failed = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_all();
  });
  std::unique_lock lock(mutex_);
  auto next = std::chrono::steady_clock::now();
  while (!over_) {
    if (const auto* callback = wanted_) {
      lock.unlock();
      (*callback)();
      lock.lock();
      wanted_ = nullptr;
      changed_.notify_all();
    }
    if (std::chrono::steady_clock::now() >= next) { // also where calls follow one another
      lock.unlock();
      idle_();
      lock.lock();
      next = std::chrono::steady_clock::now() + wait_;
    }
    changed_.wait_until(lock, next, [&] { return over_ || wanted_; });
  }
  lock.unlock();
  thread.join();
  if (failed)
    std::rethrow_exception(failed);
}

void CallerThread::call(const std::function<void()>& callback) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !wanted_; });
  wanted_ = &callback;
  changed_.notify_all();
  changed_.wait(lock, [&] { return wanted_ != &callback; });
}

} // namespace gridsmith
