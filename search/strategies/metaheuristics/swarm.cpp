// SPDX-License-Identifier: Apache-2.0
// Particle swarm on value positions, rounded at random; a particle outside the space is measured
// where repair towards its own best enters it. Kennedy, Eberhart, ICNN 1995; Shi, Eberhart, CEC
// 1998.
#include "gridsmith/search/space/neighbours.hpp"
#include "gridsmith/search/strategies/metaheuristics/population.hpp"
#include "gridsmith/search/strategies/metaheuristics/stepping.hpp"

#include <algorithm>
#include <cmath>

namespace gridsmith {
namespace {

constexpr std::size_t swarm_size = 12;
// Less than the constriction of Clerc and Kennedy (0.73, 1.5): it has to settle within a hundred or
// two.
constexpr double inertia = 0.5, pull = 1.3;
constexpr int most_stagnant = 12; // flights of one particle, before it starts anew

struct Particle {
  std::vector<double> place, velocity; ///< in value positions
  int stagnation = 0;                  ///< flights since its best
};

class Swarm final : public SteppingStrategy {
public:
  explicit Swarm(const SearchProblem& problem)
      : SteppingStrategy(problem), bests_(problem.space, swarm_size) {}

  std::size_t batch() const override { return swarm_size; }

private:
  Attempt step() override {
    if (!bests_.ready())
      return {start()};
    while (particles_.size() < bests_.members().size())
      particles_.push_back(placed(bests_.members()[particles_.size()].positions));
    next_ = (next_ + 1) % particles_.size();
    Particle& particle = particles_[next_];
    if (particle.stagnation > most_stagnant) {
      const ConfigurationId afresh = draw();
      particle = placed(positions_of(space(), afresh));
      return {afresh, next_};
    }
    fly(particle, bests_.members()[next_], bests_.members()[bests_.best()]);
    return {repair(space(), rounded(particle), bests_.members()[next_].id, random()), next_};
  }

  void answer(const Attempt& candidate, double cost) override {
    if (!candidate.role)
      bests_.add(candidate.id, cost);
    else if (bests_.replace(*candidate.role, candidate.id, cost))
      particles_[*candidate.role].stagnation = 0;
    else
      ++particles_[*candidate.role].stagnation;
  }

  Particle placed(const std::vector<Position>& positions) {
    Particle particle;
    for (std::size_t p = 0; p < positions.size(); ++p) {
      particle.place.push_back(positions[p]);
      particle.velocity.push_back((unit(random()) - 0.5) * range(p));
    }
    return particle;
  }

  void fly(Particle& particle, const Member& own, const Member& best) {
    for (std::size_t p = 0; p < particle.place.size(); ++p) {
      double& place = particle.place[p];
      double& velocity = particle.velocity[p];
      velocity = inertia * velocity + pull * unit(random()) * (own.positions[p] - place) +
                 pull * unit(random()) * (best.positions[p] - place);
      velocity = std::clamp(velocity, -range(p), range(p));
      place = std::clamp(place + velocity, 0.0, range(p));
    }
  }

  std::vector<Position> rounded(const Particle& particle) {
    std::vector<Position> positions;
    for (std::size_t p = 0; p < particle.place.size(); ++p) {
      const double moved = std::floor(particle.place[p] + unit(random()));
      positions.push_back(static_cast<Position>(std::clamp(moved, 0.0, range(p))));
    }
    return positions;
  }

  double range(std::size_t parameter) const {
    return static_cast<double>(space().parameters()[parameter].values.size() - 1);
  }

  Population bests_; ///< the best of each particle
  std::vector<Particle> particles_;
  std::size_t next_ = 0;
};

} // namespace

std::unique_ptr<Strategy> make_swarm(const SearchProblem& problem) {
  return std::make_unique<Swarm>(problem);
}

} // namespace gridsmith
