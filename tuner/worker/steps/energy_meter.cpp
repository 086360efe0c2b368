// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/worker/steps/energy_meter.hpp"

#include "gridsmith/base/random.hpp"
#include "gridsmith/results/measurement/time_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

namespace gridsmith {
namespace {

constexpr double window_ms = 1000; // some tens of the counter's steps
constexpr int least_steps = 5;
constexpr double warm_ms = 300; // until power is what it stays at, but for temperature
constexpr double cool_ms = 500; // … with nothing launched
constexpr double most_pause_ms =
    100; // the sensor samples at its own times: every window meets others
constexpr double stands_still_ms = 3000;
constexpr int most_resets = 3;      // of the counter within one window
constexpr double burst_ms = 10;     // asking the sensor takes 3.3 ms (H200)
constexpr int most_launches = 4096; // of one burst
constexpr int under_way = 3;        // bursts: the device never waits for the host
constexpr std::size_t least_windows = 3, most_windows = 6;
constexpr double narrow = 0.01; // half an interval, of its middle

/// Student's t for an interval of 95 %, by the number of values from 2 on.
constexpr std::array<double, 5> students_t = {12.706, 4.303, 3.182, 2.776, 2.571};

struct Interval {
  double middle = 0, half = 0;
};

/// @pre 2 to 6 values
Interval interval_of(const std::vector<double>& values) {
  const double count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values)
    squares += (value - mean) * (value - mean);
  return {mean, students_t[values.size() - 2] * std::sqrt(squares / (count - 1) / count)};
}

} // namespace

/// Keeps bursts under way, and sums up those that are done.
class EnergyMeter::Launches {
public:
  Launches(MeteredBoard& board, Kernel& kernel, double launch_ms)
      : board_(board), kernel_(kernel),
        launches_(static_cast<int>(
            std::clamp(burst_ms / std::max(launch_ms, 1e-6), 1.0, double{most_launches}))) {}

  ~Launches() {
    try {
      while (open_ > 0)
        go_on(0);
    } catch (const DeviceError&) {
      open_ = 0; // the next call is refused too
    }
  }

  Launches(const Launches&) = delete;
  Launches& operator=(const Launches&) = delete;

  void go_on(int most = under_way) {
    const std::vector<double> done = board_.done();
    open_ -= static_cast<int>(done.size());
    for (const double ms : done) {
      ms_ += ms;
      launched_ += launches_;
    }
    for (; open_ < most; ++open_)
      board_.enqueue(kernel_, launches_);
    board_.pause();
  }

  void begin_sum() { ms_ = launched_ = 0; }

  /// 0: none was done.
  double launch_ms() const { return launched_ > 0 ? ms_ / launched_ : 0; }

private:
  MeteredBoard& board_;
  Kernel& kernel_;
  int launches_;
  int open_ = 0;
  double ms_ = 0, launched_ = 0;
};

void EnergyMeter::run(Candidates candidates) {
  std::erase_if(candidates, [](const Candidate* candidate) { return candidate->failed; });
  if (candidates.empty())
    return;
  try {
    if (!idle_w_)
      measure_idle(*candidates.front());
    std::vector<std::vector<Window>> windows(candidates.size());
    const auto all_narrow = [&] {
      return std::all_of(windows.begin(), windows.end(), [](const std::vector<Window>& of) {
        std::vector<double> energies;
        energies.reserve(of.size());
        for (const Window& one : of)
          energies.push_back(one.energy_mj());
        if (energies.size() < 2)
          return true; // it failed
        const Interval interval = interval_of(energies);
        return interval.half <= narrow * interval.middle;
      });
    };
    for (std::size_t round = 0; round < most_windows; ++round) {
      if (round >= least_windows && all_narrow())
        break;
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        const std::size_t place = round % 2 == 0 ? i : candidates.size() - 1 - i;
        measure(*candidates[place], windows[place]);
      }
    }
    for (std::size_t i = 0; i < candidates.size(); ++i)
      add_counters(*candidates[i], windows[i]);
    unmetered_because_.reset();
  } catch (const DeviceError&) {
    throw;
  } catch (const Error& error) { // no sensor, or one that is of no use
    unmetered_because_ = error.what();
  }
}

