// What every strategy of this folder keeps to, written once: seeds are asked first, no
// configuration is asked twice or lies outside the space, ask() is empty only when the space is
// exhausted, and everything random comes from the problem's seed, the same on every platform.
#pragma once

#include "gridsmith/base/random.hpp"
#include "gridsmith/search/strategies/strategy.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gridsmith {

/// Cost of a failed configuration inside a strategy: worse than any other.
inline constexpr double failed_cost = std::numeric_limits<double>::infinity();

/// Base of strategies: they propose wishes, this class keeps the rules.
class ProposingStrategy : public Strategy {
public:
  std::vector<ConfigurationId> ask(std::size_t count) final;
  void tell(std::span<const Observation> observations) final;
  /// The seeds not asked yet, then what foresee() says, without what was asked.
  std::vector<ConfigurationId> likely(std::size_t count) const final;

protected:
  explicit ProposingStrategy(const SearchProblem& problem);

  /// Wishes, best first; called when the seeds are through. What was asked before, repeats itself
  /// or lies outside is dropped, what is beyond `count` as well; when nothing is left, a uniform
  /// draw of the unasked is asked.
  virtual std::vector<ConfigurationId> propose(std::size_t count) = 0;

  /// All that was told, seeds and uniform draws included. A cost that is not finite comes as a
  /// failure.
  virtual void learn(std::span<const Observation> observations) = 0;

  /// Probable next wishes, best first.
  virtual std::vector<ConfigurationId> foresee(std::size_t count) const {
    static_cast<void>(count);
    return {};
  }

  const SearchProblem& problem() const { return problem_; }

  const SearchSpace& space() const { return problem_.space; }

  Random& random() { return random_; }

  bool asked(ConfigurationId id) const { return costs_.contains(id); }

  /// Cost told for a configuration (failed_cost when it failed); nothing before.
  std::optional<double> cost(ConfigurationId id) const;

  /// How many were asked, and how many never were.
  std::uint64_t asked_count() const { return costs_.size(); }

  std::uint64_t unasked_count() const { return size_ - costs_.size(); }

  /// Uniform among those neither asked nor drawn before. @pre unasked_count() > 0
  ConfigurationId draw();
  /// A good place to begin or begin again: the best of the prior first, then draw().
  /// @pre unasked_count() > 0
  ConfigurationId start();

private:
  bool take(ConfigurationId id, std::vector<ConfigurationId>& out);
  void take_seeds(std::size_t count, std::vector<ConfigurationId>& out);

  const SearchProblem problem_;
  Random random_;
  std::uint64_t size_;
  LazyShuffle unasked_;
  std::size_t next_seed_ = 0;
  std::vector<ConfigurationId> prior_;                ///< the most promising last
  std::unordered_map<ConfigurationId, double> costs_; ///< asked; NaN until told
};

/// A wish of a stepping strategy, and what it was for (an index of its own).
struct Candidate {
  ConfigurationId id = 0;
  std::size_t purpose = 0;
};

/// purpose of a configuration that the strategy did not wish for (a seed, a uniform draw).
inline constexpr std::size_t no_purpose = std::numeric_limits<std::size_t>::max();

/// Base of strategies that go step by step and may come back to what they know: a candidate whose
/// cost is known is answered at once and costs nothing.
class SteppingStrategy : public ProposingStrategy {
protected:
  using ProposingStrategy::ProposingStrategy;

  /// The next candidate, known or not. @pre unasked_count() > 0
  virtual Candidate step() = 0;
  /// The answer to a candidate; of seeds and uniform draws too, with no_purpose.
  virtual void answer(const Candidate& candidate, double cost) = 0;

private:
  std::vector<ConfigurationId> propose(std::size_t count) final;
  void learn(std::span<const Observation> observations) final;
  std::optional<ConfigurationId> next_unknown(const std::vector<ConfigurationId>& wished);

  std::unordered_map<ConfigurationId, std::size_t> purposes_; ///< wished, not answered
};

/// A configuration whose positions are near `wish` and which is in the space: `wish` itself, or
/// what is met first on the way from it to `anchor`, parameters taken over from the anchor in
/// random order; the anchor itself at the latest.
ConfigurationId repair(const SearchSpace& space, std::vector<Position> wish, ConfigurationId anchor,
                       Random& random);

/// A uniform try for a neighbour: one parameter to another value (hamming) or to the next or the
/// previous one (adjacent). Nothing when `tries` tries all left the space. O(1) per try.
std::optional<ConfigurationId> random_neighbour(const SearchSpace& space, ConfigurationId id,
                                                Neighbourhood kind, Random& random,
                                                std::size_t tries = 32);

/// All configurations that differ in one parameter, in random order, every parameter having the
/// same chance to be next: one with two values matters as much as one with thirty.
std::vector<ConfigurationId> mixed_neighbours(const SearchSpace& space, ConfigurationId id,
                                              Random& random);

/// Value positions of a configuration.
std::vector<Position> positions_of(const SearchSpace& space, ConfigurationId id);

} // namespace gridsmith
