// SPDX-License-Identifier: Apache-2.0
// Whether new code is slower than old where both were launched in turn, A B B A, in one process on
// one GPU: clocks, temperature and neighbours met both alike. Pure functions of the ratios.
//
// A pair is one A B B A, two launches of each: its ratio is free of linear drift and of which one came
// first. How many pairs are taken depends on how much they scatter, never on where they lie, so that
// looking does not raise the number of false alarms.
#pragma once

#include "gridsmith/results/check/check_result.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace gridsmith {

/// The one place of these defaults. Effects are relative: 0.02 is 2 %.
struct PairRules {
  double least_effect = 0.02; ///< what is called a change, and how near the same has to be shown
  /// Two copies of one binary differ by up to 0.6 % for where they lie (measured on an H200), so a
  /// smaller effect is not the code's.
  double floor = 0.01;
  double error = 0.01;  ///< of a whole run: chance that any kernel turns red without reason
  int first_pairs = 16; ///< at least, over both processes
  int most_pairs = 80;  ///< 5 x 16
  /// Of times without an old binary, which drift from session to session: the effect is this much
  /// wider (10 %).
  double widened = 5;
  /// Of such times too: another unit, another size or no work at all are likelier than code that became
  /// so many times faster or slower.
  double astonishing = 10;
};

/// @throws InputError for an effect or an error that is none
void check(const PairRules& rules);

/// The pairs of one process, in the order taken.
struct PairsOfWorker {
  std::vector<double> old_ms, new_ms; ///< samples in the order taken: A B, B A, A B, B A …
};

/// Ratios new / old, one per A B B A; a last one that is not whole is left out.
std::vector<double> ratios_of(const PairsOfWorker& worker);

/// How many pairs there should be in all, so that the interval becomes half the least effect wide,
/// guessed from how the first ones scatter. Even, within the rules' limits.
/// @param cases that the run judges
int wanted_pairs(std::span<const double> ratios, std::size_t cases, const PairRules& rules);

/// What the pairs of one kernel say, of several judged together.
struct Judged {
  CheckVerdict verdict = CheckVerdict::undecided;
  PairedTime time;
  std::string reason; ///< "" for the same
};

/// Medians, and the interval adjusted for the number of kernels. @pre some pairs
PairedTime paired_time(std::span<const PairsOfWorker> workers, std::size_t cases,
                       const PairRules& rules);

/// Slower (faster): by Holm's procedure over all kernels the centre is above the floor, the estimate is
/// beyond the least effect, and every process alone says so. Same: the whole interval lies within the
/// least effect.
/// @param kernels the processes of each; none of them without pairs
std::vector<Judged> judge(std::span<const std::vector<PairsOfWorker>> kernels,
                          const PairRules& rules);

/// Without an old binary: samples of today against the interval that was recorded, by a wider effect.
/// What became faster by an astonishing factor is incomparable; slower, the reason asks. One figure a side has
/// no interval, and is undecided between the least effect and the wider one.
Judged judge_times(const std::vector<double>& now_ms, double old_median_ms, double old_low_ms,
                   double old_high_ms, const PairRules& rules);

} // namespace gridsmith
