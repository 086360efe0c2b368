// SPDX-License-Identifier: Apache-2.0
// How many pairs are taken of a kernel, and in which process: decisions only, so that the way of a
// check can be tried on thousands of simulated ones.
#pragma once

#include "gridsmith/results/check/paired.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace gridsmith {

/// Every second process loads new before old: where the two lie in memory makes a difference of its
/// own, always in the same direction.
bool loads_new_first(std::size_t process);

struct PairStep {
  std::size_t process = 0; ///< by its number; one after the kernel's last has not seen it yet
  int pairs = 0;
};

/// What is to be taken before all kernels are judged: of two processes as many each. None: enough.
std::optional<PairStep> next_pairs(std::span<const PairsOfWorker> taken, std::size_t cases,
                                   const PairRules& rules);
/// What is to be taken again once they were judged, each time in a fresh process: of one that seems
/// slower, until a third has agreed; of an undecided one, until as many are spent as are allowed.
std::optional<PairStep> next_pairs_again(std::span<const PairsOfWorker> taken, CheckVerdict verdict,
                                         const PairRules& rules);

/// Adds the pairs of a step to those of its process. False: no more of this kernel can be had, and the
/// one who takes them knows why; it takes no more part.
using TakePairs =
    std::function<bool(std::size_t kernel, const PairStep& step, std::vector<PairsOfWorker>& to)>;

/// Takes the pairs of all kernels and judges them together: of all in the first process, then in the
/// second, so that kernels can share one.
/// @return of each kernel; none: its pairs could not be had
std::vector<std::optional<Judged>> judge_kernels(std::size_t kernels, const TakePairs& take,
                                                 const PairRules& rules);

} // namespace gridsmith
