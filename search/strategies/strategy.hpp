// Strategies propose configurations and learn from measurements, by ask and tell. They know names
// and values of parameters, never a kernel or a device by name, and never run anything themselves.
#pragma once

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

/// What a strategy is told about one configuration it asked for.
struct Observation {
  ConfigurationId id = 0;
  bool valid =
      false;       ///< false: it failed (compile, run, wrong result, time-out); cost says nothing
  double cost = 0; ///< to be made small; the time in ms
  std::map<std::string, double> facts; ///< counters and compile facts by name, where there are any
};

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
  std::vector<Observation> prior = {};
  Foresight foresight = {};
};

class Strategy {
public:
  virtual ~Strategy() = default;

  /// At most `count` configurations never asked before; empty when nothing is left to ask.
  /// The caller tells the answers to all of them, in the order asked.
  virtual std::vector<ConfigurationId> ask(std::size_t count) = 0;
  virtual void tell(std::span<const Observation> observations) = 0;

  /// How many configurations it gladly asks for before it needs an answer.
  virtual std::size_t batch() const { return 1; }

  /// What it will probably ask next, best guess first: compiled ahead, never a promise.
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

/// A word of the command line, what it does in one line, and how it is made.
struct StrategyEntry {
  std::string name;
  std::string summary;
  std::function<std::unique_ptr<Strategy>(const SearchProblem&)> make;
  /// It behaves differently for different SearchProblem::budget; simulations then run it anew for
  /// each budget.
  bool plans_with_budget = false;
};

/// The visible table of all strategies, `default` first.
const std::vector<StrategyEntry>& strategies();

/// @throws InputError with the nearest name.
const StrategyEntry& strategy_entry(std::string_view name);
/// @throws InputError with the nearest name.
std::unique_ptr<Strategy> make_strategy(std::string_view name, const SearchProblem& problem);

} // namespace gridsmith
