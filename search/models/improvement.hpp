// Expected improvement, as a logarithm so that hopeless candidates still have an order.
#pragma once

namespace gridsmith {

/// log E[max(0, best - y)] for y normal with this mean and variance (> 0).
/// Jones et al., Journal of Global Optimization 13 (1998); the far tail by the leading term of its
/// asymptotic series.
double log_improvement(double mean, double variance, double best);

} // namespace gridsmith
