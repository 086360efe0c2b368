// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/influence/importance.hpp"

#include "gridsmith/results/influence/variance.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace gridsmith {
namespace {

constexpr double worth_showing = 0.005; // of the variance

struct Levels {
  std::string parameter;
  Grouping of; ///< of each row
  std::size_t count = 0;
};

/// Log times, and which value each parameter has in each row.
struct Rows {
  std::vector<double> logs;
  std::vector<Levels> parameters; ///< those that vary
};

Rows rows_of(const Recording& recording) {
  Rows rows;
  std::vector<const Measurement*> timed;
  for (const Measurement& one : recording.measurements)
    if (const auto cost = cost_ms(one)) {
      timed.push_back(&one);
      rows.logs.push_back(std::log(*cost));
    }
  for (const Parameter& parameter : recording.parameters) {
    Levels levels{parameter.name, {}, 0};
    levels.of.reserve(timed.size());
    std::map<std::optional<Value>, std::size_t> numbers;
    for (const Measurement* one : timed) {
      const Value* value = find_value(one->configuration, parameter.name);
      const auto key = value ? std::optional(*value) : std::nullopt;
      levels.of.push_back(numbers.emplace(key, numbers.size()).first->second);
    }
    levels.count = numbers.size();
    if (levels.count > 1)
      rows.parameters.push_back(std::move(levels));
  }
  return rows;
}

double sum_of_squares(const std::vector<double>& values) {
  double sum = 0;
  for (const double one : values)
    sum += one * one;
  return sum;
}

std::vector<double> centred(std::vector<double> values) {
  double sum = 0;
  for (const double one : values)
    sum += one;
  for (double& one : values)
    one -= sum / static_cast<double>(values.size());
  return values;
}

/// Takes the mean of each group out of its rows.
void take_means_out(std::vector<double>& values, const Grouping& groups, std::size_t count) {
  std::vector<double> sums(count), sizes(count);
  for (std::size_t i = 0; i < values.size(); ++i) {
    sums[groups[i]] += values[i];
    sizes[groups[i]] += 1;
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] -= sums[groups[i]] / sizes[groups[i]];
}

/// What no sum of effects of single parameters tells.
std::vector<double> beside_mains(const Rows& rows) {
  constexpr int most_rounds = 50;
  constexpr double settled = 1e-6; // of what is left
  std::vector<double> left = centred(rows.logs);
  double before = sum_of_squares(left);
  for (int round = 0; round < most_rounds; ++round) {
    for (const Levels& one : rows.parameters)
      take_means_out(left, one.of, one.count);
    const double now = sum_of_squares(left);
    if (before - now <= settled * before)
      break;
    before = now;
  }
  return left;
}

/// Pairs of values as groups, numbered without gaps.
Grouping crossed(const Levels& a, const Levels& b) {
  std::map<std::size_t, std::size_t> numbers;
  Grouping groups;
  groups.reserve(a.of.size());
  for (std::size_t i = 0; i < a.of.size(); ++i)
    groups.push_back(numbers.emplace(a.of[i] * b.count + b.of[i], numbers.size()).first->second);
  return groups;
}

Standard standard_of(const std::vector<double>& values) {
  const double length = std::sqrt(sum_of_squares(values));
  Standard standard = values;
  for (double& one : standard)
    one /= length;
  return standard;
}

/// The pair that tells most of what is left, again and again, while it is more than chance would show of
/// any pair (Freedman and Lane, Journal of Business & Economic Statistics 1, 1983: what is left is
/// permuted). @param left what pairs have not told
std::vector<PairEffect> pairs_of(const Rows& rows, double all, std::vector<double>& left) {
  std::vector<PairEffect> candidates;
  std::vector<Grouping> groups; // of each
  for (std::size_t a = 0; a < rows.parameters.size(); ++a)
    for (std::size_t b = a + 1; b < rows.parameters.size(); ++b) {
      candidates.push_back({rows.parameters[a].parameter, rows.parameters[b].parameter});
      groups.push_back(crossed(rows.parameters[a], rows.parameters[b]));
    }
  std::vector<PairEffect> pairs;
  std::optional<double> chance;
  while (pairs.size() < most_pairs && !candidates.empty()) {
    const double now = sum_of_squares(left);
    if (now < worth_showing * all)
      break;
    const Standard standard = standard_of(left);
    const Standard* column[] = {&standard};
    if (!chance)
      chance = share_between_by_chance(column, groups);
    std::vector<double> shares;
    for (const Grouping& one : groups)
      shares.push_back(share_between(standard, one));
    const auto most = std::max_element(shares.begin(), shares.end()) - shares.begin();
    const double share = shares[static_cast<std::size_t>(most)];
    if (share <= *chance || share * now < worth_showing * all)
      break;
    pairs.push_back(candidates[static_cast<std::size_t>(most)]);
    pairs.back().share = share * now / all;
    const Grouping& taken = groups[static_cast<std::size_t>(most)];
    take_means_out(left, taken, *std::max_element(taken.begin(), taken.end()) + 1);
    candidates.erase(candidates.begin() + most);
    groups.erase(groups.begin() + most);
  }
  return pairs;
}

} // namespace

Importance importance(const Recording& recording, const Influence& known) {
  Importance result;
  if (!known.enough)
    return result;
  for (const ParameterEffect& one : known.effects)
    if (one.quantity == time_quantity().name)
      result.mains.push_back(one);
  const Rows rows = rows_of(recording);
  const double all = sum_of_squares(centred(rows.logs));
  if (all == 0 || rows.parameters.empty())
    return result;
  std::vector<double> left = beside_mains(rows);
  std::size_t freedom = 1;
  for (const Levels& one : rows.parameters)
    freedom += one.count - 1;
  if (freedom >= rows.logs.size())
    return result;
  const auto count = static_cast<double>(rows.logs.size());
  result.explained = std::max(0.0, 1 - sum_of_squares(left) / all * (count - 1) /
                                           (count - static_cast<double>(freedom)));
  result.pairs = pairs_of(rows, all, left);
  for (const PairEffect& one : result.pairs)
    result.explained += one.share;
  result.explained = std::min(1.0, result.explained);
  return result;
}

} // namespace gridsmith
