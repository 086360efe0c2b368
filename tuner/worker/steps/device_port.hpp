// SPDX-License-Identifier: Apache-2.0
// What the steps of a measurement need of a device, as interfaces, so that their order and their
// rules are tested without one.
#pragma once

#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/definition/filling.hpp"
#include "gridsmith/metrics/catalogue/counters.hpp"
#include "gridsmith/metrics/device/occupancy.hpp"
#include "gridsmith/results/measurement/conditions.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

/// The device refused or failed.
class DeviceError : public Error {
public:
  using Error::Error;

  /// For people who tune: what() may name a place in our source.
  virtual std::string plain() const = 0;
  /// Whether every later call answers the same: the process is of no use any more.
  virtual bool context_lost() const = 0;
};

/// A loaded kernel bound to its arguments.
class Kernel {
public:
  virtual ~Kernel() = default;
  /// Enqueues one launch. @throws DeviceError
  virtual void launch() = 0;

  // Of one that begins and ends elsewhere than the workspace's data:
  /// Before a launch that is judged: takes the inputs as they are now. Waits.
  virtual void gather() {}

  /// Enqueues what each launch has to find as it was.
  virtual void prepare() {}

  /// After a launch that is judged: the outputs to where they are compared. Waits.
  virtual void settle() {}
};

/// What came of loading. Without a launch error the kernel can be launched.
struct LoadedCandidate {
  std::unique_ptr<Kernel> kernel;
  CompileFacts facts;                      ///< all that the driver knows
  std::optional<std::string> launch_error; ///< what the device cannot launch, one line
};

// ---- judged launches

/// What one launch did to the data.
struct Judgement {
  std::optional<std::string> mismatch; ///< one line; none: all is right
  /// It changed what it must not (an input, memory beside a buffer), so that every later launch
  /// suffers until the data is repaired.
  bool damage = false;
  bool expected_changed = false; ///< … in what outputs are compared with
};

/// Which launch of a configuration it is.
enum class Occasion {
  first, ///< the warm-up: outputs hold what no arithmetic gives
  again, ///< after it was timed: outputs hold what looks like an earlier result and is none
  /// With no pause after another launch of it, on data that differs in a few elements, whose result is in the outputs.
  behind,
};

/// Of all elements of the outputs.
struct ResultDigest {
  DataSeed of; ///< the data that it was computed from
  std::uint64_t value = 0;
};

struct JudgedLaunch {
  Judgement judgement;
  CounterValues differences = {}; ///< of its outputs from what is expected, where that is wanted
  std::optional<ResultDigest> digest = {}; ///< none: not wanted
  double gpu_ms = 0;                       ///< preparing, launching, judging
  std::optional<double> launch_ms;         ///< of the launch alone; none: it was refused
};

/// The arguments on the device with the expected outputs, for a batch of launches numbered from 0.
/// Enqueues, and waits only where it says so. @throws DeviceError
class Workspace {
public:
  virtual ~Workspace() = default;

  /// Fills the arguments from this seed and makes its expected outputs known.
  virtual void use_seed(DataSeed seed) = 0;

  /// Forgets what the batch before did. @param launches how many the next one has at most
  virtual void begin(std::size_t launches) = 0;
  /// Before a launch whose answer counts: in-place buffers as they were, outputs poisoned, so that
  /// what is not written is seen, caches flushed.
  virtual void prepare(std::size_t number, Occasion which) = 0;
  /// Launches as it was prepared for, and waits.
  virtual void launch(std::size_t number, Kernel& kernel) = 0;
  /// Compares what the last launch left; it was this one.
  virtual void judge(std::size_t number) = 0;
  /// What the launches of this batch did. Waits.
  virtual std::vector<JudgedLaunch> read() = 0;
  /// Everything as use_seed() left it.
  virtual void repair() = 0;

  /// Before a launch whose answer is known, of no batch: the data as it was, the caches as timed
  /// launches find them. Waits. How many kernels it launched.
  virtual std::size_t prepare_repeat(Kernel& kernel) = 0;
  /// Launches, with nothing around it, and waits.
  virtual void repeat(Kernel& kernel) = 0;
};

// ---- timed launches

/// One sample: several launches between one pair of events where one is too short.
struct Turn {
  Kernel* kernel = nullptr;
  int launches = 1;
};

struct Samples {
  std::vector<double> times_ms;       ///< per launch, one entry per turn
  std::vector<double> taken_at_ms;    ///< since the worker started, one entry per turn
  double gpu_ms = 0;                  ///< everything on the device, flushes too
  std::optional<double> sm_clock_mhz; ///< mean over the turns, where it could be read
};

class Stopwatch {
public:
  virtual ~Stopwatch() = default;

  /// Takes the turns in order without a host round trip in between, then waits. @throws DeviceError
  virtual Samples take(const std::vector<Turn>& turns) = 0;

  virtual Regime regime() const = 0;
};

// ---- metered launches

/// Bursts of launches with nothing between them, and what the board's sensor says meanwhile.
class MeteredBoard {
public:
  virtual ~MeteredBoard() = default;

  /// Enqueues a burst behind those that are under way. @throws DeviceError
  virtual void enqueue(Kernel& kernel, int launches) = 0;
  /// Of each burst that is done since the last call, ms from when the one before was. @throws DeviceError
  virtual std::vector<double> done() = 0;

  /// Since the driver was loaded; counted up in steps. @throws Error: there is no sensor
  virtual double energy_mj() = 0;
  /// Whether kernels ran in the last second.
  virtual bool was_busy() = 0;
  /// In °C; none: not known.
  virtual std::optional<double> temperature() = 0;
  virtual double now_ms() const = 0;
  /// A fraction of a millisecond.
  virtual void pause() = 0;
};

} // namespace gridsmith
