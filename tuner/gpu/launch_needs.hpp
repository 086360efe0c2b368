// SPDX-License-Identifier: Apache-2.0
// What a configuration will need, told before it is compiled by those that were: how long it compiles,
// its registers and shared memory, and so whether it can be launched. Orders what waits for a compiler;
// it decides nothing else, since it may err.
#pragma once

#include "gridsmith/kernels/definition/geometry.hpp"
#include "gridsmith/search/models/trees.hpp"
#include "gridsmith/tuner/processes/compile_order.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"

#include <optional>
#include <vector>

namespace gridsmith {

class LaunchNeeds {
public:
  explicit LaunchNeeds(const Device& device) : device_(device) {}

  /// True when enough is new that forecasts given before are worth asking for again.
  bool learn(const Configuration& configuration, const Geometry& geometry, const CodeObject& code);

  /// Nothing known: neither time nor hope is.
  CompileForecast expect(const Configuration& configuration, const Geometry& geometry) const;

private:
  /// What the trees are grown on, as logarithms to base 2 of one more.
  struct Row {
    std::vector<float> features;
    float ms = 0;
    float registers = 0, shared = 0;
    bool failed = false;
  };

  std::vector<float> features_of(const Configuration& configuration,
                                 const Geometry& geometry) const;
  void grow();

  const Device& device_;
  std::vector<Row> rows_; ///< the newest last
  std::size_t learnt_from_ = 0, seen_ = 0;
  bool bounded_ = true; ///< launch bounds made registers fit in all that were seen
  ExtraTrees ms_, registers_, shared_;
};

} // namespace gridsmith
