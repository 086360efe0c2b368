// SPDX-License-Identifier: Apache-2.0
// Iterated local search: from the best of a few draws to the first better neighbour, again and
// again; from a local optimum a jump that changes some parameters of the best, or a fresh start
// when jumps have not paid. Lourenço, Martin, Stützle, Iterated Local Search, Handbook of
// Metaheuristics.
#include "gridsmith/search/space/neighbours.hpp"
#include "gridsmith/search/strategies/metaheuristics/stepping.hpp"

#include <algorithm>

namespace gridsmith {
namespace {

constexpr std::uint64_t climb_draws = 8; // the climb starts from the best of them
constexpr int most_fruitless_jumps = 4;  // jumps from one best before a fresh start
constexpr std::size_t jump_width = 4;    // parameters a jump changes at most

class Greedy final : public SteppingStrategy {
public:
  explicit Greedy(const SearchProblem& problem) : SteppingStrategy(problem) {}

  std::size_t batch() const override { return 4; }

private:
  enum Role : std::size_t { climb, jump };

  Attempt step() override {
    if (asked_count() < climb_draws || current_cost_ == failed_cost)
      return {start()};
    if (!listed_)
      list_neighbours();
    if (!neighbours_.empty()) {
      const ConfigurationId next = neighbours_.back();
      neighbours_.pop_back();
      return {next, climb};
    }
    if (++fruitless_jumps_ <= most_fruitless_jumps)
      return {far_from(best_), jump};
    fruitless_jumps_ = 0;
    best_cost_ = failed_cost; // of this climb; the run's best is the caller's
    return {start(), jump};
  }

  void answer(const Attempt& candidate, double cost) override {
    if (cost == failed_cost)
      return;
    if (candidate.role == jump || cost < current_cost_) {
      current_ = candidate.id;
      current_cost_ = cost;
      listed_ = false;
    }
    if (cost < best_cost_) {
      best_ = candidate.id;
      best_cost_ = cost;
      fruitless_jumps_ = 0;
    }
  }

  std::vector<ConfigurationId> likely_next(std::size_t count) const override {
    const std::size_t listed = std::min(count, neighbours_.size());
    return {neighbours_.rbegin(), neighbours_.rbegin() + static_cast<std::ptrdiff_t>(listed)};
  }

  void list_neighbours() {
    neighbours_ = mixed_neighbours(space(), current_, random());
    std::reverse(neighbours_.begin(), neighbours_.end()); // taken from the back
    listed_ = true;
  }

  ConfigurationId far_from(ConfigurationId origin) {
    ConfigurationId id = origin;
    const std::size_t width = 2 + below(random(), jump_width - 1);
    for (std::size_t change = 0; change < width; ++change)
      id = random_neighbour(space(), id, Neighbourhood::hamming, random()).value_or(id);
    return id;
  }

  ConfigurationId current_ = 0, best_ = 0;
  double current_cost_ = failed_cost, best_cost_ = failed_cost;
  std::vector<ConfigurationId> neighbours_; ///< of current_, not tried yet
  bool listed_ = false;
  int fruitless_jumps_ = 0;
};

} // namespace

std::unique_ptr<Strategy> make_greedy(const SearchProblem& problem) {
  return std::make_unique<Greedy>(problem);
}

} // namespace gridsmith
