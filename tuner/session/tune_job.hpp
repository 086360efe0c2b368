// What one run of `gridsmith tune` works on: definition, device or recording, space, evaluator,
// store.
#pragma once

#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/results/measurement/recording.hpp"
#include "gridsmith/search/strategies/strategy.hpp"
#include "gridsmith/tuner/cli/answer_text.hpp"
#include "gridsmith/tuner/processes/clock_lock.hpp"
#include "gridsmith/tuner/loop/evaluator.hpp"
#include "gridsmith/tuner/session/installation.hpp"
#include "gridsmith/tuner/session/record_book.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

/// The words of the command line.
struct TuneOptions {
  std::string kernel, size, strategy = "default", counters = "default", recording;
  std::string store = "gridsmith.db", t4, csv, save_recording;
  std::uint64_t seed = 1, evaluations = 0;
  double seconds = 0, interval = 1.0, timeout = 10;
  int device = 0, samples = 50, lock_clock = 0;
  std::size_t compilers = 0, finalists = 6;
  bool full = false, exhaustive = false, warm = false, no_cache = false, no_store = false,
       json = false, quiet = false;
};

/// Everything one run needs, wherever its measurements come from. Stays where it was made:
/// evaluator and strategy refer to its parts.
class TuneJob {
public:
  /// @throws InputError, CommandFailed, WorkerRefused
  TuneJob(const TuneOptions& options, const Installation& installation);
  TuneJob(const TuneJob&) = delete;
  TuneJob& operator=(const TuneJob&) = delete;

  const SearchSpace& space() const { return *space_; }

  Evaluator& evaluator() { return *evaluator_; }

  const AnswerContext& context() const { return context_; }

  /// Device facts that only the opened worker knows (measured copy bandwidth).
  void refresh_device() { context_.device = evaluator_->device(); }

  /// Nothing is kept where there is no store.
  RecordKeeping keeping();
  void add_answer(const std::vector<Ranked>& ranked);
  /// What the strategy works on. Refers to this job.
  SearchProblem problem() const;

private:
  void choose_source();
  void use_recording();
  void use_gpu();
  void use_prior();
  void describe_answer();
  void announce() const;
  Foresight foresight() const;

  const TuneOptions& options_;
  const Installation& installation_;
  std::optional<KernelDefinition> definition_;
  Device device_;
  std::string why_recorded_, recording_file_; ///< "" when a GPU is used
  std::optional<KernelInstance> instance_;    ///< none: a recording of a kernel without definition
  std::optional<Recording> recording_;        ///< set: it stands in for the device
  std::optional<SearchSpace> space_;
  std::unique_ptr<ClockLock> clock_; ///< outlives the evaluator
  std::unique_ptr<RecordBook> book_;
  std::unique_ptr<Evaluator> evaluator_;
  std::vector<ConfigurationId> seeds_;
  std::vector<Observation> prior_;
  AnswerContext context_;
};

} // namespace gridsmith
