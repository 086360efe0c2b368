// SPDX-License-Identifier: Apache-2.0
// Differential evolution on value positions: current-to-pbest mutation and binomial crossover,
// rounded at random and repaired towards the target. Storn, Price, J. Global Optimization 11
// (1997); Zhang, Sanderson (JADE), IEEE Trans. Evol. Comp. 13(5), 2009.
#include "gridsmith/search/space/neighbours.hpp"
#include "gridsmith/search/strategies/metaheuristics/population.hpp"
#include "gridsmith/search/strategies/metaheuristics/stepping.hpp"

#include <algorithm>
#include <cmath>

namespace gridsmith {
namespace {

constexpr std::size_t target_count = 10;
constexpr double crossover_rate = 0.5;
constexpr double least_scale = 0.5, most_scale = 1.0; // of the differences, drawn for each trial
constexpr std::size_t elite_rivals = 4; // a tournament of four stands for the best quarter

class Differential final : public SteppingStrategy {
public:
  explicit Differential(const SearchProblem& problem)
      : SteppingStrategy(problem), population_(problem.space, target_count) {}

  std::size_t batch() const override { return target_count; }

private:
  Attempt step() override {
    if (!population_.ready())
      return {start()};
    const std::vector<Member>& members = population_.members();
    target_ = (target_ + 1) % members.size();
    return {repair(space(), trial(members[target_]), members[target_].id, random()), target_};
  }

  void answer(const Attempt& candidate, double cost) override {
    if (candidate.role)
      population_.replace(*candidate.role, candidate.id, cost);
    else
      population_.add(candidate.id, cost);
  }

  std::vector<Position> trial(const Member& target) {
    const std::vector<Member>& members = population_.members();
    const Member& elite = members[population_.tournament(elite_rivals, random())];
    const Member& a = members[below(random(), members.size())];
    const Member& b = members[below(random(), members.size())];
    const double scale = least_scale + (most_scale - least_scale) * unit(random());
    std::vector<Position> place = target.positions;
    const std::size_t certain = below(random(), place.size());
    for (std::size_t p = 0; p < place.size(); ++p) {
      if (p != certain && unit(random()) >= crossover_rate)
        continue;
      const double here = target.positions[p];
      const double there =
          here + scale * (elite.positions[p] - here) + scale * (a.positions[p] - b.positions[p]);
      place[p] = rounded(there, space().parameters()[p].values.size());
    }
    return place;
  }

  /// Up or down by the fraction's chance, so that small differences still move small ranges.
  Position rounded(double place, std::size_t count) {
    const double moved = std::floor(place + unit(random()));
    return static_cast<Position>(std::clamp(moved, 0.0, static_cast<double>(count - 1)));
  }

  Population population_;
  std::size_t target_ = 0;
};

} // namespace

std::unique_ptr<Strategy> make_differential(const SearchProblem& problem) {
  return std::make_unique<Differential>(problem);
}

} // namespace gridsmith
