// SPDX-License-Identifier: Apache-2.0
// Genetic algorithm in steady state: a child of two tournament winners, uniform crossover, a few
// mutations, and it takes the place of the worst when it is better. Whitley, The GENITOR Algorithm,
// ICGA 1989.
#include "gridsmith/search/space/neighbours.hpp"
#include "gridsmith/search/strategies/metaheuristics/population.hpp"
#include "gridsmith/search/strategies/metaheuristics/stepping.hpp"

namespace gridsmith {
namespace {

constexpr std::size_t parent_count = 10;
constexpr std::size_t rivals = 3;

class Genetic final : public SteppingStrategy {
public:
  explicit Genetic(const SearchProblem& problem)
      : SteppingStrategy(problem), population_(problem.space, parent_count) {}

  std::size_t batch() const override { return 4; }

private:
  Attempt step() override {
    if (!population_.ready())
      return {start()};
    const Member& mother = population_.members()[population_.tournament(rivals, random())];
    const Member& father = population_.members()[population_.tournament(rivals, random())];
    ConfigurationId child = repair(space(), cross(mother, father), mother.id, random());
    // At least one mutation when nothing new came of the crossover.
    if (asked(child) || below(random(), 2) == 0)
      child = mutate(child);
    return {child};
  }

  void answer(const Attempt& candidate, double cost) override {
    population_.add(candidate.id, cost);
  }

  std::vector<Position> cross(const Member& mother, const Member& father) {
    std::vector<Position> child = mother.positions;
    for (std::size_t p = 0; p < child.size(); ++p)
      if (below(random(), 2) == 0)
        child[p] = father.positions[p];
    return child;
  }

  ConfigurationId mutate(ConfigurationId id) {
    do {
      const auto kind = below(random(), 2) == 0 ? Neighbourhood::adjacent : Neighbourhood::hamming;
      id = random_neighbour(space(), id, kind, random()).value_or(id);
    } while (below(random(), 3) == 0);
    return id;
  }

  Population population_;
};

} // namespace

std::unique_ptr<Strategy> make_genetic(const SearchProblem& problem) {
  return std::make_unique<Genetic>(problem);
}

} // namespace gridsmith
