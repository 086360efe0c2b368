// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/selection/cover.hpp"

#include "gridsmith/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace gridsmith {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr std::size_t budget = 200'000; // nodes of one search; a fraction of a second
constexpr double rounding = 1e-12;      // of a limit that is itself a loss

using Set = std::vector<std::size_t>; ///< of candidates

/// Loss of each candidate at each size.
struct Losses {
  Set candidates; ///< of the table
  std::vector<std::vector<double>> of;
  std::vector<double> weights;
  std::vector<double> least; ///< of each size

  std::size_t sizes() const { return weights.size(); }

  double best(const Set& set, std::size_t size) const {
    double loss = never;
    for (const std::size_t one : set)
      loss = std::min(loss, of[one][size]);
    return loss;
  }

  LossFigures figures(const Set& set) const {
    std::vector<Loss> losses(sizes());
    for (std::size_t p = 0; p < sizes(); ++p)
      losses[p] = best(set, p);
    return loss_figures(losses, weights);
  }

  /// Of these places among the candidates alone.
  Losses only(const Set& places) const {
    Losses some{{}, {}, weights, {}};
    for (const std::size_t place : places) {
      some.candidates.push_back(candidates[place]);
      some.of.push_back(of[place]);
    }
    for (std::size_t p = 0; p < sizes(); ++p)
      some.least.push_back(best(places, p));
    return some;
  }
};

Losses losses_of(const SizeTable& table) {
  Losses losses{shippable(table), {}, table.weights, {}};
  const std::vector<double> best = least_costs(table);
  for (const std::size_t c : losses.candidates) {
    auto& row = losses.of.emplace_back();
    for (std::size_t p = 0; p < best.size(); ++p)
      row.push_back(table.cell(p, c).state == CellState::measured ? table.cell(p, c).cost / best[p]
                                                                  : never);
  }
  Set all(losses.candidates.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (std::size_t p = 0; p < best.size(); ++p) {
    losses.least.push_back(losses.best(all, p));
    if (losses.least.back() == never)
      throw InputError(
          fmt::format("problem {}: no configuration was correct there and at all other sizes where "
                      "it was tried; nothing can be shipped for it",
                      to_text(table.problems[p])));
  }
  return losses;
}

bool holds(const std::vector<Configuration>& list, const Configuration& configuration) {
  return std::any_of(list.begin(), list.end(),
                     [&](const Configuration& one) { return one == configuration; });
}

/// Those that were measured wherever they are valid, or shipped before, where that is enough; else all.
Losses preferred(const SizeTable& table, Losses all, const CoverRules& rules) {
  const auto is_known = [&](std::size_t c) {
    for (std::size_t p = 0; p < table.problems.size(); ++p)
      if (table.cell(p, c).state == CellState::not_measured)
        return false;
    return true;
  };
  Set known;
  for (std::size_t i = 0; i < all.candidates.size(); ++i)
    if (const std::size_t c = all.candidates[i];
        is_known(c) || holds(rules.previous, table.configurations[c].configuration))
      known.push_back(i);
  const double limit = std::max(rules.worst_loss, rules.known_worst_loss);
  for (std::size_t p = 0; p < all.sizes(); ++p)
    if (!(all.best(known, p) <= std::max(limit, all.least[p]) + rounding))
      return all;
  return all.only(known);
}

/// Whether at most so many candidates serve every size within a limit: always the size that fewest
/// serve is branched on.
class Search {
public:
  Search(const Losses& losses, double limit) : served_(losses.sizes(), 0) {
    for (std::size_t c = 0; c < losses.of.size(); ++c) {
      std::vector<bool> serves(losses.sizes());
      for (std::size_t p = 0; p < losses.sizes(); ++p)
        serves[p] = losses.of[c][p] <= std::max(limit, losses.least[p]) + rounding;
      add(c, std::move(serves));
    }
  }

  /// Nothing: no such set, or none was found within the budget.
  std::optional<Set> within(std::size_t most) {
    nodes_ = 0;
    chosen_.clear();
    return extend(most) ? std::optional(chosen_) : std::nullopt;
  }

  Set greedy() {
    chosen_.clear();
    std::fill(served_.begin(), served_.end(), 0);
    while (hardest()) {
      const auto gain = [&](std::size_t i) {
        std::size_t sum = 0;
        for (std::size_t p = 0; p < served_.size(); ++p)
          sum += serves_[i][p] && !served_[p];
        return sum;
      };
      std::size_t best = 0;
      for (std::size_t i = 1; i < ids_.size(); ++i)
        if (gain(i) > gain(best))
          best = i;
      take(best, 1);
    }
    std::fill(served_.begin(), served_.end(), 0);
    return chosen_;
  }

private:
  /// One that serves no more than another is never needed.
  void add(std::size_t id, std::vector<bool> serves) {
    const auto within = [](const std::vector<bool>& a, const std::vector<bool>& b) {
      for (std::size_t p = 0; p < a.size(); ++p)
        if (a[p] && !b[p])
          return false;
      return true;
    };
    for (const auto& other : serves_)
      if (within(serves, other))
        return;
    for (std::size_t i = ids_.size(); i-- > 0;)
      if (within(serves_[i], serves)) {
        ids_.erase(ids_.begin() + static_cast<std::ptrdiff_t>(i));
        serves_.erase(serves_.begin() + static_cast<std::ptrdiff_t>(i));
      }
    ids_.push_back(id);
    serves_.push_back(std::move(serves));
  }

  void take(std::size_t i, int count) {
    for (std::size_t p = 0; p < served_.size(); ++p)
      served_[p] += serves_[i][p] ? count : 0;
    if (count > 0)
      chosen_.push_back(ids_[i]);
    else
      chosen_.pop_back();
  }

  /// The size not yet served that fewest can serve.
  std::optional<std::size_t> hardest() const {
    std::optional<std::size_t> found;
    std::size_t fewest = ids_.size() + 1;
    for (std::size_t p = 0; p < served_.size(); ++p) {
      if (served_[p])
        continue;
      std::size_t count = 0;
      for (const auto& serves : serves_)
        count += serves[p];
      if (count < fewest) {
        fewest = count;
        found = p;
      }
    }
    return found;
  }

  bool extend(std::size_t left) {
    const auto size = hardest();
    if (!size)
      return true;
    if (left == 0 || ++nodes_ > budget)
      return false;
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      if (!serves_[i][*size])
        continue;
      take(i, 1);
      const bool done = extend(left - 1);
      if (done) { // counts are for the next search
        for (std::size_t p = 0; p < served_.size(); ++p)
          served_[p] -= serves_[i][p] ? 1 : 0;
        return true;
      }
      take(i, -1);
    }
    return false;
  }

  Set ids_;
  std::vector<std::vector<bool>> serves_;
  std::vector<int> served_; ///< how many of the chosen serve each size
  Set chosen_;
  std::size_t nodes_ = 0;
};

