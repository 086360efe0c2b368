// SPDX-License-Identifier: Apache-2.0
// Pairs as a GPU gives them, without one: noise that hangs together in time, clocks that drift, where
// the two binaries lie, and a slow-down that was planted.
#pragma once

#include "gridsmith/base/random.hpp"
#include "gridsmith/results/check/pair_plan.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

namespace gridsmith::test {

struct SimulatedKernel {
  double ms = 0.1;
  double spread = 0.01;     ///< standard deviation of a sample, relative
  double correlation = 0.6; ///< of one sample with the next (0.56 to 0.85 was measured)
  double placement = 0.003; ///< new over old for where they lie, half of the 0.6 % measured
  double drift = 0.05;      ///< over a process: the GPU warms up
  double outliers = 0.01;   ///< share of samples that take half as long again
  double effect = 0;        ///< planted: 0.05 makes the new one 5 % slower
};

class SimulatedGpu {
public:
  SimulatedGpu(std::vector<SimulatedKernel> kernels, std::uint64_t seed)
      : kernels_(std::move(kernels)), random_(seed) {}

  bool take(std::size_t kernel, const PairStep& step, std::vector<PairsOfWorker>& to) {
    const SimulatedKernel& of = kernels_[kernel];
    if (step.process == to.size())
      to.emplace_back();
    const bool new_first = loads_new_first(step.process);
    const double placed = new_first ? 1 / (1 + of.placement) : 1 + of.placement;
    double state = normal();
    const int rounds = 2 * step.pairs;
    for (int i = 0; i < rounds; ++i)
      for (int second = 0; second < 2; ++second) {
        const bool new_at_second = (i % 2 == 0) != new_first;
        const bool is_new = (second == 1) == new_at_second;
        state = of.correlation * state + std::sqrt(1 - of.correlation * of.correlation) * normal();
        double ms =
            of.ms * (1 + of.spread * state) * (1 + of.drift * (2 * i + second) / (2.0 * rounds));
        if (uniform() < of.outliers)
          ms *= 1.5;
        (is_new ? to.back().new_ms : to.back().old_ms)
            .push_back(is_new ? ms * placed * (1 + of.effect) : ms);
      }
    launches += 2 * static_cast<std::size_t>(rounds);
    return true;
  }

  std::size_t launches = 0;

private:
  double uniform() { return unit(random_); }

  /// Box and Muller.
  double normal() {
    return std::sqrt(-2 * std::log(1 - uniform())) * std::cos(2 * 3.14159265358979 * uniform());
  }

  std::vector<SimulatedKernel> kernels_;
  Random random_;
};

inline std::vector<std::optional<Judged>> judge(SimulatedGpu& gpu, std::size_t kernels,
                                                const PairRules& rules) {
  return judge_kernels(
      kernels,
      [&](std::size_t kernel, const PairStep& step, std::vector<PairsOfWorker>& to) {
        return gpu.take(kernel, step, to);
      },
      rules);
}

} // namespace gridsmith::test
