// SPDX-License-Identifier: Apache-2.0
// The part of a generated header that knows one kernel and no device: its problem, its parameters,
// what is valid and what is launched, from the definition's expressions.
#pragma once

#include "gridsmith/kernels/definition/definition.hpp"

#include <map>
#include <string>
#include <vector>

namespace gridsmith {

/// A field of `Configuration`.
struct ConfigurationField {
  std::string parameter;
  std::string name; ///< in C++
  std::string type;
  std::vector<Value> values;
  std::map<std::string, std::string> enumerators = {}; ///< of texts, by value
};

/// A field of `Problem` that tells how a vector lies; 0 in it is not told.
struct LayoutField {
  std::string name;      ///< in C++
  Expression needed;     ///< of Argument
  bool alignment = true; ///< else the leading dimension
};

/// The C++ names of one kernel.
struct KernelCode {
  std::string name; ///< of its namespace, below `tuned`
  std::vector<ConfigurationField> fields;
  std::vector<std::string> extents;
  std::vector<LayoutField> layout = {};
  std::string text;    ///< declarations, without the namespaces
  bool defined = true; ///< without a definition nothing is known of what was not measured
  std::string lacks;   ///< why not, one line

  /// "{VARIANT_value::tiled, 32, 8}". @throws InputError: other parameters, a value of another type
  std::string configuration(const Configuration& configuration) const;
};

/// @throws InputError: an expression that C++ cannot say, with its field; parameters of mixed types
KernelCode kernel_code(const KernelDefinition& definition);

/// Of recordings alone.
/// @param parameters with all values that are written
/// @param lacks why there is no definition, one line
KernelCode kernel_code(const std::string& kernel, const std::vector<Parameter>& parameters,
                       std::size_t extents, const std::string& lacks);

} // namespace gridsmith
