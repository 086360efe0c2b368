// SPDX-License-Identifier: Apache-2.0
// Stands in for the device under the steps of the worker: writes down in which order it is asked,
// and answers by rules that a test sets per configuration.
#pragma once

#include "gridsmith/tuner/worker/steps/candidate.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gridsmith::test {

/// Calls in the order they came.
using Calls = std::vector<std::string>;

class FakeError : public DeviceError {
public:
  explicit FakeError(bool lost) : DeviceError("refused (fake.cpp:1)"), lost_(lost) {}

  std::string plain() const override { return "refused"; }

  bool context_lost() const override { return lost_; }

private:
  bool lost_;
};

struct ContextIsLost {
  std::uint64_t id = 0;
};

/// What a fake configuration does.
struct Behaviour {
  double ms = 1;
  std::set<int> refused = {};          ///< launches that the device refuses, counted from 0
  std::optional<int> loses = {};       ///< the launch that loses the context
  bool wrong = false;                  ///< its answer
  bool damages = false;                ///< memory beside its output
  std::optional<int> knows_seed = {};  ///< its answer is right for this seed alone
  std::optional<int> right_until = {}; ///< its answer is right at launches below this one
  std::optional<int> wrong_until = {}; ///< its answer is wrong at launches below this one
  bool wavers = false;                 ///< its answer is right, with other bits each time
  bool skips = false;                  ///< its answer is wrong right behind another launch
  double off = 0;            ///< its answer from what is expected: RMS, where that is wanted
  double overwritten_ms = 0; ///< of a launch whose output looks like a result and is none; 0: as ms
};

class FakeKernel : public Kernel {
public:
  FakeKernel(std::string name, Behaviour behaviour, Calls& calls)
      : name_(std::move(name)), behaviour_(std::move(behaviour)), calls_(calls) {}

  void launch() override {
    const int number = launches_++;
    calls_.push_back("launch " + name_);
    if (behaviour_.loses == number)
      throw FakeError(true);
    if (behaviour_.refused.contains(number))
      throw FakeError(false);
  }

  const std::string& name() const { return name_; }

  const Behaviour& behaviour() const { return behaviour_; }

  int launches() const { return launches_; }

private:
  std::string name_;
  Behaviour behaviour_;
  Calls& calls_;
  int launches_ = 0;
};

/// Damage done by one launch is seen by every later one, until it is repaired.
class FakeWorkspace : public Workspace {
public:
  bool measures_differences = false, takes_digests = false;
  bool damaged_before = false; ///< by a launch that was not judged; until it is repaired

  explicit FakeWorkspace(Calls& calls) : calls_(calls) {}

  std::optional<std::uint64_t> nothing_expected_of = {}; ///< a seed

  void use_seed(DataSeed seed) override {
    if (nothing_expected_of == seed)
      throw Error("element 7 has no value");
    seed_ = static_cast<int>(seed.seed);
    calls_.push_back("seed " + std::to_string(seed.seed));
  }

  void begin(std::size_t launches) override {
    launches_.assign(launches, JudgedLaunch{});
    calls_.push_back("begin " + std::to_string(launches));
  }

  void prepare(std::size_t number, Occasion which) override {
    which_ = which;
    constexpr const char* notes[] = {"prepare", "overwrite", "leave"}; // by Occasion
    note(notes[static_cast<std::size_t>(which)], number);
  }

  void launch(std::size_t number, Kernel& kernel) override {
    kernel.launch();
    const auto& fake = dynamic_cast<FakeKernel&>(kernel);
    const Behaviour& does = fake.behaviour();
    const bool overwritten = which_ == Occasion::again && does.overwritten_ms > 0;
    const double ms = overwritten ? does.overwritten_ms : does.ms;
    launches_[number].launch_ms = ms;
    launches_[number].gpu_ms = ms;
    const bool ignorant = does.knows_seed && *does.knows_seed != seed_;
    const bool late = does.right_until && fake.launches() > *does.right_until;
    const bool early = does.wrong_until && fake.launches() <= *does.wrong_until;
    const bool skipped = does.skips && which_ == Occasion::behind;
    last_is_right_ = !does.wrong && !early && !damaged_ && !ignorant && !late && !skipped;
    if (measures_differences)
      launches_[number].differences = {
          {std::string(find_counter("rms_difference")->cupti), does.off}};
    if (takes_digests)
      launches_[number].digest =
          ResultDigest{{static_cast<std::uint64_t>(seed_), 0},
                       does.wavers ? static_cast<std::uint64_t>(fake.launches()) : 7};
    last_damages_ = does.damages;
    damaged_ = damaged_ || does.damages;
  }

