// Evaluates on a GPU: compiler pool ahead, one worker behind, everything between them here.
// Survives all that a kernel can do; what happened becomes a measurement.
#pragma once

#include "gridsmith/kernels/definition/instance.hpp"
#include "gridsmith/tuner/loop/evaluator.hpp"
#include "gridsmith/tuner/processes/compiler_pool.hpp"
#include "gridsmith/tuner/processes/worker_link.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

struct GpuSettings {
  std::filesystem::path helpers;              ///< folder of gridsmith-worker and gridsmith-compiler
  std::optional<std::size_t> compilers;       ///< processes; none: one per core
  std::optional<std::filesystem::path> cache; ///< folder of compiled kernels; none: no cache at all
  bool confined = true;                       ///< compilers and worker, as far as the system can
  std::uint64_t seed = 1;                     ///< of the data
  /// Whose output is compared with where the definition has no reference; none: nothing is then.
  std::optional<Configuration> default_configuration;
  Configuration first; ///< what the reference kernel is compiled with, but for values of its own
  Conditions conditions;
  int final_rounds = 15;
};

class GpuEvaluator final : public Evaluator {
public:
  /// Starts compilers and, as soon as there is something to load, the worker.
  /// @param instance outlives the evaluator. @throws InputError when the source cannot be read,
  /// HelperError when the programs cannot be started.
  GpuEvaluator(const KernelInstance& instance, GpuSettings settings);

  /// Returns when the worker is ready, so that start-up can be told apart from tuning.
  /// @throws WorkerRefused
  void wait_until_open();

  const Device& device() const override;
  Peaks peaks() const override;
  std::size_t depth() const override;
  void submit(std::vector<Trial> trials) override;
  std::vector<Evaluated> collect(std::chrono::milliseconds limit) override;
  void withdraw(TrialId id) override;
  void compile_ahead(const std::vector<Configuration>& likely) override;
  void best_so_far(double best_ms) override;
  EvaluatorState state() const override;

  /// All that compilations read beside the kernel's source: which toolkit, as it is now.
  std::string toolkit() const { return pool_.toolkit() + " " + pool_.toolkit_headers(); }

private:
  using Clock = std::chrono::steady_clock;
  using Code = std::shared_ptr<const CodeObject>;

  /// Trials that are measured together once all of them are compiled.
  struct Group {
    Mode mode = Mode::race;
    std::size_t uncompiled = 0;
    std::vector<LaunchJob> jobs;
  };

  /// A trial on its way.
  struct Pending {
    Trial asked; ///< its configuration is in the measurement
    Measurement measurement;
    std::shared_ptr<Group> group; ///< none: alone, in the race
    Code code;                    ///< once compiled
  };

  /// The code of a good one: the finals launch it again without compiling it again.
  struct Kept {
    std::string configuration;
    double median_ms = 0;
    Code code;
  };

  void begin(Trial trial, const std::shared_ptr<Group>& group);
  void advance(std::chrono::milliseconds limit);
  void take_compiled();
  bool take_opening(const Compiled& compiled);
  void compiled(TrialId id, const Code& code);
  LaunchJob job_of(TrialId id, const Pending& pending) const;
  EvaluateBatch race_of(TrialId id, const Pending& pending) const;
  void complete(const std::shared_ptr<Group>& group);
  void launch(EvaluateBatch batch);
  void open_worker();
  void advance_worker();
  void give_up_default(const std::string& because);
  void take_measured();
  void finish(TrialId id, Execution execution, bool judged = true);
  void keep(const Measurement& measurement, const Code& code);
  Code kept(const Configuration& configuration) const;

  const KernelInstance& instance_;
  GpuSettings settings_;
  CompilerPool pool_;
  OpenWork open_;
  bool reference_wanted_ = false; ///< a kernel that has to be compiled before the worker is opened
  std::optional<WorkerLink> worker_;
  std::vector<EvaluateBatch> before_worker_; ///< compiled before the worker could be opened
  std::map<TrialId, Pending> pending_;
  std::vector<Kept> kept_; ///< fastest first
  std::vector<Evaluated> done_;
  std::optional<double> best_ms_;
  EvaluatorState totals_;
  Clock::time_point started_ = Clock::now();
  std::optional<Clock::time_point> first_trial_;
};

} // namespace gridsmith
