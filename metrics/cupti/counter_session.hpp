// SPDX-License-Identifier: Apache-2.0
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

/// What is asked of a device once, however many sessions follow: its chip, which counters it offers, and
/// how sets of them are scheduled. Planning the full set takes a third of a second of a host core, so
/// it is done by a thread of its own.
class CounterDevice {
public:
  /// @pre its context is current, and no session lives
  /// @throws CuptiError (not permitted, not supported, another profiler attached, …)
  explicit CounterDevice(int ordinal);
  ~CounterDevice(); ///< waits for what is being planned
  CounterDevice(const CounterDevice&) = delete;
  CounterDevice& operator=(const CounterDevice&) = delete;

  const std::string& chip() const;

  /// Begins to plan a set for sessions to come. That a metric cannot be counted is theirs to say.
  void plan(const std::vector<std::string>& metrics);

private:
  friend class CounterSession;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// One enabled range profiler for the current context and one fixed set of metrics. What it costs
/// on an H200: the first collect() 0.3 s, with another set after it 0.2 s; each later one 46 ms, and 1.0 ms
/// for every kernel and pass: give it many launches at a time. Between
/// sessions, and inside one between kernels, copies and memsets run as fast as without it. Lives and
/// dies with its context current in the thread that made it; one at a time. Kernels that wait for one
/// another hang: each is waited for before the next is started.
class CounterSession final : public CounterSource {
public:
  /// @param kernels_each most kernels for each launch of a collect(), prepared ones included
  /// @throws CuptiError for a metric that cannot be counted
  CounterSession(std::shared_ptr<CounterDevice> device, const std::vector<std::string>& metrics,
                 std::size_t kernels_each = 2);
  /// @param ordinal of the current context's device. @throws as CounterDevice too
  CounterSession(int ordinal, const std::vector<std::string>& metrics,
                 std::size_t kernels_each = 2);
  ~CounterSession() override; ///< disables; never throws
  CounterSession(CounterSession&&) noexcept;
  CounterSession& operator=(CounterSession&&) noexcept;

  /// The device's chip name as CUPTI says it.
  const std::string& chip() const;
  std::size_t passes() const override;
  bool patches_code() const override;

  std::vector<CounterValues> collect(std::size_t launches, const Action& prepare,
                                     const Action& body) override;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace gridsmith
