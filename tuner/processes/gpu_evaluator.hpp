// Evaluates on a GPU: compiler pool ahead, one worker behind, everything between them here.
// Survives all that a kernel can do; what happened becomes a measurement.
#pragma once

#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/tuner/processes/compiler_pool.hpp"
#include "gridsmith/tuner/loop/evaluator.hpp"
#include "gridsmith/tuner/processes/worker_link.hpp"

#include <filesystem>
#include <optional>
#include <unordered_map>

namespace gridsmith {

struct GpuSettings {
  std::filesystem::path programs; ///< folder of gridsmith-worker and gridsmith-compiler
  std::size_t compilers = 0;      ///< 0: one per core
  bool no_cache = false;
  std::filesystem::path cache_folder;
  std::uint64_t seed = 1;
  std::vector<std::string> counters; ///< metric names; empty: none wanted
  bool warm = false;
  double interval = 0.01; ///< ± fraction of the median
  int min_samples = 5, max_samples = 50;
  double max_ms = 500;
  std::chrono::milliseconds stage_limit{10'000};
  bool racing = true;
  int final_rounds = 15;
};

/// Devices of this machine as the worker sees them; empty with a reason where there is none.
struct DeviceList {
  std::vector<Device> devices;
  std::string reason;
};

DeviceList query_devices(const std::filesystem::path& programs);

class GpuEvaluator final : public Evaluator {
public:
  /// @param instance outlives the evaluator. @throws InputError when the source cannot be read.
  GpuEvaluator(const KernelInstance& instance, GpuSettings settings);

  /// Returns when the worker is ready, so that start-up can be told apart from tuning.
  /// @throws WorkerRefused
  void wait_until_open();

  const Device& device() const override;
  std::size_t depth() const override;
  void submit(EvaluationRequest request) override;
  std::vector<Evaluated> collect(std::chrono::milliseconds limit) override;
  void expect(const std::vector<Configuration>& configurations) override;
  void best_so_far(double best_ms) override;
  std::vector<Measurement> finals(const std::vector<Configuration>& configurations) override;
  EvaluatorState state() const override;

private:
  /// One configuration on its way.
  struct Pending {
    std::uint64_t ticket = 0;
    Measurement measurement;
    Launchable launchable;
  };

  /// A good one: the finals launch it again without compiling it again.
  struct Kept {
    std::string configuration;
    double median_ms = 0;
    Launchable launchable;
  };

  using Clock = std::chrono::steady_clock;

  void compile(const Configuration& configuration, std::uint64_t id);
  void compile_start();
  void advance(std::chrono::milliseconds limit);
  void take_compiled();
  void open_worker();
  void take_measured();
  void finish(std::uint64_t id, const EvaluateOutcome& outcome);
  void keep(const Measurement& measurement, Launchable launchable);
  void gather_finalists(const std::vector<Configuration>& configurations, std::uint64_t first);

  const KernelInstance& instance_;
  GpuSettings settings_;
  CompilerPool pool_;
  OpenWork open_;
  std::optional<WorkerLink> worker_;
  std::vector<EvaluateJob> before_worker_; ///< compiled before the worker could be opened
  std::unordered_map<std::uint64_t, Pending> pending_;
  std::vector<Kept> kept_; ///< fastest first
  std::unordered_map<std::uint64_t, CompileOutcome> compiled_finalists_;
  bool collecting_finalists_ = false;
  std::vector<Evaluated> done_;
  std::uint64_t next_id_ = 1;
  double best_ms_ = 0;
  EvaluatorState totals_;
  Clock::time_point started_ = Clock::now();
  std::optional<Clock::time_point> first_request_;
};

} // namespace gridsmith
