// SPDX-License-Identifier: Apache-2.0
// Gridsmith as a library: one kernel, tuned for problems on devices, answered as values. A session
// prints nothing, ends nothing and leaves nothing process-wide behind; several may run in several
// threads at once, each object in one.
//
//   gridsmith::Session session({.kernel = "transpose", .store = "gridsmith.db"});
//   for (const gridsmith::Outcome& outcome : session.run())
//     if (const gridsmith::Ranked* best = outcome.answer.winner())
//       use(best->measurement.configuration);
#pragma once

#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/results/formats/formats.hpp"
#include "gridsmith/search/campaign/campaign_plan.hpp"
#include "gridsmith/search/strategies/strategy.hpp"
#include "gridsmith/tuner/gpu/no_such_device.hpp"
#include "gridsmith/tuner/loop/tuning.hpp"
#include "gridsmith/tuner/processes/helper_settings.hpp"
#include "gridsmith/tuner/processes/span.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace gridsmith {

struct SessionSettings {
  /// A name of the catalogue or a definition's file; may be "" where a recording is given.
  std::string kernel;
  /// Set: this is tuned, which is no file, and `kernel` has no part in it.
  std::shared_ptr<const KernelDefinition> definition = {};
  /// Folders that the definition may read besides its own, searched for headers after its own.
  std::vector<std::filesystem::path> include = {};
  std::vector<ProblemSize> problems = {}; ///< empty: the definition's first
  /// Numbers of CUDA devices; empty: all there are. Those of one product (by name) measure together for
  /// one search and one answer, which is of the first of them; every other product has its own.
  std::vector<int> devices = {0};
  /// Replayed instead of using a GPU. Where there is no GPU the shipped recording of kernel and
  /// problem is. What is replayed is kept in the store too, as of its own device, date and
  /// conditions, and never serves in place of a measurement on a GPU.
  std::optional<std::filesystem::path> recording = {};
  /// The one back end that is asked, by its word (back_end_words()): with "gpu" no recording stands in. "": all, in
  /// their order.
  std::string back_end = {};
  Conditions conditions = {};
  /// Set: one search over all problems, which share what they learn, chosen for each of them or for
  /// all together; of the strategies "exhaustive" tries everything at every problem, any other but "default" is an error, and `only` has
  /// no part in it. Outcomes come device by device. None: each problem on its own.
  std::optional<Across> across = {};
  std::vector<double> weights = {}; ///< of each problem in a search over all; empty: 1
  /// Of a search over all problems on a GPU, chosen for each of them: so many more problems are drawn (drawn_sizes.hpp), and
  /// measured once the answers are there, to see what is lost where nothing was tuned. Their outcomes
  /// come last. They take what is left of the budget's seconds, and are none of its evaluations.
  std::size_t calibrate = 0;
  /// Of such a search: at most so many more problems are tuned, before those that `calibrate` draws, where the choice
  /// of a header of these problems is least certain (doubt() of results/selection). Seconds and evaluations as there.
  std::size_t add = 0;
  /// The finalists of each answer are raced under every other regime too, on a GPU. Not of a search over all problems.
  bool every_regime = false;
  /// The finalists of each answer are measured at these SM clocks, in MHz, too; likewise.
  std::vector<int> clocks = {};
  Budget budget = {}; ///< of each problem on each device; of a search over all problems in all
  /// Exactly these are measured, in this order, in place of a search; what one does not name is as in
  /// the default. Empty: the strategy's choice.
  std::vector<Configuration> only = {};
  FinalsRules finals = {};
  /// Of two, "time,energy_mj", the front is looked for: what no other configuration is as good as by both and better
  /// by one. Not of a search over all problems.
  std::string objective = "time";
  std::string against = {}; ///< the second of two, once count_objective() took them apart
  std::string strategy = "default";
  /// Set: searches in place of those that have a name; `strategy` is then what answers call it. Not of a search over
  /// all problems.
  StrategyMaker own_strategy = {};
  std::uint64_t seed = 1;
  /// The search asks the same on every run whose measurements are the same, as replays do: a batch
  /// at a time, answered whole. False: each answer is heard when it is there, which is sooner.
  bool repeatable = false;
  std::optional<std::filesystem::path> store = {}; ///< none: nothing is kept
  /// What the store has of the same code, board, driver, toolkit and conditions serves in place of measuring.
  bool reuse = true;
  CompileTimeout compile_timeout = {};
  HelperSettings helpers = {};
};