void EnergyMeter::measure_idle(Candidate& named) {
  const Stage stage(observer_, named, "meter");
  pause(cool_ms);
  const Step first = next_step(nullptr);
  Step last = first;
  while (last.at_ms - first.at_ms < window_ms)
    last = next_step(nullptr);
  if (board_.was_busy()) // not by us
    throw Error("the energy is the whole board's, and another process computes on it");
  idle_w_ = std::max(0.0, (last.energy_mj - first.energy_mj) / (last.at_ms - first.at_ms));
}

void EnergyMeter::measure(Candidate& candidate, std::vector<Window>& windows) {
  if (candidate.failed)
    return;
  const Stage stage(observer_, candidate, "meter");
  const double from_ms = board_.now_ms();
  const auto time = summarise(candidate.execution.times_ms);
  guarded(candidate, observer_, [&] {
    pause(random_ms(most_pause_ms));
    workspace_.prepare_repeat(*candidate.kernel);
    for (int attempt = 0; attempt < most_resets; ++attempt)
      if (const auto one = window(*candidate.kernel, time ? time->median_ms : burst_ms)) {
        windows.push_back(*one);
        return;
      }
    throw Error("the board's energy counter is reset again and again");
  });
  if (const auto degrees = board_.temperature())
    candidate.execution.counters.insert_or_assign(
        std::string(find_counter("board_temperature")->cupti), *degrees);
  const double spent_ms = board_.now_ms() - from_ms;
  candidate.execution.spent.count_ms += spent_ms;
  candidate.execution.spent.gpu_ms += spent_ms;
}

/// From one step of the counter to another, so that neither end has an error of a step. None: the counter was
/// reset meanwhile.
std::optional<EnergyMeter::Window> EnergyMeter::window(Kernel& kernel, double launch_ms) {
  Launches launches(board_, kernel, launch_ms);
  for (const double begin_ms = board_.now_ms(); board_.now_ms() - begin_ms < warm_ms;)
    launches.go_on();
  const Step first = next_step(&launches);
  launches.begin_sum();
  Step last = first;
  for (int steps = 0;
       steps < least_steps || last.at_ms - first.at_ms < window_ms || launches.launch_ms() == 0;
       ++steps) {
    const Step next = next_step(&launches);
    if (next.energy_mj < last.energy_mj)
      return std::nullopt;
    last = next;
  }
  return Window{(last.energy_mj - first.energy_mj) / (last.at_ms - first.at_ms),
                launches.launch_ms()};
}

EnergyMeter::Step EnergyMeter::next_step(Launches* launches) {
  const double begin_ms = board_.now_ms(), before = board_.energy_mj();
  while (board_.now_ms() - begin_ms < stands_still_ms) {
    if (launches)
      launches->go_on();
    else
      board_.pause();
    if (const double now = board_.energy_mj(); now != before)
      return {board_.now_ms(), now};
  }
  throw Error(
      fmt::format("the board's energy counter stood still for {:.0f} s", stands_still_ms / 1000));
}

void EnergyMeter::pause(double ms) {
  for (const double begin_ms = board_.now_ms(); board_.now_ms() - begin_ms < ms;)
    board_.pause();
}

double EnergyMeter::random_ms(double most) {
  Random random(random_state_++);
  return most * unit(random);
}

void EnergyMeter::add_counters(Candidate& candidate, const std::vector<Window>& windows) const {
  if (candidate.failed || windows.size() < 2)
    return;
  const auto mean = [&](const std::function<double(const Window&)>& part) {
    std::vector<double> values;
    values.reserve(windows.size());
    for (const Window& one : windows)
      values.push_back(part(one));
    return interval_of(values);
  };
  const Interval energy = mean([](const Window& one) { return one.energy_mj(); });
  const auto add = [&](std::string_view counter, double value) {
    candidate.execution.counters.insert_or_assign(std::string(find_counter(counter)->cupti), value);
  };
  add("launch_energy", energy.middle);
  add("launch_energy_low", std::max(0.0, energy.middle - energy.half));
  add("launch_energy_high", energy.middle + energy.half);
  add("board_power", mean([](const Window& one) { return one.power_w; }).middle);
  add("idle_power", *idle_w_);
  add("metered_launch_ms", mean([](const Window& one) { return one.launch_ms; }).middle);
}

} // namespace gridsmith
