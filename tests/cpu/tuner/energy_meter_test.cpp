// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/random.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_device.hpp"
#include "gridsmith/tuner/worker/steps/energy_meter.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace energy_meter_test {

using namespace gridsmith;
using namespace gridsmith::test;

namespace {

constexpr double tick_ms = 0.2, asking_ms = 3.3;

/// A board in simulated time: it warms up and leaks more for it, and its sensor looks at a quarter of the time and
/// counts up every 20 to 110 ms, as boards of this family do.
class SimulatedBoard final : public MeteredBoard {
public:
  explicit SimulatedBoard(std::uint64_t seed)
      : random_(seed), step_ms_(20 + 90 * unit(random_)), phase_ms_(step_ms_ * unit(random_)),
        idle_w_(70 + 60 * unit(random_)), leak_(0.05 * unit(random_)) {}

  std::map<std::string, double> watts; ///< of a launch under way, above idle; by kernel
  bool still = false;                  ///< the sensor
  bool others = false;                 ///< compute on it
  std::optional<double> resets_at_ms;
  std::optional<double> dies_at_ms;

  /// What it truly used on average while the kernel ran, or "" for nothing.
  double power_w(const std::string& kernel) const {
    return used_mj_.at(kernel) / used_ms_.at(kernel);
  }

  void enqueue(Kernel& kernel, int launches) override {
    auto& fake = dynamic_cast<FakeKernel&>(kernel);
    if (dies_at_ms && now_ms_ > *dies_at_ms)
      throw FakeError(false);
    queue_.push_back({fake.name(), fake.behaviour().ms * launches, fake.behaviour().ms * launches});
  }

  std::vector<double> done() override { return std::exchange(done_, {}); }

  double energy_mj() override {
    if (resets_at_ms && now_ms_ > *resets_at_ms) {
      counted_mj_ = 0;
      resets_at_ms.reset();
    }
    pass_all(asking_ms);
    return std::floor(counted_mj_);
  }

  bool was_busy() override { return others; }

  std::optional<double> temperature() override { return 30 + 50 * heat_; }

  double now_ms() const override { return now_ms_; }

  void pause() override { pass_all(tick_ms); }

private:
  struct Burst {
    std::string kernel;
    double left_ms, whole_ms;
  };

  void pass_all(double ms) {
    const double until_ms = now_ms_ + ms;
    while (now_ms_ < until_ms) {
      const double left_ms = std::min(until_ms - now_ms_, tick_ms);
      pass(queue_.empty() ? left_ms : std::min(left_ms, queue_.front().left_ms));
    }
  }

  void pass(double ms) {
    double power = idle_w_;
    if (!queue_.empty())
      power += watts.at(queue_.front().kernel);
    heat_ += (power / 700 - heat_) * (1 - std::exp(-ms / 2000));
    power *= 1 + leak_ * heat_;
    const std::string kernel = queue_.empty() ? "" : queue_.front().kernel;
    used_mj_[kernel] += power * ms;
    used_ms_[kernel] += ms;
    const double in_step = std::fmod(now_ms_ + phase_ms_, step_ms_) / step_ms_;
    if (in_step < 0.25) {
      seen_mj_ += power * ms;
      seen_ms_ += ms;
    }
    now_ms_ += ms;
    if (std::fmod(now_ms_ + phase_ms_, step_ms_) / step_ms_ < in_step && seen_ms_ > 0) {
      if (!still)
        counted_mj_ += seen_mj_ / seen_ms_ * step_ms_;
      seen_mj_ = seen_ms_ = 0;
    }
    if (queue_.empty())
      return;
    queue_.front().left_ms -= ms;
    if (queue_.front().left_ms <= 1e-9) {
      done_.push_back(queue_.front().whole_ms);
      queue_.pop_front();
    }
  }

  Random random_;
  double step_ms_, phase_ms_, idle_w_, leak_;
  double now_ms_ = 0, heat_ = 0, seen_mj_ = 0, seen_ms_ = 0, counted_mj_ = 1e9;
  std::map<std::string, double> used_mj_, used_ms_; ///< by kernel
  std::deque<Burst> queue_;
  std::vector<double> done_;
};

struct Setup {
  explicit Setup(std::uint64_t seed) : board(seed), meter(board, workspace, observer, seed) {}

