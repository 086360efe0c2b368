#include "gridsmith/search/models/improvement.hpp"

#include <cmath>

namespace gridsmith {

double log_improvement(double mean, double variance, double best) {
  const double deviation = std::sqrt(variance);
  const double z = (best - mean) / deviation;
  const double log_density = -0.5 * z * z - 0.9189385332046727; // log sqrt(2 pi)
  if (z < -6)
    return std::log(deviation) + log_density - 2 * std::log(-z);
  return std::log(deviation * (z * 0.5 * std::erfc(-z / std::sqrt(2.0)) + std::exp(log_density)));
}

} // namespace gridsmith
