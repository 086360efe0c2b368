// SPDX-License-Identifier: Apache-2.0
// What the compiler says of a kernel's parameters, without typedefs and templates. Needs a compiler
// and no GPU.
#pragma once

#include "gridsmith/kernels/draft/type_probe.hpp"
#include "gridsmith/kernels/source/source_bundle.hpp"
#include "gridsmith/tuner/processes/compiler_pool.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

struct SignatureTypes {
  std::optional<std::vector<ResolvedType>> types;
  std::string error; ///< of the compiler; "": there is none
};

/// @param kernel an instance of a template has its arguments
/// @param options for both compilers
/// @throws HelperError as CompilerPool
SignatureTypes signature_types(CompilerPool& pool, const SourceBundle& source,
                               const std::string& kernel, std::vector<std::string> options,
                               Compiler compiler);

} // namespace gridsmith
