// Counting as its users see it, so that what they do with it is tested without a device.
#pragma once

#include "gridsmith/base/error.hpp"
#include "gridsmith/metrics/counters/counters.hpp"

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

/// One launch to be counted: not all counters can be read at once, so every range is launched again
/// in each pass.
struct CountedLaunch {
  std::size_t pass = 0, range = 0;
};

class CounterSource {
public:
  using Action = std::function<void(const CountedLaunch&)>;

  virtual ~CounterSource() = default;

  virtual std::size_t passes() const = 0;

  /// Pass after pass, range after range: `prepare`, outside of what is counted, then `body`, which
  /// launches and waits. The values of each range 0 … ranges-1, in order, by metric name. What they
  /// throw ends the session cleanly and goes on. @throws CuptiError
  virtual std::vector<CounterValues> collect(std::size_t ranges, const Action& prepare,
                                             const Action& body) = 0;

protected:
  CounterSource() = default;
  CounterSource(const CounterSource&) = default;
  CounterSource& operator=(const CounterSource&) = default;
};

} // namespace gridsmith
