// SPDX-License-Identifier: Apache-2.0
// Answers a strategy from a recording, in recorded time: compilers side by side and one GPU, as many
// questions out as the loop asks, compilations put off and given up as where it tunes. An event at a
// time; the search itself takes none.
#pragma once

#include "gridsmith/tuner/loop/ask_tell.hpp"
#include "gridsmith/tuner/replay/simulation.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gridsmith {

/// What became of one simulated run.
struct SimulatedRun {
  std::vector<double> best;            ///< ratio after 1, 2, … evaluations
  std::vector<double> at_s;            ///< when each was known, in recorded time
  double end_s = 0;                    ///< in recorded time
  double search_us = 0;                ///< in all
  std::size_t asked = 0, given_up = 0; ///< evaluations; compilations
};

class RecordedAnswerer final : public Answerer {
public:
  /// @param budget evaluations
  /// @param strategy its name, for errors. All outlive it
  RecordedAnswerer(const Judge& judge, const SimulationSettings& settings, std::size_t budget,
                   const std::string& strategy);

  std::size_t depth() const override { return useful_; }

  std::size_t put_off() const override;

  std::size_t given_up() const override { return run_.given_up; }

  void are_last(bool last) override { are_last_ = last; }

  /// @throws std::logic_error for a question outside the space, or asked before.
  void begin(std::span<const ConfigurationId> ids) override;
  std::span<const Observation> take(std::size_t least, Order order, const GiveUp& give_up) override;

  const Clock& clock() const { return clock_; }

  /// Once: what is still compiled is given up.
  SimulatedRun finish(double search_us);

private:
  struct Work {
    ConfigurationId id;
    std::uint64_t number; ///< in the order asked
    double begun_s = 0;   ///< compiling
    double ready_s = 0;   ///< compiled, or measured
    bool put_off = false, given_up = false;
  };

  using Queue = std::vector<Work>;

  std::size_t open() const;
  Observation answer_of(const Work& work) const;
  void start_some();
  bool last() const;
  void see_idle();
  double given_up_s(const Work& work) const;
  double patience_s(const Work& work) const;
  bool step();
  void take_compiled(Queue::iterator which);
  bool lose_patience(Queue::iterator which);
  void give_up(Queue::iterator which);
  void answer(const Work& work);

  const Judge& judge_;
  const std::string& strategy_;
  std::vector<bool> asked_;
  std::size_t budget_, useful_;
  CompilePatience patience_;
  bool are_last_ = false;
  std::optional<double>
      idle_since_s_;        ///< nothing is left to be asked, and only compilers have work
  bool by_arrival_ = false; ///< answers are wanted as they come
  std::size_t compilers_;   ///< 0: each is compiled when its turn comes
  std::uint64_t begun_ = 0;
  Queue waiting_, compiling_, compiled_; ///< the first first
  std::optional<Work> measuring_;
  std::vector<Work> taken_;
  std::vector<Observation> told_;
  VirtualClock clock_;
  double best_ = std::numeric_limits<double>::infinity();
  SimulatedRun run_;
};

} // namespace gridsmith
