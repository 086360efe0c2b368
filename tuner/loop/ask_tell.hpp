// SPDX-License-Identifier: Apache-2.0
// The one ask/tell loop: a strategy is judged by simulation exactly as it is used to tune.
#pragma once

#include "gridsmith/search/strategies/stop_rule.hpp"
#include "gridsmith/tuner/loop/clock.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace gridsmith {

/// Asked by a waiting caller: nothing more is wanted.
using GiveUp = std::function<bool()>;

/// In which order answers are reported.
enum class Order {
  asked,  ///< an answer waits for those asked before it
  arrival ///< as they come
};

/// Who answers a strategy's questions: the GPU, or a recording.
class Answerer {
public:
  virtual ~Answerer() = default;

  /// How many questions are worth having open at once, of a strategy that needs no answer.
  virtual std::size_t depth() const = 0;

  /// … and for a strategy that learns from each answer: enough to keep all workers busy. Asked
  /// before each question, since it may change with what they turn out to cost.
  virtual std::size_t useful() const { return depth(); }

  virtual void begin(std::span<const ConfigurationId> ids) = 0;

  /// How many that will probably be asked are worth knowing while so many questions are open, of a strategy that hears
  /// each answer.
  virtual std::size_t ahead(std::size_t open) const { return useful() - std::min(useful(), open); }

  /// Will probably be asked, best guess first.
  virtual void expect(std::span<const ConfigurationId> ids) { static_cast<void>(ids); }

  /// Of the open questions, those that take unusually long: as many others are open in addition.
  virtual std::size_t put_off() const { return 0; }

  /// Whether the open questions are the last ones, unless an answer changes that. What is deferred is
  /// waited for then, though not for ever.
  virtual void are_last(bool last) { static_cast<void>(last); }

  /// Questions that were cancelled until now. They are answered as failures, and are no evaluations.
  virtual std::size_t given_up() const { return 0; }

  /// Answers to open questions: `least` or more, fewer only after a cancellation, or where answers come
  /// in the order of arrival and one more question was deferred. Valid until the next call.
  virtual std::span<const Observation> take(std::size_t least, Order order,
                                            const GiveUp& give_up) = 0;

protected:
  Answerer() = default;
  Answerer(const Answerer&) = default;
  Answerer& operator=(const Answerer&) = default;
};

struct AskTellLimits {
  std::uint64_t evaluations = 0;      ///< at most
  std::optional<double> seconds = {}; ///< of the clock, from the first question on
  /// The same questions on every run: a batch is asked and answered whole.
  bool repeatable = false;
  /// How many are open at once, as far as the strategy takes them, in place of batch(), useful() or depth().
  std::optional<std::size_t> most_open = {};
  /// Set: hears every answer, and ends a search of a strategy that learns. Outlives it.
  StopRule* rule = nullptr;
};

enum class Ended {
  finished,    ///< the strategy or the evaluations came to their end
  unlikely,    ///< questions may be open: going on is not likely to pay
  out_of_time, ///< questions may be open
  stopped,     ///< likewise: a stop was requested
};

struct AskTellResult {
  Ended ended = Ended::finished;
  std::uint64_t asked = 0, told = 0;
  double search_ms = 0; ///< the strategy's own time
};

/// Asks and tells until space, budget, time or the caller's stop ends it. A strategy that needs no
/// answer has depth() questions open, and hears answers in the order asked. Any other has useful() of
/// them, if it takes so many, and hears each answer when it is there, so that a slow one delays
/// no other. Repeatable, it is asked for a batch instead, which is answered whole, so that it sees the
/// same answers in the same groups on every run.
AskTellResult ask_and_tell(Strategy& strategy, Answerer& answerer, const AskTellLimits& limits,
                           const Clock& clock, std::stop_token stop = {});

} // namespace gridsmith
