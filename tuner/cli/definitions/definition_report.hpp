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
  std::uint64_t configurations = 0; ///< of the space
  double product = 0;
  /// The default configuration, else what would be asked first.
  Configuration configuration;
  bool is_default = false;
  Geometry geometry; ///< of that
  std::vector<ArgumentSpec> arguments;
  double flops = 0, bytes = 0;        ///< of the work model; 0: unknown
  std::optional<std::string> trouble; ///< one line; what comes after it in this list is not known
};

struct CompileReport {
  std::string what; ///< "default", "first" (there is no default), "sample", "reference"
  Configuration configuration;
  std::optional<std::string> error;
  CompileFacts facts;
};

struct DefinitionReport {
  KernelDefinition definition;
  Device device;
  std::vector<ProblemReport> problems; ///< at least one
  std::string compiler;                ///< "NVRTC 13.0", or why nothing was compiled
  std::vector<CompileReport> compiled; ///< for the first problem

  /// Nothing was found that an author should change.
  bool good() const;
};

/// Compiles the first problem's default, the reference and some sampled configurations where the
/// compiler was built. @param device whose limits count and for which is compiled
DefinitionReport report_on(const KernelDefinition& definition, const Device& device,
                           const Installation& installation);

/// Bytes that a buffer of the arguments has.
std::uint64_t bytes_of(const BufferSpec& buffer);

} // namespace gridsmith
