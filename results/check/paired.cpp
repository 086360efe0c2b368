// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/check/paired.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/base/statistics.hpp"
#include "gridsmith/results/check/signed_rank.hpp"
#include "gridsmith/results/measurement/time_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace gridsmith {
namespace {

std::vector<double> logs_of(std::span<const double> ratios) {
  std::vector<double> logs;
  for (const double ratio : ratios)
    logs.push_back(std::log(ratio));
  return logs;
}

double sorted_median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return median(values);
}

/// Bonferroni's share: what the interval of one kernel of so many may err by.
double share(std::size_t cases, const PairRules& rules) {
  return rules.error / static_cast<double>(std::max<std::size_t>(1, cases));
}

/// Quantile of the normal distribution above which this much lies, by bisection of erfc.
double normal_quantile(double above) {
  double low = 0, high = 40;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) / 2 > above ? low : high) = middle;
  }
  return low;
}

/// One side of one kernel: slower as it is, faster with all signs turned.
struct Side {
  std::vector<double> logs; ///< of all pairs
  std::vector<std::vector<double>> of_worker;
  double chance = 1;
};

Side side_of(const std::vector<PairsOfWorker>& workers, double sign, double floor) {
  Side side;
  for (const PairsOfWorker& worker : workers) {
    std::vector<double>& own = side.of_worker.emplace_back(logs_of(ratios_of(worker)));
    for (double& one : own)
      one *= sign;
    side.logs.insert(side.logs.end(), own.begin(), own.end());
  }
  side.chance = chance_above(side.logs, floor);
  return side;
}

/// Holm, Scandinavian Journal of Statistics 6 (1979): which of them stand at this error for all.
std::vector<bool> holm(const std::vector<double>& chances, double error) {
  std::vector<std::size_t> order(chances.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return chances[a] < chances[b]; });
  std::vector<bool> stands(chances.size(), false);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (chances[order[i]] > error / static_cast<double>(order.size() - i))
      break;
    stands[order[i]] = true;
  }
  return stands;
}

/// Whether the estimate is beyond the least effect, and no process is of another opinion: each
/// one's median is above the floor.
bool agreed(const Side& side, double floor, double least, double error) {
  return centre_of(side.logs, error).estimate > least &&
         std::all_of(side.of_worker.begin(), side.of_worker.end(),
                     [&](const std::vector<double>& own) {
                       return own.empty() || sorted_median(own) > floor;
                     });
}

std::string interval_text(const PairedTime& time) {
  return time.interval_known() ? fmt::format("{} % ({} % to {} %)", change_text(time.ratio),
                                             change_text(time.low), change_text(time.high))
                               : change_text(time.ratio) + " %";
}

bool within(const PairedTime& time, double least_effect) {
  return time.low > 1 / (1 + least_effect) && time.high < 1 + least_effect;
}

/// Of one figure a side, whose interval is not known: the same only where it is as near as pairs have to be.
CheckVerdict verdict_of_one(double ratio, const PairRules& rules) {
  const double near = 1 + rules.least_effect, far = 1 + rules.widened * rules.least_effect;
  if (ratio > far)
    return CheckVerdict::slower;
  if (ratio < 1 / far)
    return CheckVerdict::faster;
  return ratio < near && ratio > 1 / near ? CheckVerdict::same : CheckVerdict::undecided;
}

/// By the whole interval of recorded times.
CheckVerdict verdict_of_interval(const PairedTime& time, double least) {
  if (within(time, least))
    return CheckVerdict::same;
  if (time.low > 1 + least)
    return CheckVerdict::slower;
  return time.high < 1 / (1 + least) ? CheckVerdict::faster : CheckVerdict::undecided;
}

/// The samples of one side over all processes.
double median_of(std::span<const PairsOfWorker> workers,
                 const std::vector<double> PairsOfWorker::* side) {
  std::vector<double> all;
  for (const PairsOfWorker& worker : workers)
    all.insert(all.end(), (worker.*side).begin(), (worker.*side).end());
  return sorted_median(std::move(all));
}

} // namespace

void check(const PairRules& rules) {
  if (!(rules.least_effect > 0 && rules.least_effect < 1))
    throw InputError(fmt::format("a least effect of {} %: expected more than 0 and less than 100",
                                 100 * rules.least_effect));
  if (!(rules.error > 0 && rules.error <= 0.5))
    throw InputError(fmt::format("an error of {}: expected more than 0, at most 0.5", rules.error));
}

std::vector<double> ratios_of(const PairsOfWorker& worker) {
  std::vector<double> ratios;
  const std::size_t samples = std::min(worker.old_ms.size(), worker.new_ms.size());
  for (std::size_t i = 0; i + 1 < samples; i += 2)
    ratios.push_back((worker.new_ms[i] + worker.new_ms[i + 1]) /
                     (worker.old_ms[i] + worker.old_ms[i + 1]));
  return ratios;
}

