// SPDX-License-Identifier: Apache-2.0
// Simulated annealing on relative costs: Kirkpatrick, Gelatt, Vecchi, Science 220 (1983). The
// temperature falls geometrically and starts again, so that the search is good at any budget.
#include "gridsmith/search/space/neighbours.hpp"
#include "gridsmith/search/strategies/metaheuristics/stepping.hpp"

#include <algorithm>
#include <cmath>

namespace gridsmith {
namespace {

constexpr std::uint64_t first_draws = 8;
constexpr std::uint64_t cycle = 50; // evaluations from hot to cold
constexpr double hot = 0.05;        // accepts 5 % slower with probability 1/e
constexpr double cold = 0.005;      // accepts 0.5 % slower with probability 1/e
constexpr int most_unmoved = 25;    // evaluations without a move before going back to the best

class Annealing final : public SteppingStrategy {
public:
  explicit Annealing(const SearchProblem& problem) : SteppingStrategy(problem) {}

private:
  enum Role : std::size_t { move };

  Attempt step() override {
    if (asked_count() < first_draws || current_cost_ == failed_cost)
      return {start()};
    if (stagnation_ > most_unmoved)
      go_to(best_, best_cost_);
    // Values next to each other are alike more often than not; far ones leave local optima.
    const auto kind = below(random(), 2) == 0 ? Neighbourhood::adjacent : Neighbourhood::hamming;
    if (const auto next = random_neighbour(space(), current_, kind, random()))
      return {*next, move};
    return {start(), move};
  }

  void answer(const Attempt& candidate, double cost) override {
    ++stagnation_;
    if (cost == failed_cost)
      return;
    if (cost < best_cost_) {
      best_ = candidate.id;
      best_cost_ = cost;
    }
    if (cost < current_cost_ || (candidate.role == move && accepted(cost)))
      go_to(candidate.id, cost);
  }

  bool accepted(double cost) {
    const double scale = std::max(std::abs(current_cost_), std::numeric_limits<double>::min());
    return unit(random()) < std::exp(-(cost - current_cost_) / scale / temperature());
  }

  double temperature() const {
    const double spent = static_cast<double>(asked_count() % cycle) / static_cast<double>(cycle);
    return hot * std::pow(cold / hot, spent);
  }

  void go_to(ConfigurationId id, double cost) {
    current_ = id;
    current_cost_ = cost;
    stagnation_ = 0;
  }

  ConfigurationId current_ = 0, best_ = 0;
  double current_cost_ = failed_cost, best_cost_ = failed_cost;
  int stagnation_ = 0;
};

} // namespace

std::unique_ptr<Strategy> make_annealing(const SearchProblem& problem) {
  return std::make_unique<Annealing>(problem);
}

} // namespace gridsmith
