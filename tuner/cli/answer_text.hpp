// The answer as people read it and as scripts read it.
#pragma once

#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/results/measurement/answer.hpp"
#include "gridsmith/tuner/loop/tuning.hpp"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <string>
#include <vector>

namespace gridsmith {

/// What the answer is about. Model values 0: unknown.
struct AnswerContext {
  std::string kernel, problem;
  Device device;
  std::vector<Parameter> parameters;
  double model_bytes = 0, model_flops = 0;
  /// Bytes of one thread's load and store in a configuration; none: unknown.
  std::function<AccessBytes(const Configuration&)> access_bytes;
  bool recorded = false;  ///< a replay, not a measurement of today
  std::string conditions; ///< "L2 flushed before every sample"
  std::string date;
};

/// The configuration without parameters that have one value only.
std::string short_text(const Configuration& configuration,
                       const std::vector<Parameter>& parameters);

/// The table of the best and the lines below it: winner, ties, conditions.
std::string answer_text(const AnswerContext& context, const std::vector<Ranked>& ranked);
/// Evaluations by status and where the time went.
std::string summary_text(const AnswerContext& context, const TuningResult& result);
nlohmann::json answer_json(const AnswerContext& context, const std::vector<Ranked>& ranked,
                           const TuningResult& result);

} // namespace gridsmith
