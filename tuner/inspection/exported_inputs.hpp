// SPDX-License-Identifier: Apache-2.0
// The data of a definition as files, so that a reference can be computed elsewhere: the vectors that the
// kernel reads, the scalars, and the outputs that it must give where the host knows them. The very bits
// that a worker fills and compares with.
#pragma once

#include "gridsmith/kernels/definition/launch.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace gridsmith {

struct InputExport {
  std::uint64_t seed = 1;               ///< of the data, as of a tuning
  std::chrono::seconds formula_time{5}; ///< at most, for the formulas of all outputs
  bool replace = false; ///< files that are there, but for those that the definition reads
};

struct ExportedInputs {
  std::vector<std::filesystem::path> files; ///< as written
  std::vector<std::string> too_slow;        ///< outputs whose formula takes longer than that
};

/// Writes NAME.npy of each vector that is filled, NAME.expected.npy of each output with a
/// Reference.Element or a Reference.File, and last inputs.json: the arguments in their order, with the
/// names of these files. Makes the folder where it is absent.
/// @throws InputError: no folder can be there, a file is there, or the vectors fit into no memory or on no
/// disk; nothing is written then. Error: a file does not take it all
ExportedInputs export_inputs(const KernelInstance& instance, const std::filesystem::path& folder,
                             const InputExport& how = {});

} // namespace gridsmith
