// SPDX-License-Identifier: Apache-2.0
// Turns trials into measurements: on the GPU, or from a recording. Takes several at once, so that
// compiling is parallel and counters are read in one session.
#pragma once

#include "gridsmith/metrics/device/peaks.hpp"
#include "gridsmith/results/measurement/gpu_part.hpp"
#include "gridsmith/results/measurement/measurement.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

using TrialId = std::uint64_t;

/// What is asked of an evaluator.
struct Trial {
  TrialId id = 0; ///< the caller's; comes back with the measurement
  Configuration configuration;
  Mode mode = Mode::race;
  std::optional<Sampling> sampling = {}; ///< other than the session's
  /// Where the evaluator counts_later(): false: by time alone …
  bool count = true;
  bool time = true;     ///< … false: for counters alone, for launches timed without
  bool new_data = true; ///< of no race: verified with other data than the races were
};

struct Evaluated {
  TrialId id = 0; ///< 0: the evaluator's own (a calibration configuration); to be recorded
  Measurement measurement;
  /// False: it failed for a reason of this machine (a compiler short of memory), which says nothing
  /// of the configuration and is not to be kept.
  bool judged = true;
};

/// What a job's evaluator begins with.
struct EvaluatorStart {
  std::uint64_t seed = 1; ///< of the data
  /// Whose output is compared with where the definition has no reference; none: nothing is then.
  std::optional<Configuration> default_configuration = {};
  /// What the reference kernel is compiled with, but for values of its own.
  Configuration first = {};
  Regime regime = Regime::cold;             ///< that it is timed under
  std::optional<int> locked_clock_mhz = {}; ///< … and the SM clock meanwhile
};

/// One GPU of several that measure together: what is kept with the answer, and its finals.
struct GpuAccount {
  GpuPart part;
  std::vector<Measurement> finals; ///< of the other GPUs; their own times
};

/// What is going on, for the progress line and the summary. Sums over all processes.
struct EvaluatorState {
  std::size_t compiling = 0, queued = 0, measuring = 0;
  std::size_t gpus = 1; ///< at work
  std::size_t worker_restarts = 0, compiler_restarts = 0;
  /// Compilations, and those that made or used precompiled headers.
  std::size_t compilations = 0, headers_made = 0, headers_used = 0;
  double start_ms = 0; ///< processes, context, data and reference: until the first could start
  double last_compiled_ms = 0; ///< when the last compilation ended, from the first trial on
  double wait_ms = 0;          ///< worker without work
  TimeSpent spent;
  std::optional<std::string> uncounted_because; ///< why no counters are read
  std::optional<std::string> reference_problem; ///< the reference itself is wrong: how
  /// Of the reference kernel's answer, by Reference.Element; none: not to be checked, or not known.
  std::optional<std::uint64_t> elements_checked;
  /// Why the default configuration's output was to be compared with and is not.
  std::optional<std::string> unverified_because;
  std::optional<std::string> unfilled_constants; ///< a warning of those of the first code
  /// What of that output is compared with; none: all, or not known.
  std::optional<WrittenPart> only_written;
};

template <Like<EvaluatorState> T>
constexpr void for_fields(T& v, auto&& visit) {
  visit("compiling", v.compiling);
  visit("queued", v.queued);
  visit("measuring", v.measuring);
  visit("gpus", v.gpus);
  visit("worker_restarts", v.worker_restarts);
  visit("compiler_restarts", v.compiler_restarts);
  visit("compilations", v.compilations);
  visit("headers_made", v.headers_made);
  visit("headers_used", v.headers_used);
  visit("start_ms", v.start_ms);
  visit("last_compiled_ms", v.last_compiled_ms);
  visit("wait_ms", v.wait_ms);
  visit("spent", v.spent);
  visit("uncounted_because", v.uncounted_because);
  visit("reference_problem", v.reference_problem);
  visit("elements_checked", v.elements_checked);
  visit("unverified_because", v.unverified_because);
  visit("unfilled_constants", v.unfilled_constants);
  visit("only_written", v.only_written);
}

static_assert(lists_all_fields<EvaluatorState>());

/// One more evaluator, at the same time as the others or after them. Not what is compiled and waits, which they may
/// share, nor the GPUs. Of words the first ones stay.
void add(EvaluatorState& sum, const EvaluatorState& one);

/// Of its stages, by the host's clock: for so long the GPU was not free for another.
constexpr double at_worker_ms(const TimeSpent& spent) {
  return spent.verify_ms + spent.time_ms + spent.count_ms;
}

/// What is answered of a trial whose compilation was ended after so long (compile_given_up()).
Execution given_up_after(double compiling_s);

class Evaluator {
public:
  virtual ~Evaluator() = default;

  virtual const Device& device() const = 0;

  /// What the device was measured to reach; complete once something was evaluated.
  virtual Peaks peaks() const { return {}; }

  /// How many trials are worth having in flight.
  virtual std::size_t depth() const = 0;

  /// … where each answer changes what is asked next: enough that neither compilers nor device wait,
  /// as far as it is known by now what they take.
  virtual std::size_t useful() const { return depth(); }

  /// Whether races are answered sooner where their counters come later, many at a time.
  virtual bool counts_later() const { return false; }

  /// Trials of one call whose mode is not `race` are measured together, interleaved; those for counters
  /// alone are counted together.
  virtual void submit(std::vector<Trial> trials) = 0;
  /// Those that are done; waits at most `limit` for the first.
  virtual std::vector<Evaluated> collect(std::chrono::milliseconds limit) = 0;

  /// No longer wanted: what has not begun is dropped, what runs is not reported.
  virtual void withdraw(TrialId id) = 0;

  /// For how long it has been compiled by now; nothing where it waits for a compiler or has its code.
  virtual std::optional<double> compiling_s(TrialId id) const {
    static_cast<void>(id);
    return std::nullopt;
  }

  /// Others are asked in its place: its compilation goes on when there is nothing better to do.
  virtual void put_off(TrialId id) { static_cast<void>(id); }

  /// Its compilation is ended, and it is answered so (compile_given_up()). @pre compiling_s(id)
  virtual void give_up(TrialId id) { static_cast<void>(id); }

  /// Will probably be asked: compile ahead when there is nothing better to do. Empty: nothing will,
  /// and compilations that are not needed are ended.
  virtual void compile_ahead(const std::vector<Configuration>& likely) {
    static_cast<void>(likely);
  }

  /// How many compilers may begin with what is only likely: of those that have nothing to do, not even
  /// ahead, a quarter of all is kept for what is asked. 0: there are none.
  virtual std::size_t spare_compilers() const { return 0; }

  /// The best interval's upper end so far, for pruning.
  virtual void best_so_far(double best_ms) { static_cast<void>(best_ms); }

  virtual EvaluatorState state() const = 0;

  /// Of several GPUs each; empty: there is one.
  virtual std::vector<GpuAccount> gpus() const { return {}; }

protected:
  Evaluator() = default;
  Evaluator(const Evaluator&) = default;
  Evaluator& operator=(const Evaluator&) = default;
};

} // namespace gridsmith
