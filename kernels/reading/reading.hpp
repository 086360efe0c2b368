// What the parts of reading a definition share.
#pragma once

#include "gridsmith/kernels/definition/definition.hpp"
#include "gridsmith/kernels/reading/json_field.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace gridsmith {

/// A definition half read, and its expressions, remembered with their fields until all names that
/// they may use are known.
struct Reading {
  struct Check {
    JsonField field;
    Expression expression;
    bool parameters; ///< may use parameters, not only extents and device facts
  };

  KernelDefinition definition = {};
  std::vector<Check> checks = {};

  Expression expression(const JsonField& field, bool parameters) {
    checks.push_back({field, field.expression(), parameters});
    return checks.back().expression;
  }
};

/// The definition's own folder, links resolved, and those that the user named.
ReadableFolders readable_folders(const std::filesystem::path& json_file,
                                 const std::vector<std::filesystem::path>& include);
/// The KernelFile: beside the JSON, else in the parent folder, which may be read then; where
/// neither has it, the first place.
void read_source(const JsonField& field, KernelDefinition& definition);
/// Another file that the definition names, beside the JSON or in its parent folder.
/// @throws InputError for one that may not be read.
std::filesystem::path located_file(const JsonField& field, const KernelDefinition& definition);
/// @throws InputError for an option that is not allowed, or a folder that may not be read.
void read_compiler_options(const JsonField& field,
                           const std::vector<std::filesystem::path>& include,
                           KernelDefinition& definition);

/// An array of 1 to 3 positive integers (or expressions of numbers), "8192x8192", or one number.
ProblemSize read_problem_size(const JsonField& field);
/// Once each, all with the same number of extents.
void add_problem_size(const JsonField& field, ProblemSize size, KernelDefinition& definition);

} // namespace gridsmith
