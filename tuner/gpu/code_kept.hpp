// SPDX-License-Identifier: Apache-2.0
// Code that will be launched again, so that it need not be compiled again.
#pragma once

#include "gridsmith/results/measurement/measurement.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace gridsmith {

class CodeKept {
public:
  using Code = std::shared_ptr<const CodeObject>;

  /// Of the fastest, for the finals.
  void keep(const Measurement& measurement, const Code& code);

  /// Of one whose counters come later.
  void keep_to_count(const Configuration& configuration, const Code& code);

  /// nullptr: not kept.
  Code of(const Configuration& configuration) const;

  /// Once; nullptr: not kept.
  Code to_count(const Configuration& configuration);

private:
  struct Fast {
    Configuration configuration;
    double median_ms = 0;
    Code code;
  };

  std::vector<Fast> fast_; ///< fastest first
  std::unordered_map<Configuration, Code> uncounted_;
};

} // namespace gridsmith
