// SPDX-License-Identifier: Apache-2.0
// One configuration as code that a caller launches by itself.
#pragma once

#include "gridsmith/kernels/definition/instance.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace gridsmith {

struct CompiledCode {
  std::shared_ptr<const std::vector<std::uint8_t>> cubin;
  nlohmann::ordered_json facts; ///< as gridsmith_code_facts() has them
};

/// @param settings kernel, the first of its problems, include and helpers count
/// @param wanted what it does not name is as in the default
/// @throws InputError: it does not compile, is not in the space, or is launched in a way that the caller cannot;
/// HelperError: no compiler
CompiledCode compiled_code(const SessionSettings& settings, const Configuration& wanted,
                           const Device& device);

} // namespace gridsmith
