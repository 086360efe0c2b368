// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/guard/pair_worker.hpp"

#include <algorithm>
#include <utility>

namespace gridsmith {
namespace {

/// The first A B B A: its first half is launched one by one, and clocks come up.
constexpr int warm_rounds = 2;

void drop_warm(std::vector<double>& samples) {
  samples.erase(samples.begin(),
                samples.begin() + std::min<std::ptrdiff_t>(warm_rounds, std::ssize(samples)));
}

} // namespace

PairWorker::PairWorker(WorkerSettings settings, UseDevice device) : link_(std::move(settings)) {
  link_.use(std::move(device));
}

void PairWorker::open(OpenWork open) {
  seed_ = open.seed;
  link_.open(std::move(open));
}

std::optional<PairExecutions> PairWorker::run(const PairSides& sides, const PairsAsked& asked,
                                              const std::stop_token& stop) {
  constexpr int most_attempts = 3;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    const std::size_t restarts = link_.restarts();
    auto executions =
        asked.keep_scratch ? run_apart(sides, asked, stop) : run_once(sides, asked, stop);
    // A process that ended in between has repeated one side alone: those are no pairs.
    if (!executions || !executions->good() || link_.restarts() == restarts)
      return executions;
  }
  throw WorkerRefused("the GPU worker keeps ending while old and new code run in turn", false);
}

std::optional<PairExecutions> PairWorker::run_once(const PairSides& sides, const PairsAsked& asked,
                                                   const std::stop_token& stop) {
  const std::uint64_t before = next_id_++, now = next_id_++;
  EvaluateBatch batch{.mode = Mode::check,
                      .jobs = {{before, "before", sides.before}, {now, "now", sides.now}},
                      .order = BatchOrder::mirrored,
                      .rounds = warm_rounds + 2 * asked.pairs,
                      .second_seed = seed_ + (asked.change == 0 ? 1 : 0),
                      .change = asked.change,
                      .vary = asked.vary};
  if (asked.new_first)
    std::swap(batch.jobs.front(), batch.jobs.back());
  auto done = link_.evaluate_all(std::move(batch), stop);
  if (!done)
    return std::nullopt;
  if (asked.new_first)
    std::swap(done->front(), done->back());
  PairExecutions executions{std::move(done->front()), std::move(done->back())};
  drop_warm(executions.before.times_ms);
  drop_warm(executions.now.times_ms);
  return executions;
}

/// What one leaves behind is not the other's.
std::optional<PairExecutions> PairWorker::run_apart(const PairSides& sides, const PairsAsked& asked,
                                                    const std::stop_token& stop) {
  const auto alone = [&](const char* label, const Launchable& side) {
    return link_.evaluate_all({.mode = Mode::check,
                               .jobs = {{next_id_++, label, side}},
                               .order = BatchOrder::mirrored,
                               .rounds = 2 * asked.pairs,
                               .second_seed = seed_ + 1,
                               .change = asked.change,
                               .keep_scratch = true},
                              stop);
  };
  auto before = alone("before", sides.before);
  auto now = before ? alone("now", sides.now) : std::nullopt;
  return now ? std::optional(PairExecutions{std::move(before->front()), std::move(now->front())})
             : std::nullopt;
}

void add_samples(const PairExecutions& executions, PairsOfWorker& to) {
  const std::vector<double>&before = executions.before.times_ms, &now = executions.now.times_ms;
  // One may have been refused a launch that the other was granted.
  const auto common = static_cast<std::ptrdiff_t>(std::min(before.size(), now.size()));
  to.old_ms.insert(to.old_ms.end(), before.begin(), before.begin() + common);
  to.new_ms.insert(to.new_ms.end(), now.begin(), now.begin() + common);
}

} // namespace gridsmith
