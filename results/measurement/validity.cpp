// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/measurement/validity.hpp"

#include "gridsmith/base/expression/expression.hpp"
#include "gridsmith/base/json_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace gridsmith {
namespace {

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
constexpr std::array<double, 3> widest_grid = {2147483647, 65535, 65535};
constexpr std::array<double, 3> widest_block = {1024, 1024, 64};
constexpr std::int64_t most_threads = 1024;
constexpr double most_shared_bytes = 16 << 20; // 227 KiB is the most so far
constexpr double most_cluster_blocks = 64;     // 16 is the most so far

/// Goes through the fields of a value and keeps the first thing that is wrong.
class Walk {
public:
  const std::string& objection() const { return objection_; }

  void expect(bool right, const std::string& name, const std::string& what, double found) {
    if (!right && objection_.empty())
      objection_ = fmt::format("{}: expected {}, found {}", name, what, found);
  }

  void within(const std::string& name, double value, double least, double most) {
    expect(value >= least && value <= most, name, fmt::format("{} to {}", least, most), value);
  }

  template <typename T>
  void field(const std::string& name, const T& member) {
    if constexpr (std::is_same_v<T, Configuration>)
      values(member);
    else if constexpr (std::is_same_v<T, CounterValues>)
      counters(member);
    else if constexpr (std::is_same_v<T, Geometry>)
      return; // depends on the status
    else if constexpr (std::is_arithmetic_v<T>)
      number(name, static_cast<double>(member));
    else if constexpr (fields::is_optional<T>)
      member ? field(name, *member) : void();
    else if constexpr (fields::is_vector<T>)
      std::for_each(member.begin(), member.end(), [&](const auto& one) { field(name, one); });
    else if constexpr (Fielded<const T>)
      for_fields(member, [&](const char* part, const auto& held) {
        field(name.empty() ? part : name + "." + part, held);
      });
  }

  void times(const Measurement& row) {
    for (const double time : row.times_ms)
      expect(time > 0, "times_ms", "a time above 0", time);
    if (row.reported_ms)
      expect(*row.reported_ms > 0, "reported_ms", "a time above 0", *row.reported_ms);
  }

  void geometry(const Geometry& shape, bool ran) {
    constexpr double most = 2147483647;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::string letter(1, "xyz"[axis]);
      within("geometry.grid." + letter, static_cast<double>(shape.grid[axis]), ran ? 1 : 0,
             ran ? widest_grid[axis] : most);
      within("geometry.block." + letter, shape.block[axis], ran ? 1 : 0,
             ran ? widest_block[axis] : most);
    }
    within("geometry.dynamic_shared_bytes", static_cast<double>(shape.dynamic_shared_bytes), 0,
           ran ? most_shared_bytes : most);
    for (const int blocks : shape.cluster)
      within("geometry.cluster", blocks, 1, most_cluster_blocks);
    within("geometry.shared_carveout_percent", shape.shared_carveout_percent.value_or(0), 0, 100);
    if (ran && objection_.empty())
      within("geometry.block", static_cast<double>(shape.threads_per_block()), 1, most_threads);
  }

private:
  void number(const std::string& name, double value) {
    expect(std::isfinite(value) && value >= 0, name, "a number from 0 on", value);
  }

  void values(const Configuration& configuration) {
    for (const auto& [name, value] : configuration)
      if (const auto* real = std::get_if<double>(&value))
        expect(std::isfinite(*real), name, "a finite value", *real);
  }

  void counters(const CounterValues& values) {
    for (const auto& [name, value] : values)
      expect(std::isfinite(value), name, "a finite value", value);
  }

  std::string objection_;
};

struct FactLimit {
  std::string_view name;
  double least, most;
};

constexpr double usual_most = 2147483647; // counts, bytes of an SM, clocks in kHz
constexpr std::array<FactLimit, 6> fact_limits = {{{"compute_capability", 0, 999},
                                                   {"warp_size", 1, 1024},
                                                   {"l2_bytes", 0, 1e15},
                                                   {"memory_bytes", 0, 1e15},
                                                   {"peak_dram_gb_per_s", 0, 1e9},
                                                   {"peak_fp32_gflop_per_s", 0, 1e12}}};

} // namespace

std::string objection_to(const Measurement& measurement) {
  Walk walk;
  walk.field("", measurement);
  walk.times(measurement);
  walk.geometry(measurement.geometry, measurement.correct());
  return walk.objection();
}

std::string objection_to(const Device& device) {
  Walk walk;
  for (const auto& fact : device_facts(device)) {
    const auto limit = std::find_if(fact_limits.begin(), fact_limits.end(),
                                    [&](const FactLimit& one) { return one.name == fact.first; });
    const bool usual = limit == fact_limits.end();
    walk.within(fact.first, fact.second, usual ? 0 : limit->least,
                usual ? usual_most : limit->most);
  }
  walk.within("ordinal", device.ordinal, 0, usual_most);
  return walk.objection();
}

std::string objection_to(const Peak& peak) {
  Walk walk;
  walk.field("", peak);
  return walk.objection();
}

std::string objection_to(const Workload& workload) {
  Walk walk;
  walk.field("", workload);
  return walk.objection();
}

std::string objection_to(const OwnMetrics& own) {
  constexpr std::size_t most = 64; // as in definitions
  if (own.counters.size() > most || own.metrics.size() > most)
    return "at most " + std::to_string(most) + " counters and metrics of a definition";
  for (const OwnCounter& one : own.counters)
    if (one.name.empty() || one.cupti.empty())
      return "a counter has a name and CUPTI's";
  for (const Metric& one : own.metrics) {
    if (one.name.empty())
      return "a metric has a name";
    for (const std::string& formula : one.formulas)
      try {
        Expression::parse(formula);
      } catch (const InputError& error) {
        return error.what();
      }
  }
  return "";
}

} // namespace gridsmith
