// SPDX-License-Identifier: Apache-2.0
// GPUs that do not exist, as evaluators on a clock that does not run: a time per configuration, their own
// speed, drift and noise, compilers that take their time. Hours pass in milliseconds.
#pragma once

#include "gridsmith/tuner/loop/clock.hpp"
#include "gridsmith/tuner/loop/evaluator.hpp"
#include "gridsmith/tuner/processes/worker_link.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace gridsmith::test {

/// The time of a world, which a tuning may live by.
struct MadeUpWorld final : Clock {
  double now_s() const override { return now_ms / 1000; }

  double now_ms = 0;
};

/// Shared by GPUs, as a pool of compilers is.
class MadeUpCompilers {
public:
  MadeUpCompilers(std::size_t count, std::function<double(const Configuration&)> ms)
      : free_at_(count, 0), ms_(std::move(ms)) {}

  /// When it is compiled, if it is asked for now, or was before.
  double compiled_at(const Configuration& configuration, double now_ms) {
    const auto [at, fresh] = compiled_at_.emplace(to_text(configuration), 0);
    if (!fresh)
      return at->second;
    const auto next = std::min_element(free_at_.begin(), free_at_.end());
    const double ms = ms_(configuration);
    busy_ms_ += ms;
    return at->second = *next = std::max(*next, now_ms) + ms;
  }

  /// … where a compiler has nothing to do.
  void compile_ahead(const Configuration& configuration, double now_ms) {
    if (*std::min_element(free_at_.begin(), free_at_.end()) <= now_ms)
      compiled_at(configuration, now_ms);
  }

  std::size_t idle(double now_ms) const {
    return static_cast<std::size_t>(std::count_if(
        free_at_.begin(), free_at_.end(), [&](double free_at) { return free_at <= now_ms; }));
  }

  std::size_t count() const { return free_at_.size(); }

  std::size_t compilations() const { return compiled_at_.size(); }

  /// What all compilations took.
  double busy_ms() const { return busy_ms_; }

private:
  std::map<std::string, double> compiled_at_;
  std::vector<double> free_at_;
  double busy_ms_ = 0;
  std::function<double(const Configuration&)> ms_;
};

struct MadeUpGpuFacts {
  double speed = 1;                ///< its times are so many times as long
  double drift = 0, period_ms = 0; ///< ± this share of them, over so long
  double noise = 0;                ///< standard deviation of a sample
  double overhead_ms = 1;          ///< of a configuration, beside its launches
  std::uint64_t seed = 1;
  std::size_t lost_after = SIZE_MAX;  ///< so many answers
  std::size_t hangs_after = SIZE_MAX; ///< so many trials; all that follow end in a time-out
  bool counts = false;                ///< later than it times, or at once
  bool refuses = false;               ///< it cannot be started
  std::int64_t hangs_on = 0; ///< values of the first parameter that are multiples of it; 0: none
};

class MadeUpGpu final : public Evaluator {
public:
  /// @param free_at_ms of a board that several evaluators measure on; none: its own
  MadeUpGpu(MadeUpWorld& world, std::shared_ptr<MadeUpCompilers> compilers,
            std::function<double(const Configuration&)> ms, MadeUpGpuFacts facts,
            std::shared_ptr<double> free_at_ms = nullptr)
      : world_(world), compilers_(std::move(compilers)), ms_(std::move(ms)), facts_(facts),
        random_(facts.seed),
        free_at_ms_(free_at_ms ? std::move(free_at_ms) : std::make_shared<double>(0)) {
    device_.name = "made up";
  }

  const Device& device() const override { return device_; }

  std::size_t depth() const override { return 64; }

  std::size_t useful() const override { return compilers_ ? compilers_->count() : depth(); }

  bool counts_later() const override { return facts_.counts; }

