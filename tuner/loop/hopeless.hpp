// SPDX-License-Identifier: Apache-2.0
// Failures that no configuration escapes, so that a tuning ends after some of them and not after all.
#pragma once

#include "gridsmith/results/measurement/measurement.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace gridsmith {

/// Looks at the first measurements of a tuning. What is wrong with the definition as a whole (the
/// number of arguments, a header that is not there, a kernel that the source does not have) fails
/// all of them in the same words.
class Hopeless {
public:
  void see(const Measurement& measurement);

  /// One line, once so many have failed alike that it is said of all.
  std::optional<std::string> verdict() const;

private:
  bool possible_ = true; ///< nothing else has been seen
  std::size_t seen_ = 0;
  std::string reason_;
  Status status_ = Status::correct;
};

} // namespace gridsmith
