// SPDX-License-Identifier: Apache-2.0
// The structs of a source as Gridsmith.Types describes them.
#pragma once

#include "gridsmith/kernels/syntax/tokens.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// By name: "int32 n", "float4 origin", "Pair pairs[2]".
using StructTypes = std::map<std::string, std::vector<std::string>>;

struct ReadStruct {
  std::optional<StructTypes> types; ///< of numbers, and the structs in it
  std::string reason; ///< why not: "it has a pointer, next"; "": the source has none of this name
};

/// @param constants whole numbers that the source has names for
ReadStruct struct_types(const Tokens& tokens, std::string_view name,
                        const std::map<std::string, std::int64_t>& constants);

} // namespace gridsmith