Set fewest(const Losses& losses, double limit, std::size_t most) {
  Search search(losses, limit);
  Set greedy = search.greedy();
  for (std::size_t count = 1; count < std::min(greedy.size(), most + 1); ++count)
    if (auto found = search.within(count))
      return *found;
  return greedy;
}

/// What makes one set better than another of its size.
struct Merit {
  std::size_t held = 0; ///< of the previous set
  double mean = never;

  bool operator<(const Merit& other) const { // less good
    return held != other.held ? held < other.held : mean > other.mean + rounding;
  }
};

/// Exchanges one for one as long as that is better and the limit holds.
class Exchange {
public:
  Exchange(const Losses& losses, double limit, const std::vector<bool>& previous)
      : losses_(losses), limit_(limit), previous_(previous) {}

  Set improved(Set set) const {
    Merit merit = *merit_of(set);
    for (bool better = true; better;) {
      better = false;
      for (std::size_t i = 0; i < set.size(); ++i)
        for (std::size_t c = 0; c < losses_.of.size(); ++c) {
          Set other = set;
          other[i] = c;
          if (const auto its = merit_of(other); its && merit < *its) {
            set = std::move(other);
            merit = *its;
            better = true;
          }
        }
    }
    return set;
  }

private:
  std::optional<Merit> merit_of(const Set& set) const {
    Merit merit{0, 0};
    double weights = 0;
    for (std::size_t p = 0; p < losses_.sizes(); ++p) {
      const double loss = losses_.best(set, p);
      if (!(loss <= std::max(limit_, losses_.least[p]) + rounding))
        return std::nullopt;
      merit.mean += losses_.weights[p] * std::log(loss);
      weights += losses_.weights[p];
    }
    merit.mean /= weights;
    for (const std::size_t one : set)
      merit.held += previous_[one];
    return merit;
  }

  const Losses& losses_;
  double limit_;
  const std::vector<bool>& previous_;
};

CoverStep step_of(const Losses& losses, const Set& set) {
  CoverStep step;
  step.loss = losses.figures(set);
  for (const std::size_t one : set)
    step.configurations.push_back(losses.candidates[one]);
  std::sort(step.configurations.begin(), step.configurations.end());
  step.configurations.erase(std::unique(step.configurations.begin(), step.configurations.end()),
                            step.configurations.end());
  return step;
}

