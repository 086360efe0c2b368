// Counting on the GPU with CUPTI's range profiler: automatic ranges, one for every kernel, and user
// replay. Needs a current CUDA context. No header of CUPTI leaks out of this folder.
#pragma once

#include "gridsmith/metrics/counters/counter_source.hpp"

#include <memory>
#include <string>
#include <vector>

namespace gridsmith {

/// CUPTI's name of the chip ("GH100"), by which counter sets choose their names.
/// @throws CuptiError as CounterSession does; a context need not be current.
std::string chip_name(int device_ordinal);

/// One enabled range profiler for the current context and one fixed set of metrics. What it costs
/// on an H200 with the default set: constructing 0.2 s, the first collect() another 0.25 s, each
/// later one 46 ms and 1.0 ms for every kernel and pass: give it many launches at a time. Between
/// sessions, and inside one between kernels, copies and memsets run as fast as without it. Lives and
/// dies with its context current in the thread that made it. Kernels that wait for one another
/// hang: each is waited for before the next is started.
class CounterSession final : public CounterSource {
public:
  /// @param device_ordinal CUDA ordinal of the current context's device.
  /// @param max_kernels most kernels that one pass of a collect() launches, prepared ones included.
  /// @throws CuptiError (not permitted, not supported, another profiler attached, …).
  CounterSession(int device_ordinal, const std::vector<std::string>& metrics,
                 std::size_t max_kernels = 128);
  ~CounterSession() override; ///< disables; never throws
  CounterSession(CounterSession&&) noexcept;
  CounterSession& operator=(CounterSession&&) noexcept;

  /// The device's chip name as CUPTI says it.
  const std::string& chip() const;
  std::size_t passes() const override;

  std::vector<CounterValues> collect(std::size_t launches, const Action& prepare,
                                     const Action& body) override;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace gridsmith
