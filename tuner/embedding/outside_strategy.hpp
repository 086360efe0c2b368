// SPDX-License-Identifier: Apache-2.0
// A strategy that is written in another language, by its callbacks.
#pragma once

#include "gridsmith/search/strategies/strategy.hpp"
#include "gridsmith/tuner/embedding/gridsmith.h"

#include <functional>
#include <set>
#include <span>
#include <vector>

/// What the callbacks see of it.
struct gridsmith_space {
  const gridsmith::SearchSpace& space;
};

namespace gridsmith {

class OutsideStrategy final : public Strategy {
public:
  /// @param call runs a callback in the thread that it belongs to
  /// @param stop is called where a callback asks for the end
  OutsideStrategy(const gridsmith_strategy& callbacks, const SearchProblem& problem,
                  std::function<void(const std::function<void()>&)> call,
                  std::function<void()> stop);
  ~OutsideStrategy() override;
  OutsideStrategy(const OutsideStrategy&) = delete;
  OutsideStrategy& operator=(const OutsideStrategy&) = delete;

  /// What it asked for before, and what it is not to ask for, is left out.
  /// @throws InputError: not in the space
  std::vector<ConfigurationId> ask(std::size_t count) override;
  void tell(std::span<const Observation> observations) override;
  void withdraw(ConfigurationId id) override;
  std::size_t batch() const override;

private:
  const gridsmith_strategy callbacks_;
  const gridsmith_space space_;
  const std::function<void(const std::function<void()>&)> call_;
  const std::function<void()> stop_;
  std::set<ConfigurationId> asked_; ///< and answered
};

} // namespace gridsmith
