#include "gridsmith/results/influence/interaction.hpp"

#include "gridsmith/results/influence/influence.hpp"
#include "gridsmith/results/influence/variance.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace gridsmith {
namespace {

constexpr int turns = 100;
constexpr double settled = 1e-12;

template <typename Key>
Grouping numbered(const std::vector<Key>& keys) {
  std::map<Key, std::size_t> numbers;
  Grouping groups;
  for (const Key& key : keys)
    groups.push_back(numbers.emplace(key, numbers.size()).first->second);
  return groups;
}

std::size_t groups_in(const Grouping& groups) {
  return groups.empty() ? 0 : 1 + *std::max_element(groups.begin(), groups.end());
}

/// Each row less the mean of its group.
void take_means(Standard& rows, const Grouping& groups) {
  std::vector<double> sums(groups_in(groups)), sizes(sums.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    sums[groups[i]] += rows[i];
    sizes[groups[i]] += 1;
  }
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] -= sums[groups[i]] / sizes[groups[i]];
}

double squares(const Standard& rows) {
  double sum = 0;
  for (const double one : rows)
    sum += one * one;
  return sum;
}

/// What a term per value of each leaves open.
Standard additive_rest(Standard rest, const Grouping& a, const Grouping& b) {
  double left = squares(rest);
  for (int turn = 0; turn < turns; ++turn) {
    take_means(rest, a);
    take_means(rest, b);
    const double now = squares(rest);
    if (left - now < settled)
      break;
    left = now;
  }
  return rest;
}

Grouping joint(const Grouping& a, const Grouping& b) {
  std::vector<std::pair<std::size_t, std::size_t>> keys;
  for (std::size_t i = 0; i < a.size(); ++i)
    keys.emplace_back(a[i], b[i]);
  return numbered(keys);
}

struct Varied {
  std::string name;
  Grouping groups;
};

/// Parameters of which more than one value was measured.
std::vector<Varied> varied_of(const Recording& recording,
                              const std::vector<const Measurement*>& rows) {
  std::vector<Varied> varied;
  for (const Parameter& parameter : recording.parameters) {
    std::vector<std::string> keys;
    for (const Measurement* row : rows) {
      const Value* value = find_value(row->configuration, parameter.name);
      keys.push_back(value ? to_text(*value) : "");
    }
    if (Grouping groups = numbered(keys); groups_in(groups) > 1)
      varied.push_back({parameter.name, std::move(groups)});
  }
  return varied;
}

Interaction interaction_of(const Standard& y, const Varied& one, const Varied& other) {
  const Grouping both = joint(one.groups, other.groups);
  const Standard rest = additive_rest(y, one.groups, other.groups);
  const auto rows = static_cast<double>(y.size());
  const auto terms = static_cast<double>(groups_in(one.groups) + groups_in(other.groups) - 1);
  Interaction found{one.name, other.name};
  if (terms >= rows)
    return found;
  const double alone = std::max(0.0, 1 - squares(rest) * (rows - 1) / (rows - terms));
  found.share = std::max(0.0, share_between(y, both) - alone);
  const std::vector<std::optional<double>> numbers(rest.begin(), rest.end());
  const Standard open = standardised(numbers); // what is left, as if it were all
  const Standard* column[] = {&open};
  found.by_chance =
      open.empty() || share_between(open, both) <= share_between_by_chance(column, {&both, 1});
  return found;
}

} // namespace

std::vector<Interaction> interactions(const Recording& recording) {
  std::vector<const Measurement*> rows;
  std::vector<std::optional<double>> logs;
  for (const Measurement& one : recording.measurements)
    if (const auto time = cost_ms(one)) {
      rows.push_back(&one);
      logs.emplace_back(std::log(*time));
    }
  const Standard y = standardised(logs);
  if (rows.size() < fewest_configurations || y.empty())
    return {};
  const std::vector<Varied> varied = varied_of(recording, rows);
  std::vector<Interaction> found;
  for (std::size_t i = 0; i < varied.size(); ++i)
    for (std::size_t j = i + 1; j < varied.size(); ++j)
      found.push_back(interaction_of(y, varied[i], varied[j]));
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.share > b.share; });
  return found;
}

} // namespace gridsmith
