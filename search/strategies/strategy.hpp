// SPDX-License-Identifier: Apache-2.0
// Strategies propose configurations and learn from measurements, by ask and tell. They know names
// and values of parameters, never a kernel or a device by name, and never run anything themselves.
#pragma once

#include "gridsmith/search/space/observation.hpp"
#include "gridsmith/search/space/space.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// What is known of the configuration before spending an evaluation (compile facts, predicted
/// occupancy), by name; empty when nothing is. May be expensive: ask for few.
using Foresight = std::function<std::map<std::string, double>(ConfigurationId)>;

/// What a strategy works on; everything lives longer than the strategy.
struct SearchProblem {
  const SearchSpace& space;
  std::uint64_t seed = 0;
  /// How many evaluations are allowed in all; 0: not known.
  std::uint64_t budget = 0;
  /// Asked first, in this order: the occupancy formula's estimates.
  std::vector<ConfigurationId> seeds = {};
  /// Observations of the nearest device and problem, translated to this space: a hint, possibly
  /// wrong. The costs are on another scale.
  std::vector<Observation> transfer_prior = {};
  Foresight foresight = {};
  /// How many are compiled side by side while the device measures; 0: what compiling takes is of no
  /// account.
  std::size_t compilers = 0;
};

/// What a strategy with a model expects of going on.
struct Hope {
  double gain = 0;   ///< largest expected improvement of a candidate, of the natural log of cost
  double chance = 0; ///< that one of the best candidates is better by more than a hundredth
};

/// A question is pending from the ask() that returned it until it is answered or withdrawn. While
/// nothing is withdrawn, the questions depend on the seed and on the answers and their order,
/// and on nothing else.
class Strategy {
public:
  virtual ~Strategy() = default;

  /// At most `count` configurations that are neither pending nor answered. None while questions are pending: none
  /// before the next answer; else none at all.
  virtual std::vector<ConfigurationId> ask(std::size_t count) = 0;

  /// Answers, one at a time or several, in any order. Those to what was not asked (known from
  /// elsewhere) are learned from as well, and will not be asked.
  virtual void tell(std::span<const Observation> observations) = 0;

  /// A pending question will not be answered; it may be asked again later. No effect on one that
  /// is not pending.
  virtual void withdraw(ConfigurationId id) = 0;

  /// How many configurations are best asked for at once where all of them are answered before the next
  /// are asked.
  virtual std::size_t batch() const { return 1; }

  /// How many may be pending at once, where each is answered as soon as it is known.
  virtual std::size_t most_pending() const { return batch(); }

  /// Whether it learns from hardware counters, so that an answer is not complete without them.
  virtual bool wants_counters() const { return false; }

  /// As of its last question; nothing without a model, or before it knows anything.
  virtual std::optional<Hope> hope() const { return std::nullopt; }

  /// What it will probably ask next, best guess first: compiled ahead, never certain.
  virtual std::vector<ConfigurationId> likely(std::size_t count) const {
    static_cast<void>(count);
    return {};
  }

protected:
  Strategy() = default;
  Strategy(const Strategy&) = default;
  Strategy& operator=(const Strategy&) = default;
};

/// batch() of strategies that never need an answer (exhaustive, random).
inline constexpr std::size_t unlimited_batch = std::numeric_limits<std::size_t>::max();

using StrategyMaker = std::function<std::unique_ptr<Strategy>(const SearchProblem&)>;

/// A word of the command line, what it does in one line, and how it is made.
struct StrategyEntry {
  std::string name;
  std::string summary;
  StrategyMaker make;
};

/// The visible table of all strategies, `default` first.
const std::vector<StrategyEntry>& strategies();

/// @throws InputError with the nearest name.
const StrategyEntry& strategy_entry(std::string_view name);
/// @throws InputError with the nearest name.
std::unique_ptr<Strategy> make_strategy(std::string_view name, const SearchProblem& problem);

} // namespace gridsmith
