// SPDX-License-Identifier: Apache-2.0
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
#include <vector>

namespace gridsmith {

/// A failed configuration where costs are compared: worse than any other.
inline constexpr double failed_cost = std::numeric_limits<double>::infinity();

/// Base of strategies: they propose candidates, this class keeps the rules.
class ProposingStrategy : public Strategy {
public:
  std::vector<ConfigurationId> ask(std::size_t count) final;
  void tell(std::span<const Observation> observations) final;
  void withdraw(ConfigurationId id) final;
  /// The seeds not asked yet, then what likely_next() says, without what was asked.
  std::vector<ConfigurationId> likely(std::size_t count) const final;

protected:
  explicit ProposingStrategy(const SearchProblem& problem);

  /// Candidates, best first; called when the seeds are through. What was asked before, repeats
  /// itself or lies outside is dropped, what is beyond `count` as well; when nothing is left, a
  /// uniform draw of the unasked is asked.
  virtual std::vector<ConfigurationId> propose(std::size_t count) = 0;

  /// All that was told, seeds and uniform draws included. A cost that is not finite comes as a
  /// failure.
  virtual void learn(std::span<const Observation> observations) = 0;

  /// A pending question was withdrawn; asked(id) is false again.
  virtual void unlearn(ConfigurationId id) { static_cast<void>(id); }

  /// Probable next candidates, best first.
  virtual std::vector<ConfigurationId> likely_next(std::size_t count) const {
    static_cast<void>(count);
    return {};
  }

  const SearchProblem& problem() const { return problem_; }

  const SearchSpace& space() const { return problem_.space; }

  Random& random() { return random_; }

  /// Pending or told.
  bool asked(ConfigurationId id) const { return costs_.contains(id); }

  /// Cost told for a configuration (failed_cost when it failed); nothing before.
  std::optional<double> cost(ConfigurationId id) const;

  std::uint64_t asked_count() const { return costs_.size(); }

  std::uint64_t unasked_count() const { return size_ - costs_.size(); }

  /// Uniform among those neither asked nor drawn before. @pre unasked_count() > 0
  ConfigurationId draw();
  /// A good place to begin or begin again: the best of the transfer prior first, then draw().
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
  std::vector<ConfigurationId> starts_; ///< of the transfer prior, the most promising last
  std::unordered_map<ConfigurationId, std::optional<double>> costs_; ///< nothing while pending
};

} // namespace gridsmith
