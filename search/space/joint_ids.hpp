// SPDX-License-Identifier: Apache-2.0
// Configurations of several spaces under one row of numbers, so that one strategy asks for those of all.
#pragma once

#include "gridsmith/search/space/space.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gridsmith {

/// A configuration of one of several jobs, or problems, by its number there.
struct JobConfiguration {
  std::size_t job = 0;
  ConfigurationId id = 0;
};

class JointIds {
public:
  /// @param sizes of each space, none of them 0
  /// @throws InputError: together they have 2^64 configurations or more
  explicit JointIds(const std::vector<std::uint64_t>& sizes);

  ConfigurationId joint(const JobConfiguration& one) const { return first_[one.job] + one.id; }

  /// @pre id < size()
  JobConfiguration apart(ConfigurationId id) const;

  std::uint64_t size() const { return first_.back(); }

private:
  std::vector<std::uint64_t> first_{0}; ///< of each space, and the end
};

} // namespace gridsmith
