// SPDX-License-Identifier: Apache-2.0
// What the compiler is asked: source, kernel and options of one configuration.
#pragma once

#include "gridsmith/base/fields.hpp"
#include "gridsmith/kernels/definition/instance.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gridsmith {

/// A parameter, or a macro of the definition, as the source sees it: among the options.
struct ParameterMacro {
  std::string name;
  bool varies = true; ///< has several values: one that the source gives it can differ
};

template <Like<ParameterMacro> T>
void for_fields(T& v, auto&& visit) {
  visit("name", v.name);
  visit("varies", v.varies);
}

struct CompileRequest {
  std::shared_ptr<const SourceBundle> source;
  std::string kernel; ///< name or template-id
  /// -D and the definition's, in order; no architecture, and no folders: those are the source's.
  std::vector<std::string> options;
  /// Those that the source must leave as they are: with another value it does not compile.
  std::vector<ParameterMacro> parameters = {};
  Compiler compiler = Compiler::nvrtc;
  std::vector<std::string> units =
      {}; ///< of the source's files: compiled by themselves, and linked; nvcc alone
};

template <Like<CompileRequest> T>
void for_fields(T& v, auto&& visit) {
  visit("source", v.source);
  visit("kernel", v.kernel);
  visit("options", v.options);
  visit("parameters", v.parameters);
  visit("compiler", v.compiler);
  visit("units", v.units);
}

/// The definition's macros that are no parameters, and their values. @throws InputError: one has none
std::map<std::string, std::string> macros_of(const KernelInstance& instance,
                                             const Configuration& configuration);
/// @throws InputError: no source, a language that is not run here, no geometry (its macros), or as macros_of().
CompileRequest compile_request(const KernelInstance& instance, const Configuration& configuration);
/// @param first as of reference_configuration()
/// @throws InputError likewise, and where the reference is no kernel.
CompileRequest reference_compile_request(const KernelInstance& instance,
                                         const Configuration& first);

} // namespace gridsmith