int wanted_pairs(std::span<const double> ratios, std::size_t cases, const PairRules& rules) {
  const int least = std::max(rules.first_pairs, 2 + fewest_for(share(cases, rules) / 2));
  if (ratios.size() < 4)
    return least;
  std::vector<double> logs = logs_of(ratios);
  std::sort(logs.begin(), logs.end());
  // A normal distribution has 1.349 sigma between its quartiles; the signed-rank interval is as wide
  // as that of a mean / sqrt(3 / pi).
  const double sigma = (quantile(logs, 0.75) - quantile(logs, 0.25)) / 1.349 / 0.977;
  const double z = normal_quantile(share(cases, rules) / 2);
  const double needed = std::pow(2 * z * sigma / (rules.least_effect / 2), 2);
  const auto bounded = std::clamp(needed, static_cast<double>(least),
                                  static_cast<double>(std::max(least, rules.most_pairs)));
  return 2 * static_cast<int>(std::ceil(bounded / 2));
}

PairedTime paired_time(std::span<const PairsOfWorker> workers, std::size_t cases,
                       const PairRules& rules) {
  PairedTime time;
  for (const PairsOfWorker& worker : workers) {
    const std::vector<double> own = ratios_of(worker);
    time.ratios.insert(time.ratios.end(), own.begin(), own.end());
    time.workers += own.empty() ? 0 : 1;
  }
  time.pairs = static_cast<int>(time.ratios.size());
  time.old_ms = median_of(workers, &PairsOfWorker::old_ms);
  time.new_ms = median_of(workers, &PairsOfWorker::new_ms);
  const Centre centre = centre_of(logs_of(time.ratios), share(cases, rules));
  time.ratio = std::exp(centre.estimate);
  time.low = std::exp(centre.low);
  time.high = std::exp(centre.high);
  return time;
}

std::vector<Judged> judge(std::span<const std::vector<PairsOfWorker>> kernels,
                          const PairRules& rules) {
  const double floor = std::log1p(rules.floor), least = std::log1p(rules.least_effect);
  std::vector<Judged> judged(kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    judged[i].time = paired_time(kernels[i], kernels.size(), rules);
    if (within(judged[i].time, rules.least_effect))
      judged[i].verdict = CheckVerdict::same;
    else
      judged[i].reason = fmt::format("{}, neither a change nor the same within {:g} %",
                                     interval_text(judged[i].time), 100 * rules.least_effect);
  }
  for (const auto& [verdict, sign] :
       {std::pair(CheckVerdict::slower, 1.0), std::pair(CheckVerdict::faster, -1.0)}) {
    std::vector<Side> sides;
    std::vector<double> chances;
    for (const auto& workers : kernels)
      chances.push_back(sides.emplace_back(side_of(workers, sign, floor)).chance);
    const std::vector<bool> stands = holm(chances, rules.error / 2);
    for (std::size_t i = 0; i < kernels.size(); ++i)
      if (stands[i] && agreed(sides[i], floor, least, rules.error)) {
        judged[i].verdict = verdict;
        judged[i].reason = interval_text(judged[i].time);
      }
  }
  return judged;
}

Judged judge_times(const std::vector<double>& now_ms, double old_median_ms, double old_low_ms,
                   double old_high_ms, const PairRules& rules) {
  const auto now = summarise(now_ms);
  Judged judged;
  if (!now || !(old_low_ms > 0))
    return judged;
  const double least = rules.widened * rules.least_effect;
  judged.time = {.old_ms = old_median_ms,
                 .new_ms = now->median_ms,
                 .ratio = now->median_ms / old_median_ms,
                 .low = now->low_ms / old_high_ms,
                 .high = now->high_ms / old_low_ms};
  const bool one_figure = now_ms.size() == 1 && old_low_ms == old_high_ms;
  if (one_figure) {
    judged.time.low = 0; // as centre_of() says of too few
    judged.time.high = std::numeric_limits<double>::infinity();
  }
  judged.verdict = one_figure ? verdict_of_one(judged.time.ratio, rules)
                              : verdict_of_interval(judged.time, least);
  judged.reason = interval_text(judged.time) + (one_figure ? ", one figure a side" : "");
  if (const double times = std::max(judged.time.ratio, 1 / judged.time.ratio);
      times > rules.astonishing) {
    judged.reason += fmt::format("; {:.0f} times {}: are unit, problem size and work the same?",
                                 times, judged.time.ratio < 1 ? "faster" : "slower");
    if (judged.verdict == CheckVerdict::faster)
      judged.verdict = CheckVerdict::incomparable;
  }
  return judged;
}

} // namespace gridsmith
