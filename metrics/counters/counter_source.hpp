// SPDX-License-Identifier: Apache-2.0
// Counting as its users see it, so that what they do with it is tested without a device.
#pragma once

#include "gridsmith/base/error.hpp"
#include "gridsmith/metrics/catalogue/counters.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace gridsmith {

/// CUPTI refused; the message says what, why, and the remedy where there is one.
class CuptiError : public Error {
public:
  CuptiError(int code, const std::string& message) : Error(message), code_(code) {}

  int code() const { return code_; }

private:
  int code_;
};

/// One launch to be counted: not all counters can be read at once, so every launch is repeated in
/// each pass.
struct CountedLaunch {
  std::size_t pass = 0, number = 0;
};

class CounterSource {
public:
  /// Launches kernels and waits for them; how many it launched. (Copies and memsets are none.)
  using Action = std::function<std::size_t(const CountedLaunch&)>;

  virtual ~CounterSource() = default;

  virtual std::size_t passes() const = 0;

  /// Whether it changes the code of kernels to count them. Those have to stay loaded until it ends: CUPTI keeps what it
  /// changed, and a later launch of another kernel crashes in it (CUDA 13.0 on an H100, 3 of 8 runs).
  virtual bool patches_code() const { return false; }

  /// Pass after pass, launch after launch: `prepare`, whose kernels are counted and forgotten, then
  /// `body`, which launches one kernel, or none. The values of each launch 0 … launches-1, in
  /// order, by metric name; none where the body launched none. Each kernel is counted by itself, so
  /// that durations and rates are its own. What the actions throw ends the session cleanly and goes
  /// on. @throws CuptiError
  virtual std::vector<CounterValues> collect(std::size_t launches, const Action& prepare,
                                             const Action& body) = 0;

protected:
  CounterSource() = default;
  CounterSource(const CounterSource&) = default;
  CounterSource& operator=(const CounterSource&) = default;
};

} // namespace gridsmith
