// SPDX-License-Identifier: Apache-2.0
// Compiles all of a list, for a caller that waits for nothing else.
#pragma once

#include "gridsmith/kernels/definition/compile_request.hpp"
#include "gridsmith/tuner/processes/compiler_pool.hpp"

#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

namespace gridsmith {

using Code = std::shared_ptr<const CodeObject>;

/// Asks for so many compilations, each once it can begin soon: a list may be long.
/// @param request of each number below `count`
/// @param hear receives each answer, in the order in which they arrive
/// @return false: stopped before all arrived
/// @throws HelperError as CompilerPool; as request() and hear()
bool compile_each(CompilerPool& pool, std::size_t count,
                  const std::function<CompileRequest(std::size_t)>& request,
                  const std::function<void(std::size_t, const Code&)>& hear,
                  const std::stop_token& stop);

/// One answer for each request, in order; null ones where it was stopped before.
/// @throws HelperError as CompilerPool
std::vector<Code> compile_all(CompilerPool& pool, std::span<const CompileRequest> requests,
                              const std::stop_token& stop);

} // namespace gridsmith
