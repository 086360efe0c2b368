// What Gridsmith makes of a definition, without a GPU: for its author.
#pragma once

#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/metrics/device/occupancy.hpp"
#include "gridsmith/tuner/session/installation.hpp"

#include <cstdint>
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
  std::optional<Geometry> geometry; ///< of that
  /// One line; what comes after it in this list is not known.
  std::optional<std::string> trouble;
  bool refused = false; ///< for this trouble `space` and `tune` end too
};

struct CompileReport {
  std::string what; ///< "default", "first" (there is no default), "sample", "reference"
  Configuration configuration;
  bool compiles = false;
  /// The compiler's, or what of the code does not fit the definition.
  std::optional<std::string> error;
  CompileFacts facts;
};

struct DefinitionReport {
  KernelDefinition definition;
  Device device;
  std::vector<ProblemReport> problems; ///< at least one
  std::string compiler;                ///< "NVRTC 13.0", or why nothing was compiled
  std::vector<CompileReport> compiled; ///< for the first problem
  std::vector<std::string> troubles;   ///< that came out by compiling, one line each
  /// Values that matter and that nothing compiled has (samples.hpp).
  std::vector<std::pair<std::string, Value>> uncompiled;

  /// Nothing was found that an author should change.
  bool good() const;
  /// The first problem cannot be tuned, as `space` says too.
  bool refused() const;
};

/// Compiles the first problem's default, the reference and some sampled configurations where the
/// compiler was built. @param device whose limits count and for which is compiled
DefinitionReport report_on(const KernelDefinition& definition, const Device& device,
                           const Installation& installation);

/// Bytes that a buffer of the arguments has.
std::uint64_t bytes_of(const BufferSpec& buffer);

} // namespace gridsmith
