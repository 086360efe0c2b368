// SPDX-License-Identifier: Apache-2.0
// What turns trials into measurements: the GPUs of this machine, or a recording. One more is a class of this kind, and
// a row in tuner/session/sources.cpp.
#pragma once

#include "gridsmith/kernels/definition/instance.hpp"
#include "gridsmith/results/measurement/conditions.hpp"
#include "gridsmith/results/measurement/recording.hpp"
#include "gridsmith/tuner/loop/evaluator.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace gridsmith {

class BackEnd;

/// Hears one line that a person should read; may be empty.
using Note = std::function<void(const std::string&)>;

/// What can be asked of a source: as it is, all that can be asked of a GPU of this machine.
struct Abilities {
  bool other_problems = true; ///< than those asked for: drawn and added ones
  /// Why nothing is measured under other regimes or at other clocks; "": it is.
  std::string one_regime_because = {};
  bool same_again = false; ///< a question has the same answer on every run
  bool our_data = true;    ///< inputs are made and results verified as the definition says
};

/// What was measured earlier and answers in a device's place, with its own space.
struct Replayed {
  std::shared_ptr<const Recording> recording;
  std::filesystem::path file;
  std::string because; ///< for people: "No CUDA device here (…)"
};

/// Where the measurements of a problem come from.
struct Source {
  BackEnd* back_end = nullptr; ///< outlives the source
  Device device = {};
  /// Other GPUs of the device's product, which measure for the same search.
  std::vector<Device> others = {};
  Abilities can = {};
  std::optional<Replayed> replayed = {}; ///< none: it is measured now
};

/// A problem of a kernel; all outlive what asks.
struct BackEndProblem {
  const KernelDefinition* definition; ///< none: a recording alone is replayed
  const ProblemSize& problem;
  /// Why the back ends before this one cannot measure it; "": there are none.
  const std::string& because;
};

/// One that is to be measured.
struct EvaluatorRequest {
  const Source& source; ///< of the back end that is asked
  /// Outlives the evaluator; none: a recording of a kernel without a definition.
  const KernelInstance* instance;
  const RecordedSpace* recorded; ///< likewise; none: there is no recording
  EvaluatorStart start = {};
  const Conditions& conditions;
  /// Hears which board of several of one product measures first, once that is known.
  std::function<void(const Device&)> becomes = {};
};

struct OpenedEvaluator {
  std::unique_ptr<Evaluator> evaluator;
  Conditions conditions;     ///< those asked for, or what can be had of them
  std::string in_words = {}; ///< the conditions, with who else uses the GPU
  std::string toolkit = {};  ///< what a result depends on beside source, device and conditions
  std::size_t compilers = 0; ///< that work side by side; 0: nothing is compiled
};

class BackEnd {
public:
  virtual ~BackEnd() = default;
  BackEnd(const BackEnd&) = delete;
  BackEnd& operator=(const BackEnd&) = delete;

  /// Whether it measures kernels of this language; of others it is asked nothing.
  virtual bool runs(const KernelDefinition& definition) const { return definition.runnable(); }

  /// One of those that will be measured. All of them are named before the first is.
  virtual void will_compile(const KernelDefinition& definition) { static_cast<void>(definition); }

  /// Starts what takes its time, where there is something to measure. @pre will_compile()
  virtual void begin() {}

  /// What a problem can be measured on, one for each product; none: absent() says why.
  /// @throws InputError: no such problem; NoSuchDevice
  virtual std::vector<Source> sources(const BackEndProblem& wanted) = 0;

  virtual std::string absent() const { return ""; }

  /// @throws StoppedWaiting, HelperError, WorkerRefused, InputError
  virtual OpenedEvaluator evaluator_for(const EvaluatorRequest& request,
                                        const std::stop_token& stop) = 0;

  /// Until something may have come of one of its evaluators, at most so long.
  virtual void wait(std::chrono::milliseconds limit) { static_cast<void>(limit); }

protected:
  BackEnd() = default;
};

} // namespace gridsmith
