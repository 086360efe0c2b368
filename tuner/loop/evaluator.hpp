// Turns configurations into measurements: on the GPU, or from a recording. Takes several at once,
// so that compiling is parallel and counters are read in one session.
#pragma once

#include "gridsmith/results/measurement/measurement.hpp"
#include "gridsmith/search/space/space.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace gridsmith {

/// A configuration on its way; `ticket` is the caller's.
struct EvaluationRequest {
  std::uint64_t ticket = 0;
  Configuration configuration;
};

struct Evaluated {
  std::uint64_t ticket = 0;
  Measurement measurement;
};

/// What is going on, for the progress line and the summary.
struct EvaluatorState {
  std::size_t compiling = 0, queued = 0, measuring = 0;
  std::size_t worker_restarts = 0, compiler_restarts = 0;
  double start_ms =
      0; ///< processes, context, data and reference: until the first evaluation could start
  double last_compiled_ms = 0; ///< when the last compilation ended, from the first request on
  double compile_ms = 0;       ///< sum over compilers
  double gpu_busy_ms = 0;      ///< GPU time of launches
  double verify_ms = 0, time_ms = 0, count_ms = 0; ///< worker's host time by stage
  double wait_ms = 0;                              ///< worker without work
  std::string counting;                            ///< "" when counters are read, else why not
};

class Evaluator {
public:
  virtual ~Evaluator() = default;

  virtual const Device& device() const = 0;
  /// How many requests are worth having in flight.
  virtual std::size_t depth() const = 0;
  virtual void submit(EvaluationRequest request) = 0;
  /// Those that are done; waits at most `limit` for the first.
  virtual std::vector<Evaluated> collect(std::chrono::milliseconds limit) = 0;

  /// Will probably be asked: compile ahead when there is nothing better to do.
  virtual void expect(const std::vector<Configuration>& configurations) {
    static_cast<void>(configurations);
  }

  /// The best interval's upper end so far, for racing.
  virtual void best_so_far(double best_ms) { static_cast<void>(best_ms); }

  /// Measures these again, interleaved, verified with a second seed; one measurement each, in
  /// order.
  virtual std::vector<Measurement> finals(const std::vector<Configuration>& configurations) = 0;
  virtual EvaluatorState state() const = 0;

protected:
  Evaluator() = default;
  Evaluator(const Evaluator&) = default;
  Evaluator& operator=(const Evaluator&) = default;
};

} // namespace gridsmith
