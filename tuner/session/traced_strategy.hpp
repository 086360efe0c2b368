// SPDX-License-Identifier: Apache-2.0
// A strategy, and what it takes to ask and to learn.
#pragma once

#include "gridsmith/search/strategies/strategy.hpp"
#include "gridsmith/tuner/processes/spanned.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace gridsmith {

/// Row "strategy". Does what the other does, in its order.
class TracedStrategy final : public Strategy {
public:
  /// @param strategy outlives it, as do the spans
  TracedStrategy(Strategy& strategy, const SpanSink& spans) : strategy_(&strategy), spans_(spans) {}

  std::vector<ConfigurationId> ask(std::size_t count) override {
    return spanned(spans_, "strategy", "ask", [&] { return strategy_->ask(count); });
  }

  void tell(std::span<const Observation> observations) override {
    spanned(spans_, "strategy", "learn", [&] { strategy_->tell(observations); });
  }

  void withdraw(ConfigurationId id) override { strategy_->withdraw(id); }

  std::size_t batch() const override { return strategy_->batch(); }

  std::size_t most_pending() const override { return strategy_->most_pending(); }

  bool wants_counters() const override { return strategy_->wants_counters(); }

  std::optional<Hope> hope() const override { return strategy_->hope(); }

  std::vector<ConfigurationId> likely(std::size_t count) const override {
    return spanned(spans_, "strategy", "guess", [&] { return strategy_->likely(count); });
  }

private:
  Strategy* strategy_;
  const SpanSink& spans_;
};

} // namespace gridsmith
