// SPDX-License-Identifier: Apache-2.0
// The fields of a definition that each fill takes beside "Fill", by name.
#pragma once

#include "gridsmith/kernels/inputs/fill_kind.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace gridsmith {

struct FillField {
  std::string_view name;           ///< in the file
  double FillNumbers::* number;    ///< what it is
  std::optional<double> otherwise; ///< where the file does not say; none: it must
};

/// Fields of numbers; the Value of an expression is none of these.
std::span<const FillField> fill_fields(Fill fill);

} // namespace gridsmith
