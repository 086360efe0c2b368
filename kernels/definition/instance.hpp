// SPDX-License-Identifier: Apache-2.0
// A definition for one problem size on one device: what the tuner works with.
#pragma once

#include "gridsmith/kernels/definition/definition.hpp"
#include "gridsmith/kernels/source/source_bundle.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

struct KernelInstance {
  KernelDefinition definition;
  ProblemSize problem;
  Device device;
  /// The .cu and its headers as they were when instantiated; null when the file could not be read.
  std::shared_ptr<const SourceBundle> source;
  /// Of the reference kernel: the same, or its own file's; null where there is none.
  std::shared_ptr<const SourceBundle> reference_source;
  std::vector<Parameter> parameters;   ///< with automatic block and grid parameters added
  std::vector<Constraint> constraints; ///< with the automatic ones and the device's limits added
  Bindings facts; ///< device facts, extents ("ProblemSize[0]", "m"), "max(parameter)"
  double model_flops = 0, model_bytes = 0; ///< 0: unknown
  /// For each file of elements that was read, sha256_hex of its content; shared by copies.
  std::shared_ptr<std::map<std::filesystem::path, std::string>> files =
      std::make_shared<std::map<std::filesystem::path, std::string>>();
};

/// What was read of a file is what it held when it was first read for this instance: records are kept
/// under what was measured. @throws InputError
void check_unchanged(const KernelInstance& instance, const std::filesystem::path& file,
                     std::string_view content);

/// The other sources by their names in the bundle. @param source the main one
std::vector<std::string> unit_names(const KernelDefinition& definition,
                                    const std::filesystem::path& source);

/// @throws InputError: wrong number of extents, an extent below 1.
void check_problem(const KernelDefinition& definition, const ProblemSize& problem);

/// @param device automatic shapes and device facts come from it; limits it does not know (0) forbid
/// nothing.
/// @throws InputError as check_problem(), and for a work model without a number.
KernelInstance instantiate(const KernelDefinition& definition, const ProblemSize& problem,
                           const Device& device);

/// @throws as SearchSpace::build
SearchSpace build_space(const KernelInstance& instance, const SpaceWatch& watch = {});
/// Of the configurations that have these values. @pre each is one of its parameter's
SearchSpace build_part(const KernelInstance& instance, const Configuration& values,
                       const SpaceWatch& watch = {});
/// @throws InputError naming the constraints that cannot hold together, when the space is empty.
void refuse_empty(const SearchSpace& space, const SpaceWatch& watch = {});

} // namespace gridsmith
