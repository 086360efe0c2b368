// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/space/joint_ids.hpp"

#include "gridsmith/base/error.hpp"

#include <algorithm>
#include <limits>

namespace gridsmith {

JointIds::JointIds(const std::vector<std::uint64_t>& sizes) {
  for (const std::uint64_t size : sizes) {
    if (size > std::numeric_limits<std::uint64_t>::max() - first_.back())
      throw InputError("the search spaces together have 2^64 configurations or more; tune fewer "
                       "sizes or kernels at once");
    first_.push_back(first_.back() + size);
  }
}

JobConfiguration JointIds::apart(ConfigurationId id) const {
  const auto after = std::upper_bound(first_.begin(), first_.end(), id);
  const auto job = static_cast<std::size_t>(after - first_.begin()) - 1;
  return {job, id - first_[job]};
}

} // namespace gridsmith
