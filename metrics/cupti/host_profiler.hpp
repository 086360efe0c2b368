// SPDX-License-Identifier: Apache-2.0
// CUPTI's host half: a set of counters planned for a chip, and evaluated. Needs no GPU and no driver.
// With CUPTI's headers, so for this folder's sources alone; see counter_plan.hpp.
#pragma once

#include <cupti_profiler_host.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gridsmith {

using Bytes = std::vector<std::uint8_t>;

/// CUPTI's host object for one chip.
class HostProfiler {
public:
  /// @param availability which counters a device offers; empty: all of its chip
  /// @throws CuptiError for an unknown chip
  explicit HostProfiler(const std::string& chip, const Bytes& availability = {});
  HostProfiler(HostProfiler&& other) noexcept;
  HostProfiler& operator=(HostProfiler&& other) noexcept;
  ~HostProfiler();

  /// One call for all: CUPTI schedules call by call, and each later call costs further passes.
  CUptiResult add(const std::vector<std::string>& metrics);
  Bytes config_image() const;
  /// @param values of these names in this range of the data; as many as names
  void evaluate(const Bytes& counter_data, std::size_t range, std::vector<const char*>& names,
                std::vector<double>& values) const;

private:
  CUpti_Profiler_Host_Object* object_ = nullptr;
};

/// A set scheduled for a chip.
struct CounterPlan {
  HostProfiler host;
  std::vector<std::string> metrics;
  Bytes config;
  std::size_t passes;
};

/// With as few passes as a few orders of the names give.
/// @throws CuptiError naming the first metric that the chip, or the device, does not have
CounterPlan plan_counters(const std::string& chip, const Bytes& availability,
                          const std::vector<std::string>& metrics);

/// Those that CUPTI does not accept, one by one.
std::vector<std::string> rejected_on(const std::string& chip, const Bytes& availability,
                                     const std::vector<std::string>& metrics);

} // namespace gridsmith
