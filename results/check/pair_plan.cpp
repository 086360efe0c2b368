// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/check/pair_plan.hpp"

#include <algorithm>
#include <utility>

namespace gridsmith {
namespace {

constexpr std::size_t first_processes = 2;

int pairs_of(const PairsOfWorker& worker) {
  return static_cast<int>(std::min(worker.old_ms.size(), worker.new_ms.size()) / 2);
}

std::vector<double> all_ratios(std::span<const PairsOfWorker> taken) {
  std::vector<double> all;
  for (const PairsOfWorker& worker : taken) {
    const std::vector<double> own = ratios_of(worker);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

int total_of(std::span<const PairsOfWorker> taken) {
  int total = 0;
  for (const PairsOfWorker& worker : taken)
    total += pairs_of(worker);
  return total;
}

struct Kernel {
  std::vector<PairsOfWorker> taken;
  bool good = true; ///< its pairs can be had
};

/// Judged are those that are good; the others have no part in the number of kernels either.
std::vector<std::optional<Judged>> judge_good(const std::vector<Kernel>& kernels,
                                              const PairRules& rules) {
  std::vector<std::vector<PairsOfWorker>> good;
  for (const Kernel& kernel : kernels)
    if (kernel.good)
      good.push_back(kernel.taken);
  std::vector<Judged> judged = judge(good, rules);
  std::vector<std::optional<Judged>> result(kernels.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    if (kernels[i].good)
      result[i] = std::move(judged[next++]);
  return result;
}

} // namespace

bool loads_new_first(std::size_t process) {
  return process % 2 == 1;
}

std::optional<PairStep> next_pairs(std::span<const PairsOfWorker> taken, std::size_t cases,
                                   const PairRules& rules) {
  constexpr int fewest = 8; // a batch costs its verification, so there is no use in less
  const int wanted = wanted_pairs(all_ratios(taken), cases, rules);
  if (taken.empty())
    return PairStep{0, wanted / 2};
  const int total = total_of(taken);
  if (taken.size() == 1 && total < wanted / 2)
    return PairStep{0, std::max(fewest, wanted / 2 - total)};
  if (taken.size() < first_processes)
    return PairStep{1, total};
  if (taken.size() == first_processes && total < wanted)
    return PairStep{1, std::max(fewest, wanted - total)};
  return std::nullopt;
}

std::optional<PairStep> next_pairs_again(std::span<const PairsOfWorker> taken, CheckVerdict verdict,
                                         const PairRules& rules) {
  if (verdict == CheckVerdict::slower && taken.size() <= first_processes)
    return PairStep{taken.size(), rules.first_pairs};
  const int left = rules.most_pairs - total_of(taken);
  if (verdict == CheckVerdict::undecided && left > 0)
    return PairStep{taken.size(), std::min(rules.first_pairs, left)};
  return std::nullopt;
}

std::vector<std::optional<Judged>> judge_kernels(std::size_t kernels, const TakePairs& take,
                                                 const PairRules& rules) {
  std::vector<Kernel> all(kernels);
  for (std::size_t process = 0; process < first_processes; ++process)
    for (std::size_t i = 0; i < kernels; ++i)
      while (all[i].good) {
        const auto step = next_pairs(all[i].taken, kernels, rules);
        if (!step || step->process != process)
          break;
        all[i].good = take(i, *step, all[i].taken);
      }
  for (;;) {
    std::vector<std::optional<Judged>> judged = judge_good(all, rules);
    bool more = false;
    for (std::size_t i = 0; i < kernels; ++i)
      if (judged[i])
        if (const auto step = next_pairs_again(all[i].taken, judged[i]->verdict, rules)) {
          all[i].good = take(i, *step, all[i].taken);
          more = true;
        }
    if (!more)
      return judged;
  }
}

} // namespace gridsmith
