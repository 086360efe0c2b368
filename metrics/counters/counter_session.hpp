// Counting on the GPU with CUPTI's range profiler: user ranges, user replay. Needs a current CUDA
// context. No CUPTI header leaks out of counter_session.cpp.
#pragma once

#include "gridsmith/base/error.hpp"
#include "gridsmith/metrics/counters/counters.hpp"

#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
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

/// One line naming the profiler that already watches this process (environment of ncu, nsys,
/// nvprof, injection libraries), or "" when there is none. Call before touching CUPTI: it refuses a
/// second client.
std::string attached_profiler();
/// The same over entries "NAME=value".
std::string attached_profiler_in(const std::vector<std::string>& environment);

/// CUPTI's name of the chip ("GH100"), by which counter sets choose their names.
/// @throws CuptiError as CounterSession does; a context need not be current.
std::string chip_name(int device_ordinal);

/// One enabled range profiler for the current context and one fixed set of metrics. What it costs
/// on an H200 with the default set: constructing 0.2 s, the first collect() another 0.2 s, each
/// later one 45 ms and 1 ms for every range (besides the body): give it many ranges at a time.
/// Between sessions, and inside one between ranges, kernels run as fast as without it. Lives and
/// dies with its context current in the thread that made it.
class CounterSession {
public:
  /// @param device_ordinal CUDA ordinal of the current context's device.
  /// @param max_ranges most ranges one collect() may hold.
  /// @throws CuptiError (not permitted, not supported, another profiler attached, …).
  CounterSession(int device_ordinal, const std::vector<std::string>& metrics,
                 std::size_t max_ranges = 64);
  ~CounterSession(); ///< disables; never throws
  CounterSession(CounterSession&&) noexcept;
  CounterSession& operator=(CounterSession&&) noexcept;

  /// The device's chip name as CUPTI says it.
  const std::string& chip() const;
  std::size_t passes() const;
  std::size_t max_ranges() const;

  /// One session: calls `body(range)` for every range 0 … ranges-1, once per pass, inside Push/Pop
  /// of that range; the body launches and waits, and does its own preparation through
  /// `prepare(range)`, which is called before Push. Returns the values of each range, in order, by
  /// metric name. A body that throws ends the session cleanly (Stop, no values) and the exception
  /// goes on.
  std::vector<CounterValues> collect(std::size_t ranges,
                                     const std::function<void(std::size_t)>& prepare,
                                     const std::function<void(std::size_t)>& body);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace gridsmith
