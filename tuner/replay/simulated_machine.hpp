// SPDX-License-Identifier: Apache-2.0
// Compilers side by side and one GPU behind them, in virtual time: what is begun takes as long as it is said to take.
// Knows no configuration and no measurement. Evaluators that share it share its compilers, its GPU and its time.
#pragma once

#include "gridsmith/tuner/loop/clock.hpp"
#include "gridsmith/tuner/loop/evaluator.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace gridsmith {

class SimulatedMachine {
public:
  /// @param compilers 0: each is compiled when its turn at the GPU comes, one thing after the other
  explicit SimulatedMachine(std::size_t compilers) : compilers_(compilers) {}

  /// Stands still but for pass().
  const Clock& clock() const { return clock_; }

  std::size_t compilers() const { return compilers_; }

  /// @param whose by whom, and under which of its own numbers, it is asked for later
  void begin(const Evaluator& whose, TrialId id, double compile_s, double measure_s);
  /// On to the moment at which the next one is done, whosever it is, by `limit_s` at most.
  void pass(double limit_s);
  /// Those that are done, once.
  std::vector<TrialId> take(const Evaluator& whose);
  void withdraw(const Evaluator& whose, TrialId id);
  /// By now; nothing where it waits for a compiler or is compiled.
  std::optional<double> compiling_s(const Evaluator& whose, TrialId id) const;
  /// What is compiled, waits and is measured.
  EvaluatorState state() const;

private:
  enum class Stage { waiting, compiling, compiled, measured, done };

  struct Work {
    const Evaluator* whose;
    TrialId id;
    double compile_s, measure_s;
    Stage stage = Stage::waiting;
    double since_s = 0; ///< when the stage began …
    double until_s = 0; ///< … and ends, where it takes its time
  };

  using Works = std::vector<Work>;

  std::size_t count(Stage stage) const;
  Works::iterator first(Stage stage);
  Works::const_iterator find(const Evaluator& whose, TrialId id) const;
  void enter(Work& work, Stage stage, double seconds = 0);
  void start_some();
  bool end_stage(Work& work);

  std::size_t compilers_;
  VirtualClock clock_;
  Works works_; ///< in the order in which they were begun
};

} // namespace gridsmith
