// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/check/change_points.hpp"

#include "gridsmith/base/random.hpp"
#include "gridsmith/base/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace gridsmith {
namespace {

struct Split {
  std::size_t at = 0;
  double energy = 0;
};

double middle_of(std::span<const double> part) {
  std::vector<double> sorted(part.begin(), part.end());
  std::sort(sorted.begin(), sorted.end());
  return median(sorted);
}

/// The energy distance of both parts, weighted by n m / (n + m), at the best place. Sums of distances
/// are carried along from place to place: O(n^2) in all.
Split best_split(std::span<const double> values, std::size_t shortest) {
  const std::size_t size = values.size();
  std::vector<double> to_left(size, 0),
      to_right(size, 0); // of each value, to all before and after it
  double within_right = 0;
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = i + 1; j < size; ++j) {
      const double distance = std::abs(values[i] - values[j]);
      to_right[i] += distance;
      to_left[j] += distance;
      within_right += distance;
    }
  Split best;
  double within_left = 0, between = 0;
  for (std::size_t at = 1; at < size; ++at) { // value at - 1 changes sides
    within_left += to_left[at - 1];
    within_right -= to_right[at - 1];
    between += to_right[at - 1] - to_left[at - 1];
    if (at < shortest || size - at < shortest)
      continue;
    const auto n = static_cast<double>(at), m = static_cast<double>(size - at);
    const double energy =
        n * m / (n + m) *
        (2 * between / (n * m) - 2 * within_left / (n * n) - 2 * within_right / (m * m));
    if (energy > best.energy)
      best = {at, energy};
  }
  return best;
}

/// How often a permutation splits as well; the series itself counts as one.
double chance_of(const Split& split, std::span<const double> values, const ChangePointRules& rules,
                 Random& random) {
  std::vector<double> permuted(values.begin(), values.end());
  std::size_t as_good = 1;
  for (std::size_t i = 0; i < rules.permutations; ++i) {
    for (std::size_t left = permuted.size(); left > 1; --left)
      std::swap(permuted[left - 1], permuted[below(random, left)]);
    as_good += best_split(permuted, rules.shortest).energy >= split.energy ? 1 : 0;
  }
  return static_cast<double>(as_good) / static_cast<double>(rules.permutations + 1);
}

void find_in(std::span<const double> values, std::size_t first, const ChangePointRules& rules,
             Random& random, std::vector<ChangePoint>& found) {
  if (values.size() < 2 * rules.shortest)
    return;
  const Split split = best_split(values, rules.shortest);
  if (split.energy <= 0)
    return;
  const auto left = values.first(split.at), right = values.subspan(split.at);
  const double chance = chance_of(split, values, rules, random);
  if (chance > rules.error)
    return;
  find_in(left, first, rules, random, found);
  found.push_back({first + split.at, 0, 0, chance});
  find_in(right, first + split.at, rules, random, found);
}

} // namespace

std::vector<ChangePoint> change_points(std::span<const double> values,
                                       const ChangePointRules& rules) {
  Random random(rules.seed);
  std::vector<ChangePoint> found;
  find_in(values, 0, rules, random, found);
  // Levels lie between neighbouring points; the least apart two become one until all are apart.
  const auto set_levels = [&] {
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::size_t begin = i == 0 ? 0 : found[i - 1].at;
      const std::size_t end = i + 1 == found.size() ? values.size() : found[i + 1].at;
      found[i].before = middle_of(values.subspan(begin, found[i].at - begin));
      found[i].after = middle_of(values.subspan(found[i].at, end - found[i].at));
    }
  };
  for (set_levels(); !found.empty(); set_levels()) {
    const auto least =
        std::min_element(found.begin(), found.end(), [](const auto& a, const auto& b) {
          return std::abs(a.after - a.before) < std::abs(b.after - b.before);
        });
    if (std::abs(least->after - least->before) >= rules.least)
      break;
    found.erase(least);
  }
  return found;
}

} // namespace gridsmith
