// SPDX-License-Identifier: Apache-2.0
// Compiles all that a check needs at once, for one architecture.
#pragma once

#include "gridsmith/kernels/definition/compile_request.hpp"
#include "gridsmith/tuner/processes/compiler_pool.hpp"

#include <memory>
#include <span>
#include <stop_token>
#include <vector>

namespace gridsmith {

using Code = std::shared_ptr<const CodeObject>;

/// One answer for each request, in order; null ones where it was stopped before.
/// @throws HelperError as CompilerPool
std::vector<Code> compile_all(CompilerPool& pool, std::span<const CompileRequest> requests,
                              const std::stop_token& stop);

} // namespace gridsmith
