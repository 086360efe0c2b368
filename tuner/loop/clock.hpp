// SPDX-License-Identifier: Apache-2.0
// Time as the loop sees it: of the day when it tunes, recorded when it is simulated.
#pragma once

#include <chrono>

namespace gridsmith {

class Clock {
public:
  virtual ~Clock() = default;
  virtual double now_s() const = 0; ///< seconds since some fixed moment

protected:
  Clock() = default;
  Clock(const Clock&) = default;
  Clock& operator=(const Clock&) = default;
};

class SteadyClock final : public Clock {
public:
  double now_s() const override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
};

/// Stands still until it is moved on.
class VirtualClock final : public Clock {
public:
  double now_s() const override { return now_s_; }

  void advance(double seconds) { move_to(now_s_ + seconds); }

  void move_to(double seconds) { now_s_ = seconds; }

private:
  double now_s_ = 0;
};

} // namespace gridsmith