  Calls calls;
  FakeWorkspace workspace{calls};
  FakeObserver observer;
  SimulatedBoard board;
  EnergyMeter meter;
};

std::optional<double> value(const Candidate& candidate, std::string_view counter) {
  return value_of(*find_counter(counter), candidate.execution.counters);
}

void add_times(FakeBatch& batch, const std::vector<double>& times_ms) {
  for (std::size_t i = 0; i < times_ms.size(); ++i)
    batch[i].execution.times_ms = {times_ms[i], times_ms[i], times_ms[i]};
}

} // namespace

TEST_CASE(
    "energy by a sensor that sees a quarter of the time is within 2 % of the truth, 200 boards") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    Setup on(seed);
    const double ms = std::exp(std::log(0.005) + std::log(8000.0) * unit(random)); // 5 us to 40 ms
    const double other_ms = ms * (0.8 + 0.5 * unit(random));
    FakeBatch batch({{.ms = ms}, {.ms = other_ms}}, on.calls);
    add_times(batch, {ms, other_ms});
    on.board.watts = {{"A", 150 + 400 * unit(random)}, {"B", 150 + 400 * unit(random)}};
    on.meter.run(batch.candidates());
    REQUIRE_FALSE(on.meter.unmetered_because());
    for (const std::size_t i : {0U, 1U}) {
      const std::string name = i == 0 ? "A" : "B";
      const double truth = on.board.power_w(name) * batch[i].execution.times_ms[0];
      CHECK(std::fabs(*value(batch[i], "launch_energy") / truth - 1) < 0.02);
      CHECK(std::fabs(*value(batch[i], "metered_launch_ms") / batch[i].execution.times_ms[0] - 1) <
            1e-6);
      CHECK(*value(batch[i], "launch_energy_low") <= *value(batch[i], "launch_energy"));
      CHECK(*value(batch[i], "launch_energy_high") >= *value(batch[i], "launch_energy"));
    }
    CHECK(std::fabs(*value(batch[0], "idle_power") / on.board.power_w("") - 1) < 0.02);
  }
}

TEST_CASE("a sensor that stands still gives no energy, and says so") {
  Setup on(1);
  FakeBatch batch({{.ms = 1}}, on.calls);
  add_times(batch, {1});
  on.board.watts = {{"A", 300}};
  on.board.still = true;
  on.meter.run(batch.candidates());
  CHECK(on.meter.unmetered_because() == "the board's energy counter stood still for 3 s");
  CHECK_FALSE(value(batch[0], "launch_energy"));
  CHECK_FALSE(batch[0].failed);
}

TEST_CASE("a board that another process computes on gives no energy") {
  Setup on(1);
  FakeBatch batch({{.ms = 1}}, on.calls);
  add_times(batch, {1});
  on.board.watts = {{"A", 300}};
  on.board.others = true;
  on.meter.run(batch.candidates());
  CHECK(on.meter.unmetered_because() ==
        "the energy is the whole board's, and another process computes on it");
  CHECK_FALSE(batch[0].failed);
}

TEST_CASE("a counter that is reset costs a window, not the answer") {
  Setup on(2);
  FakeBatch batch({{.ms = 1}}, on.calls);
  add_times(batch, {1});
  on.board.watts = {{"A", 300}};
  on.board.resets_at_ms = 2800; // in the first window
  on.meter.run(batch.candidates());
  REQUIRE(value(batch[0], "launch_energy"));
  CHECK(std::fabs(*value(batch[0], "launch_energy") / on.board.power_w("A") - 1) < 0.02);
}

TEST_CASE("a kernel that is refused while it is metered fails; the others have their energy") {
  Setup on(3);
  FakeBatch batch({{.ms = 1}, {.ms = 1}}, on.calls);
  add_times(batch, {1, 1});
  batch[1].failed = true;
  on.board.watts = {{"A", 300}, {"B", 300}};
  on.meter.run(batch.candidates());
  CHECK(value(batch[0], "launch_energy"));
  CHECK_FALSE(value(batch[1], "launch_energy"));

  FakeBatch dying({{.ms = 1}}, on.calls);
  add_times(dying, {1});
  on.board.dies_at_ms = 0;
  on.meter.run(dying.candidates());
  CHECK(dying[0].failed);
  CHECK(dying[0].execution.status == Status::runtime);
}

} // namespace energy_meter_test
