// SPDX-License-Identifier: Apache-2.0
// What Gridsmith makes of a definition, without a GPU: for its author.
#pragma once

#include "gridsmith/metrics/device/occupancy.hpp"
#include "gridsmith/tuner/cli/definitions/element_report.hpp"
#include "gridsmith/tuner/cli/definitions/value_examples.hpp"
#include "gridsmith/tuner/processes/installation.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

/// One of the definition's problem sizes.
struct ProblemReport {
  std::string problem;
  bool instantiated = false;   ///< else nothing more is known
  double flops = 0, bytes = 0; ///< of the work model; 0: unknown
  std::vector<ArgumentSpec> arguments;
  std::optional<std::uint64_t> configurations; ///< of the space
  double product = 0;
  /// The default configuration, else what would be asked first; empty: not known.
  Configuration configuration;
  bool is_default = false;
  std::map<std::string, std::string> macros; ///< of that, in addition to its parameters
  std::optional<Geometry> geometry;          ///< of that
  std::optional<std::string> no_default;     ///< why the definition's default is not in the space
  /// One line; what comes after it in this list is not known.
  std::optional<std::string> trouble;
  bool refused = false; ///< for this trouble `space` and `tune` end too
};

/// What came of one configuration's code.
struct CompileReport {
  std::string what; ///< "default", "first" (there is no default), "sample", "reference"
  Configuration configuration;
  Geometry geometry;
  bool compiles = false;
  /// The compiler's, or what of the code does not fit the definition.
  std::optional<std::string> error;
  /// Why the device cannot launch what compiles; of a sample that is a result as others are.
  std::optional<std::string> refusal;
  CompileFacts facts;
  std::string launch_key; ///< equal for equal code and geometry (twins.hpp); "": not known

  bool launchable() const { return compiles && !error && !refusal; }

  /// Not only one of many configurations that cannot be.
  bool wrong() const;
};

/// Of what was compiled of the space; the reference is not of it.
struct SampleCount {
  std::size_t all = 0, compile = 0, launchable = 0;
};

struct DefinitionReport {
  KernelDefinition definition; ///< with remarks that only this report makes
  Device device;
  std::vector<ProblemReport> problems; ///< at least one
  std::string compiler;                ///< "NVRTC 13.0", or why nothing was compiled
  bool all = false;                    ///< every configuration was compiled, not samples
  std::vector<CompileReport> compiled; ///< for the first problem
  std::vector<std::string> troubles;   ///< that came out by compiling, one line each
  /// Values that matter and that nothing compiled has (samples.hpp).
  std::vector<NamedValue> uncompiled;
  std::vector<NamedValue> absent;      ///< values that no configuration of the first problem has
  std::vector<ElementReport> elements; ///< of the first problem

  SampleCount samples() const;
  /// Nothing was found that an author should change.
  bool good() const;
  /// The first problem cannot be tuned, as `space` says too.
  bool refused() const;
};

/// "144 configurations, 4 of 5 samples compile, 3 can be launched"
std::string verdict_text(const DefinitionReport& report);

/// Called while every configuration is compiled, with how many are done.
using CompileWatch = std::function<void(const SampleCount& done, std::size_t total)>;

/// Compiles the first problem's default, the reference and some sampled configurations where the
/// compiler was built. @param device whose limits count and for which is compiled
/// @param watch set: every configuration instead of samples
DefinitionReport report_on(const KernelDefinition& definition, const Device& device,
                           const Installation& installation, const CompileWatch& watch = {});

/// Bytes that a buffer of the arguments has.
std::uint64_t bytes_of(const BufferSpec& buffer);

} // namespace gridsmith
