// What the parts of reading a definition share.
#pragma once

#include "gridsmith/kernels/definition/definition.hpp"
#include "gridsmith/kernels/definition/json_field.hpp"

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

/// Beside the JSON, else in the parent folder; where neither has it, the first place.
std::filesystem::path locate(const std::filesystem::path& json_file, const std::string& name);

/// An array of 1 to 3 positive integers (or expressions of numbers), "8192x8192", or one number.
ProblemSize read_problem_size(const JsonField& field);
/// Once each, all with the same number of extents.
void add_problem_size(const JsonField& field, ProblemSize size, KernelDefinition& definition);

} // namespace gridsmith