/// What its objectives are made of is counted too; two are taken apart.
/// @param own of the kernel @throws InputError: no objective of this kernel, or counters that are not to be counted
void count_objective(SessionSettings& settings, const OwnMetrics& own);

/// What is tuned: one problem on one device.
struct Subject : Origin, KernelModel {
  std::filesystem::path definition; ///< its file; empty where a recording alone is replayed
  std::size_t gpus = 1; ///< of this product, that measure together; the device is the first of them
  Peaks peaks;          ///< complete in the outcome
  std::vector<Parameter> parameters;
  std::uint64_t configurations = 0;                   ///< size of the space
  std::optional<Configuration> default_configuration; ///< the definition's, if in the space
  std::string objective = "time";                     ///< as SessionSettings::objective
  /// Bytes of one thread's load and store in a configuration; none: unknown.
  std::function<AccessBytes(const Configuration&)> access_bytes;
  std::string format = "gridsmith"; ///< of the recording
  bool added = false; ///< the problem was not asked for: SessionSettings::add; see drawn
  std::optional<std::filesystem::path> recording; ///< what is replayed
  std::string replayed_because;                   ///< "No CUDA device here (…)"; "" on a GPU
};

/// What a search over all problems chose for all of them, at one.
struct SharedChoice {
  Configuration configuration;
  double loss =
      0; ///< cost / cost of the best of this problem, as first measured, - 1: 0.02 is 2 % slower
};

/// The finalists of an answer, measured again under one regime or at one clock.
struct FinalsUnder {
  Regime regime = Regime::cold;
  std::optional<int> locked_clock_mhz = {}; ///< none: as it is without us
  std::vector<Ranked> ranking;              ///< best first, as Answer::ranking
};

struct Outcome {
  Subject subject;
  /// Of the finals; where there were none, or all of them failed, of the best as first measured.
  Answer answer;
  TuningResult result;
  /// The store that contains everything: the one asked for, or the one next to it if that was lost. None:
  /// no store was asked for, or it could not be written to the end.
  std::optional<std::filesystem::path> stored_in = {};
  std::optional<SharedChoice> for_all = {}; ///< Across::mean and worst alone
  /// SessionSettings::every_regime and ::clocks: that of the answer first.
  std::vector<FinalsUnder> regimes = {}, clocks = {};
  /// Known from elsewhere, asked first and measured again at the end; of a search over kernels alone.
  std::vector<Configuration> begun_with = {};

  std::shared_ptr<const KernelDefinition> definition = {}; ///< none: a recording alone was replayed

  /// Everything measured, to be written in any format.
  Export exported() const;
};

/// Why an outcome has no winner, one line: "no configuration gave a correct result", "not confirmed: …"; "" where
/// it has one.
std::string shortfall(const Outcome& outcome);

/// Of a configuration, what was measured last: in the finals, where it was there. Null where it gave no right result.
const Measurement* last_measured(const Outcome& outcome, const Configuration& configuration);
/// Its median. None likewise.
std::optional<double> time_ms(const Outcome& outcome, const Configuration& configuration);

/// What a session says while it works, in the thread that runs it. All may be empty.
struct Listener {
  std::function<void(const SpaceProgress&)> building = {}; ///< the search space, before `begun`
  std::function<void(const Subject&)> begun = {};
  ProgressSink progress = {};
  std::function<void(const std::string&)> note = {}; ///< one line that a person should read
  SpanSink span = {}; ///< what compilers, worker, GPU and strategy were at, and when
};

class Session {
public:
  /// Reads the definition and checks every word. @throws InputError
  explicit Session(SessionSettings settings);
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  /// One outcome per problem and product, in that order. A stop ends within a second, with what was
  /// measured so far: fewer outcomes, or none, where it came before the search space was built or
  /// while another Gridsmith had the GPU. Only
  /// asking for the devices (at most 30 s) and waiting for a store that another program keeps locked
  /// (20 s) do not hear of it.
  /// @throws InputError (no such device, no recording, an empty space), HelperError, WorkerRefused,
  /// StoreError, Error (the budget's seconds were over before the space was built); what was
  /// measured until then is in the store.
  std::vector<Outcome> run(const std::stop_token& stop = {}, const Listener& listener = {});

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace gridsmith
