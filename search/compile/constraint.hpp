// SPDX-License-Identifier: Apache-2.0
// What a search space is made from, besides its parameters.
#pragma once

#include "gridsmith/base/expression/expression.hpp"

#include <cstdint>
#include <string>

namespace gridsmith {

/// Position of a value in its parameter's list.
using Position = std::uint16_t;

/// A boolean expression over parameters, device facts and problem extents. `text` is what people
/// see.
struct Constraint {
  Expression expression;
  std::string text;
};

} // namespace gridsmith
