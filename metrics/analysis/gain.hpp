// SPDX-License-Identifier: Apache-2.0
// How much faster a launch would be without a cause: an estimate with its interval.
#pragma once

#include <string>

namespace gridsmith {

/// Time now over the time without it. 1 <= low <= likely <= high, and high is at most 2.5 times low.
struct Gain {
  double low = 1, likely = 1, high = 1;
};

/// An estimate and how far a model of other assumptions is from it. The interval is at least as wide as the
/// estimates were wrong on the planted kernels (tests/planted).
Gain gain_between(double low, double likely, double high);

/// Of a gain that something else bounds too.
Gain at_most(const Gain& gain, double limit);

/// "1.7 to 3.2 times as fast"; "up to 1.3 times as fast" where the least is next to nothing.
std::string to_text(const Gain& gain);

} // namespace gridsmith
