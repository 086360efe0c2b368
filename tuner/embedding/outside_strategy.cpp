// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/embedding/outside_strategy.hpp"

#include "gridsmith/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace gridsmith {
namespace {

constexpr std::size_t most_at_once = 64; // as many as keep compilers and GPU at work

} // namespace

OutsideStrategy::OutsideStrategy(const gridsmith_strategy& callbacks, const SearchProblem& problem,
                                 std::function<void(const std::function<void()>&)> call,
                                 std::function<void()> stop)
    : callbacks_(callbacks), space_{problem.space}, call_(std::move(call)), stop_(std::move(stop)) {
  if (callbacks_.begin)
    call_([&] {
      if (callbacks_.begin(callbacks_.user, &space_) != 0)
        stop_();
    });
}

OutsideStrategy::~OutsideStrategy() {
  if (callbacks_.end)
    call_([&] { callbacks_.end(callbacks_.user); });
}

std::vector<ConfigurationId> OutsideStrategy::ask(std::size_t count) {
  std::vector<ConfigurationId> ids(std::min(count, most_at_once));
  std::size_t given = 0;
  call_([&] { given = callbacks_.ask(callbacks_.user, ids.size(), ids.data()); });
  if (given == SIZE_MAX) {
    stop_();
    given = 0;
  }
  if (given > ids.size())
    throw InputError(fmt::format("the strategy asks for {} configurations; at most {} were wanted",
                                 given, ids.size()));
  ids.resize(given);
  for (const ConfigurationId id : ids)
    if (id >= space_.space.size())
      throw InputError(fmt::format("the strategy asks for configuration {}; the space has {}", id,
                                   space_.space.size()));
  std::erase_if(ids, [&](ConfigurationId id) { return !asked_.insert(id).second; });
  return ids;
}

void OutsideStrategy::tell(std::span<const Observation> observations) {
  std::vector<gridsmith_observation> answers;
  answers.reserve(observations.size());
  for (const Observation& one : observations) {
    asked_.insert(one.id);
    answers.push_back({one.id, one.cost.value_or(std::numeric_limits<double>::quiet_NaN())});
  }
  if (callbacks_.tell)
    call_([&] {
      if (callbacks_.tell(callbacks_.user, answers.data(), answers.size()) != 0)
        stop_();
    });
}

void OutsideStrategy::withdraw(ConfigurationId id) {
  asked_.erase(id);
}

std::size_t OutsideStrategy::batch() const {
  return most_at_once;
}

} // namespace gridsmith
