// SPDX-License-Identifier: Apache-2.0
// What the compiler says of a kernel's parameters, without typedefs and templates. Needs a compiler
// and no GPU.
#pragma once

#include "gridsmith/kernels/host_code/type_probe.hpp"
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

/// @param request its kernel, an instance of a template with its arguments
/// @throws HelperError as CompilerPool
SignatureTypes signature_types(CompilerPool& pool, CompileRequest request);

} // namespace gridsmith
