// SPDX-License-Identifier: Apache-2.0
// Times of configurations whose samples were taken in series of different lengths. The first samples
// of a series are faster or slower than later ones by what all configurations have in common (small
// kernels on an H200: up to a fifth), and series end early where the times agree; medians of 5 and of
// 50 samples are not comparable then.
#pragma once

#include <span>
#include <vector>

namespace gridsmith {

/// One time per series, in its samples' unit: the median of what is left once the common effect of a
/// sample's place in its series is taken out, at the level of the whole series. Logarithms, two-way
/// fit by medians: Tukey, Exploratory Data Analysis (1977), chapter 11, median polish. Series that have no
/// such effect keep their medians.
/// @pre no series is empty; samples above 0
std::vector<double> times_without_drift(std::span<const std::vector<double>> series);

} // namespace gridsmith