  void submit(std::vector<Trial> trials) override {
    if (facts_.counts)
      note_sessions(trials);
    for (Trial& trial : trials) {
      const bool raced = trial.mode == Mode::race;
      const double ready = compilers_ && raced
                               ? compilers_->compiled_at(trial.configuration, world_.now_ms)
                               : world_.now_ms;
      const double begin = std::max(ready, *free_at_ms_);
      Measurement one;
      one.configuration = std::move(trial.configuration);
      one.mode = trial.mode;
      one.status = hangs(one.configuration) ? Status::timeout : Status::correct;
      const double ms = ms_(one.configuration) * speed_at(begin);
      std::normal_distribution<double> noise(1, facts_.noise);
      if (facts_.counts && one.correct() && (trial.count || !trial.time))
        one.counters = {{"sectors", 1}};
      for (int i = 0; one.correct() && trial.time && i < (raced ? 7 : 15); ++i)
        one.times_ms.push_back(ms * noise(random_));
      if (!one.correct())
        one.reason = "no answer from the GPU";
      one.spent.time_ms = facts_.overhead_ms + ms * static_cast<double>(one.times_ms.size());
      *free_at_ms_ = begin + (one.correct() ? 0 : 1000) + one.spent.time_ms;
      open_.emplace(*free_at_ms_, Evaluated{trial.id, std::move(one)});
    }
  }

  std::vector<Evaluated> collect(std::chrono::milliseconds) override {
    std::vector<Evaluated> done;
    while (!open_.empty() && open_.begin()->first <= world_.now_ms) {
      if (answered_++ >= facts_.lost_after)
        throw WorkerRefused("it fell off the bus", true);
      done.push_back(std::move(open_.begin()->second));
      open_.erase(open_.begin());
    }
    return done;
  }

  void compile_ahead(const std::vector<Configuration>& likely) override {
    for (const Configuration& one : likely)
      if (compilers_)
        compilers_->compile_ahead(one, world_.now_ms);
  }

  std::size_t spare_compilers() const override {
    if (!compilers_)
      return 0;
    const std::size_t idle = compilers_->idle(world_.now_ms), kept = compilers_->count() / 4;
    return idle - std::min(idle, kept);
  }

  void withdraw(TrialId id) override {
    std::erase_if(open_, [&](const auto& one) { return one.second.id == id; });
  }

  EvaluatorState state() const override {
    EvaluatorState state;
    state.measuring = open_.empty() ? 0 : 1;
    return state;
  }

  std::size_t sessions() const { return sessions_; } ///< of counters

  std::size_t seeds() const { return seeds_; } ///< how often its data was another

  /// When the next answer is there; infinity without one.
  double next_ms() const { return open_.empty() ? INFINITY : open_.begin()->first; }

private:
  /// A race is counted alone, everything else of one call together.
  void note_sessions(const std::vector<Trial>& trials) {
    bool group = false, other_data = false;
    for (const Trial& trial : trials) {
      const bool counted = trial.count || !trial.time,
                 alone = trial.mode == Mode::race && trial.time;
      sessions_ += counted && alone ? 1 : 0;
      group = group || (counted && !alone);
      other_data = other_data || (trial.mode != Mode::race && trial.time && trial.new_data);
    }
    sessions_ += group ? 1 : 0;
    seeds_ += other_data ? 1 : 0;
  }

  bool hangs(const Configuration& configuration) {
    return submitted_++ >= facts_.hangs_after ||
           (facts_.hangs_on > 0 &&
            std::get<std::int64_t>(configuration.front().second) % facts_.hangs_on == 0);
  }

  double speed_at(double ms) const {
    constexpr double circle = 6.283185307179586;
    return facts_.speed *
           (1 + (facts_.period_ms > 0
                     ? facts_.drift * std::sin(circle * (ms / facts_.period_ms +
                                                         static_cast<double>(facts_.seed) / 7))
                     : 0));
  }

  MadeUpWorld& world_;
  std::shared_ptr<MadeUpCompilers> compilers_;
  std::function<double(const Configuration&)> ms_;
  MadeUpGpuFacts facts_;
  std::mt19937_64 random_;
  Device device_;
  std::shared_ptr<double> free_at_ms_;
  std::size_t answered_ = 0, submitted_ = 0, sessions_ = 0, seeds_ = 0;
  std::multimap<double, Evaluated> open_; ///< by when it is done
};

/// Goes on to the next answer of one of these.
inline void pass_time(MadeUpWorld& world, const std::vector<const MadeUpGpu*>& gpus) {
  double next = INFINITY;
  for (const MadeUpGpu* one : gpus)
    next = std::min(next, one->next_ms());
  if (std::isfinite(next))
    world.now_ms = std::max(world.now_ms, next);
}

} // namespace gridsmith::test