  void judge(std::size_t number) override {
    note("judge", number);
    if (!last_is_right_)
      launches_[number].judgement.mismatch = "element 3 is 7";
    if (last_damages_ || damaged_before)
      launches_[number].judgement = {"wrote past the end", true};
  }

  std::vector<JudgedLaunch> read() override {
    calls_.push_back("read");
    return launches_;
  }

  void repair() override {
    damaged_ = damaged_before = false;
    calls_.push_back("repair");
  }

  std::size_t prepare_repeat(Kernel&) override {
    calls_.push_back("restore");
    return 1;
  }

  void repeat(Kernel& kernel) override { kernel.launch(); }

private:
  void note(const char* what, std::size_t number) {
    calls_.push_back(what + (" " + std::to_string(number)));
  }

  Calls& calls_;
  int seed_ = 1;
  bool damaged_ = false, last_is_right_ = true, last_damages_ = false;
  std::vector<JudgedLaunch> launches_;
  Occasion which_ = Occasion::first;
};

/// Samples last as long as their kernel says; each is taken one millisecond after the last.
class FakeStopwatch : public Stopwatch {
public:
  Regime its_regime = Regime::cold;
  std::function<std::optional<double>()> clock = [] { return std::optional(1500.0); };
  std::function<void()> after_take = [] {};
  std::function<double()> late_ms = [] { return 0.0; };
  std::vector<std::size_t> groups; ///< sizes
  std::vector<std::string> order;  ///< whose samples
  std::vector<int> launches;       ///< per sample

  Samples take(const std::vector<Turn>& turns) override {
    Samples samples;
    samples.gpu_ms = static_cast<double>(turns.size());
    samples.sm_clock_mhz = clock();
    for (const Turn& turn : turns) {
      auto& kernel = dynamic_cast<FakeKernel&>(*turn.kernel);
      kernel.launch();
      samples.times_ms.push_back(kernel.behaviour().ms + late_ms());
      samples.taken_at_ms.push_back(now_ms_++);
    }
    groups.push_back(turns.size()); // only of those that were not refused
    for (const Turn& turn : turns) {
      order.push_back(dynamic_cast<FakeKernel&>(*turn.kernel).name());
      launches.push_back(turn.launches);
    }
    after_take();
    return samples;
  }

  Regime regime() const override { return its_regime; }

private:
  double now_ms_ = 0;
};

class FakeObserver : public Observer {
public:
  std::vector<std::string> stages; ///< "A verify"
  std::vector<std::string> finished;
  std::map<std::string, Execution> executions;
  int open_stages = 0, open_sections = 0;

  void stage_begun(const Candidate& candidate, std::string_view stage) override {
    stages.push_back(candidate.label + " " + std::string(stage));
    ++open_stages;
  }

  void stage_ended() override { --open_stages; }

  void profiling(bool on) override { open_sections += on ? 1 : -1; }

  void done(Candidate& candidate) override {
    finished.push_back(candidate.label);
    executions[candidate.label] = std::move(candidate.execution);
  }

  [[noreturn]] void context_lost(const Candidate& candidate, const std::string&) override {
    throw ContextIsLost{candidate.id};
  }
};

/// Candidates A, B, C … by their behaviour.
class FakeBatch {
public:
  FakeBatch(std::vector<Behaviour> behaviours, Calls& calls) {
    for (std::size_t i = 0; i < behaviours.size(); ++i) {
      Candidate candidate;
      candidate.id = i + 1;
      candidate.label = std::string(1, static_cast<char>('A' + i));
      candidate.kernel = std::make_unique<FakeKernel>(candidate.label, behaviours[i], calls);
      all_.push_back(std::move(candidate));
    }
  }

  Candidate& operator[](std::size_t i) { return all_[i]; }

  Candidates candidates() {
    Candidates pointers;
    for (Candidate& candidate : all_)
      pointers.push_back(&candidate);
    return pointers;
  }

private:
  std::vector<Candidate> all_;
};

} // namespace gridsmith::test