/// The lowest worst loss that so many reach, and a set that has it; losses are tried by halving.
std::optional<Set> least_worst(const Losses& losses, const std::vector<double>& limits,
                               std::size_t count) {
  std::optional<Set> found;
  std::size_t low = 0, high = limits.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (auto set = Search(losses, limits[middle]).within(count)) {
      found = std::move(set);
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return found;
}

std::vector<CoverStep> curve_of(const Losses& losses, const CoverRules& rules,
                                const std::vector<bool>& previous) {
  std::vector<double> limits;
  for (const auto& row : losses.of)
    std::copy_if(row.begin(), row.end(), std::back_inserter(limits),
                 [](double loss) { return loss < never; });
  std::sort(limits.begin(), limits.end());
  limits.erase(std::unique(limits.begin(), limits.end()), limits.end());
  std::vector<CoverStep> curve;
  for (std::size_t count = 1; count <= rules.most; ++count) {
    const auto set = least_worst(losses, limits, count);
    if (!set)
      continue; // no so few are valid at every size
    const double limit = losses.figures(*set).worst;
    curve.push_back(step_of(losses, Exchange(losses, limit, previous).improved(*set)));
    if (curve.back().loss.geometric_mean <= 1 + rounding || set->size() < count)
      break;
  }
  return curve;
}

/// Which candidates a previous set held.
std::vector<bool> held_before(const SizeTable& table, const Losses& losses,
                              const std::vector<Configuration>& previous) {
  std::vector<bool> held;
  for (const std::size_t c : losses.candidates)
    held.push_back(holds(previous, table.configurations[c].configuration));
  return held;
}

/// The previous set as it was, where it still serves.
/// @param needed configurations
std::optional<Set> kept(const Losses& losses, const CoverRules& rules,
                        const std::vector<bool>& previous, std::size_t needed) {
  Set set;
  for (std::size_t i = 0; i < previous.size(); ++i)
    if (previous[i])
      set.push_back(i);
  if (set.empty() || set.size() != rules.previous.size() || set.size() > needed + needed / 2 + 1)
    return std::nullopt;
  for (std::size_t p = 0; p < losses.sizes(); ++p)
    if (losses.best(set, p) > std::max(rules.previous_worst_loss, losses.least[p]))
      return std::nullopt;
  return set;
}

} // namespace

std::vector<double> least_costs(const SizeTable& table) {
  std::vector<double> best;
  for (std::size_t p = 0; p < table.problems.size(); ++p) {
    double least = 0;
    for (std::size_t c = 0; c < table.configurations.size(); ++c)
      if (const SizeCell& cell = table.cell(p, c); cell.state == CellState::measured)
        least = least > 0 ? std::min(least, cell.cost) : cell.cost;
    best.push_back(least);
  }
  return best;
}

std::vector<std::size_t> best_of_each(const SizeTable& table) {
  const std::vector<double> best = least_costs(table);
  std::vector<std::size_t> fastest(best.size(), 0);
  for (std::size_t p = 0; p < best.size(); ++p)
    for (std::size_t c = table.configurations.size(); c-- > 0;)
      if (const SizeCell& cell = table.cell(p, c);
          cell.state == CellState::measured && cell.cost == best[p])
        fastest[p] = c;
  return fastest;
}

std::vector<std::size_t> shippable(const SizeTable& table) {
  std::vector<std::size_t> right;
  for (std::size_t c = 0; c < table.configurations.size(); ++c) {
    bool measured = false, failed = false;
    for (std::size_t p = 0; p < table.problems.size(); ++p) {
      const CellState state = table.cell(p, c).state;
      measured |= state == CellState::measured;
      failed |= state == CellState::failed || state == CellState::wrong;
    }
    if (measured && !failed)
      right.push_back(c);
  }
  return right;
}

Cover cover(const SizeTable& table, const CoverRules& rules) {
  if (!(rules.worst_loss >= 1))
    throw InputError(
        fmt::format("worst loss {}: expected 1 or more, such as 1.03 for 3 %", rules.worst_loss));
  const Losses losses = preferred(table, losses_of(table), rules);
  const std::vector<bool> previous = held_before(table, losses, rules.previous);
  Set set = fewest(losses, rules.worst_loss, rules.most);
  if (auto same = kept(losses, rules, previous, set.size()))
    set = *std::move(same);
  else
    set = Exchange(losses, rules.worst_loss, previous).improved(std::move(set));
  CoverStep step = step_of(losses, set);
  return {std::move(step.configurations), step.loss,
          rules.curve ? curve_of(losses, rules, previous) : std::vector<CoverStep>{}};
}

} // namespace gridsmith
