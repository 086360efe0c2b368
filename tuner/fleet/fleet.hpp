// SPDX-License-Identifier: Apache-2.0
// Several GPUs of one product as one evaluator: whoever has room is given the next trial, and all times
// are made those of the first GPU (anchors.hpp). A GPU that is lost costs nothing but itself: what it
// was given is asked of the others. Only times that the first has reported while it was alone stay its
// own. Finals are measured on one GPU, interleaved, and again on each of the others, whose word is
// apart (gpus()).
#pragma once

#include "gridsmith/tuner/fleet/anchor_choice.hpp"
#include "gridsmith/tuner/fleet/anchors.hpp"
#include "gridsmith/tuner/fleet/open_trials.hpp"

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gridsmith {

/// Its evaluator throws WorkerRefused once it can evaluate nothing more; collect(0 ms) never waits.
struct FleetMember {
  std::function<std::unique_ptr<Evaluator>()> begin; ///< called once, or never
  std::string name;                                  ///< "GPU 1"
  std::string uuid;
};

struct FleetSettings {
  /// Waits until one of these members, by their numbers, may have something, at most so long.
  std::function<void(const std::vector<std::size_t>&, std::chrono::milliseconds)> wait;
  std::function<void(const std::string&)> note = {}; ///< one line that a person should read
  /// From here on all times are those of this member: the one before is lost, without a word.
  std::function<void(std::size_t)> first = {};
  using Worked = std::chrono::duration<double, std::milli>;
  /// Whether the other members begin now, asked with the time that the first has measured since it was
  /// asked last, and that what it was given will take: to start them costs more than they save in a short
  /// search. None: they begin at once.
  std::function<bool(Worked since, Worked ahead)> others_pay = {};
  bool shared_compilers = true; ///< what one member compiles ahead, any of them has
  /// Evaluations of a GPU between two of its anchors; 0: none, times are compared as they are.
  std::size_t anchor_every = 20;
};

class Fleet final : public Evaluator {
public:
  /// @param members of one product; the first is answered for
  Fleet(std::vector<FleetMember> members, FleetSettings settings);

  const Device& device() const override;
  Peaks peaks() const override;
  std::size_t depth() const override;
  std::size_t useful() const override;
  bool counts_later() const override;
  void submit(std::vector<Trial> trials) override;
  /// @throws WorkerRefused when the last member is lost, for its reason; what any member throws beside
  std::vector<Evaluated> collect(std::chrono::milliseconds limit) override;
  void withdraw(TrialId id) override;
  std::optional<double> compiling_s(TrialId id) const override;
  void put_off(TrialId id) override;
  void give_up(TrialId id) override;
  void compile_ahead(const std::vector<Configuration>& likely) override;
  std::size_t spare_compilers() const override;
  void best_so_far(double best_ms) override;
  EvaluatorState state() const override;
  std::vector<GpuAccount> gpus() const override;

private:
  using Clock = std::chrono::steady_clock;

  struct Held {
    Trial trial;
    Evaluated evaluated;
  };

  struct Member {
    std::function<std::unique_ptr<Evaluator>()> begin; ///< none: it has begun
    std::unique_ptr<Evaluator> evaluator;              ///< none: not begun, or lost
    GpuPart part;
    bool anchoring = false; ///< one of them is the anchor
    std::size_t failed = 0; ///< anchors, in a row
    bool named = false;     ///< off its peers
    bool suspect = false;   ///< something hung there, and the anchor has not been right since
    std::vector<Held> held; ///< until its times can be compared
    std::vector<Measurement> finals;
  };

  using Work = std::function<void(Evaluator&)>;
  using Count = std::size_t (Evaluator::*)() const;

  std::vector<std::size_t> at_work() const;
  std::vector<std::size_t> trusted() const; ///< among them those that are no suspects
  std::size_t sum(Count count) const;
  bool alone() const; ///< only the first has begun
  bool others_pay();
  void begin(Member& member);
  void begin_others();
  void attempt(std::size_t member, const Work& work);
  void lose(std::size_t member, const std::string& why);
  void leave_out(std::size_t member, const std::string& why);
  void say_lost(const GpuPart& part, std::size_t repeated) const;
  void tell_first();
  void give(std::size_t member, Purpose purpose, std::vector<Trial> trials);
  void hand_out();
  void begin_finals(const std::vector<Trial>& trials);
  void begin_counting(std::vector<Trial> trials);
  void time_anchors();
  void drop_anchor();
  void take(std::size_t member, Evaluated evaluated);
  void take_race(std::size_t member, const Trial& trial, Evaluated evaluated);
  void suspect(std::size_t member);
  void trust_all();
  void take_anchor(std::size_t member, Evaluated evaluated);
  void refuse_anchor(std::size_t member, const Measurement& measurement);
  void release(std::size_t member);
  void release_finals();
  void name_outliers();
  Evaluated comparable(std::size_t member, Evaluated evaluated) const;

  bool has_races() const { return !waiting_.empty() || asked_.races() > 0; }

  bool holds_any() const;
  std::size_t answering() const;

  FleetSettings settings_;
  std::vector<Member> members_;
  Anchors anchors_;
  std::size_t told_first_ = 0;
  AnchorChoice choice_;
  OpenTrials asked_;
  std::deque<Trial> waiting_;            ///< races that nobody was given yet
  std::vector<Evaluated> finals_, done_; ///< finals: until the other GPUs have them too
  std::optional<double> best_ms_;
  FleetSettings::Worked worked_{},
      worked_before_{}; ///< the first alone: since others_pay() was asked, before
  EvaluatorState gone_; ///< of members that were lost
};

} // namespace gridsmith
