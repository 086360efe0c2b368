// SPDX-License-Identifier: Apache-2.0
// Base of strategies that go step by step and may come back to what they know: a candidate whose
// cost is known is answered at once and costs nothing.
#pragma once

#include "gridsmith/search/strategies/proposing.hpp"

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

namespace gridsmith {

/// A candidate of a stepping strategy, and what it is for: a number of the strategy's own, nothing
/// for what it did not choose itself (a seed, a uniform draw).
struct Attempt {
  ConfigurationId id = 0;
  std::optional<std::size_t> role = {};
};

class SteppingStrategy : public ProposingStrategy {
protected:
  using ProposingStrategy::ProposingStrategy;

  /// The next candidate, known or not. @pre unasked_count() > 0
  virtual Attempt step() = 0;
  /// The answer to a candidate, failed_cost when it failed; of seeds and uniform draws too.
  virtual void answer(const Attempt& candidate, double cost) = 0;

private:
  std::vector<ConfigurationId> propose(std::size_t count) final;
  void learn(std::span<const Observation> observations) final;

  void unlearn(ConfigurationId id) final { roles_.erase(id); }

  std::optional<ConfigurationId> next_unknown(const std::vector<ConfigurationId>& proposed);

  std::unordered_map<ConfigurationId, std::optional<std::size_t>> roles_; ///< of what is pending
};

} // namespace gridsmith
