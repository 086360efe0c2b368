// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/influence/variance.hpp"

#include "gridsmith/base/random.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace gridsmith {
namespace {

constexpr double same = 1e-9; // relative: below it numbers are one
constexpr std::size_t permutations =
    200;                                // the second largest of their maxima is the 99th percentile
constexpr std::size_t most_rows = 1000; // fewer rows only ask for more

double dot(const Standard& a, const Standard& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Scaled to length 1; empty where its length is nothing beside `size`.
Standard scaled(Standard column, double size) {
  const double length = std::sqrt(dot(column, column));
  if (!(length > same * size))
    return {};
  for (double& one : column)
    one /= length;
  return column;
}

/// Without its part along `direction`, which has length 1.
void take_out(Standard& column, const Standard& direction) {
  const double along = dot(column, direction);
  for (std::size_t i = 0; i < column.size(); ++i)
    column[i] -= along * direction[i];
}

/// Orthogonal columns of length 1 that span the same, by Gram and Schmidt.
std::vector<Standard> basis_of(std::span<const Standard* const> columns) {
  std::vector<Standard> basis;
  for (const Standard* one : columns) {
    Standard rest = *one;
    for (const Standard& direction : basis)
      take_out(rest, direction);
    if (rest = scaled(std::move(rest), 1); !rest.empty())
      basis.push_back(std::move(rest));
  }
  return basis;
}

std::size_t groups_in(const Grouping& groups) {
  return groups.empty() ? 0 : 1 + *std::max_element(groups.begin(), groups.end());
}

double second_largest(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + 1, values.end(), std::greater<>());
  return values[1];
}

std::vector<std::size_t> shuffled(std::vector<std::size_t> order, Random& random) {
  for (std::size_t left = order.size(); left > 1; --left)
    std::swap(order[left - 1], order[below(random, left)]);
  return order;
}

/// Largest of `share` over random orders of the rows: of each order the caller's maximum.
double by_chance(std::size_t rows,
                 const std::function<double(const std::vector<std::size_t>&)>& largest) {
  Random random(1);
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<double> maxima;
  for (std::size_t i = 0; i < permutations; ++i)
    maxima.push_back(largest(shuffled(order, random)));
  return second_largest(std::move(maxima));
}

/// At most `most_rows` rows, evenly taken.
template <typename T>
std::vector<T> thinned(const std::vector<T>& rows) {
  if (rows.size() <= most_rows)
    return rows;
  std::vector<T> some;
  for (std::size_t i = 0; i < most_rows; ++i)
    some.push_back(rows[i * rows.size() / most_rows]);
  return some;
}

Standard thinned_standard(const Standard& column) {
  const std::vector<double> rows = thinned(column);
  const std::vector<std::optional<double>> numbers(rows.begin(), rows.end());
  return standardised(numbers);
}

std::vector<Standard> thinned_all(std::span<const Standard* const> columns) {
  std::vector<Standard> all;
  for (const Standard* one : columns)
    if (Standard some = thinned_standard(*one); !some.empty())
      all.push_back(std::move(some));
  return all;
}

Standard reordered(const Standard& column, const std::vector<std::size_t>& order) {
  Standard moved(column.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    moved[i] = column[order[i]];
  return moved;
}

} // namespace

Standard standardised(std::span<const std::optional<double>> numbers) {
  double sum = 0, largest = 0;
  std::size_t known = 0;
  for (const auto& one : numbers)
    if (one) {
      sum += *one;
      largest = std::max(largest, std::abs(*one));
      ++known;
    }
  if (known < 2 || 2 * known < numbers.size())
    return {};
  const double mean = sum / static_cast<double>(known);
  Standard column;
  for (const auto& one : numbers)
    column.push_back(one ? *one - mean : 0);
  return scaled(std::move(column), std::max(1.0, largest) * std::sqrt(static_cast<double>(known)));
}

double correlation(const Standard& a, const Standard& b) {
  return dot(a, b);
}

double share_foretold(const Standard& y, std::span<const Standard* const> columns) {
  const std::vector<Standard> basis = basis_of(columns);
  const auto rows = static_cast<double>(y.size());
  Standard residual = y;
  for (const Standard& direction : basis)
    take_out(residual, direction);
  double error = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    double leverage = 1 / rows;
    for (const Standard& direction : basis)
      leverage += direction[i] * direction[i];
    if (1 - leverage < same) // this row alone decides a coefficient
      return 0;
    error += std::pow(residual[i] / (1 - leverage), 2);
  }
  const double of_mean = std::pow(rows / (rows - 1), 2); // the same error of the mean alone
  return std::max(0.0, 1 - error / of_mean);
}

Standard beside(const Standard& column, std::span<const Standard* const> others) {
  Standard rest = column;
  for (const Standard& direction : basis_of(others))
    take_out(rest, direction);
  constexpr double nothing_new = 1e-3;
  return std::sqrt(dot(rest, rest)) < nothing_new ? Standard() : scaled(std::move(rest), 1);
}

double share_between(const Standard& y, const Grouping& groups) {
  const std::size_t count = groups_in(groups);
  if (count < 2 || count >= y.size())
    return 0;
  std::vector<double> sums(count), sizes(count);
  for (std::size_t i = 0; i < y.size(); ++i) {
    sums[groups[i]] += y[i];
    sizes[groups[i]] += 1;
  }
  double between = 0;
  for (std::size_t i = 0; i < count; ++i)
    between += sizes[i] > 0 ? sums[i] * sums[i] / sizes[i] : 0;
  const auto rows = static_cast<double>(y.size());
  return std::clamp(1 - (1 - between) * (rows - 1) / (rows - static_cast<double>(count)), 0.0, 1.0);
}

double share_by_chance(const Standard& y, std::span<const Standard* const> columns) {
  const std::vector<Standard> all = thinned_all(columns);
  const Standard target = thinned_standard(y);
  return by_chance(target.size(), [&](const std::vector<std::size_t>& order) {
    const Standard moved = reordered(target, order);
    double largest = 0;
    for (const Standard& one : all)
      largest = std::max(largest, std::pow(dot(moved, one), 2));
    return largest;
  });
}

double share_between_by_chance(std::span<const Standard* const> columns,
                               std::span<const Grouping> groupings) {
  const std::vector<Standard> all = thinned_all(columns);
  std::vector<Grouping> groups;
  for (const Grouping& one : groupings)
    groups.push_back(thinned(one));
  return by_chance(all.empty() ? 0 : all[0].size(), [&](const std::vector<std::size_t>& order) {
    double largest = 0;
    for (const Standard& one : all) {
      const Standard moved = reordered(one, order);
      for (const Grouping& grouping : groups)
        largest = std::max(largest, share_between(moved, grouping));
    }
    return largest;
  });
}

} // namespace gridsmith
