// SPDX-License-Identifier: Apache-2.0
// Values of a definition's expressions for one instance, with errors that name the field.
#pragma once

#include "gridsmith/kernels/definition/instance.hpp"

#include <cstdint>
#include <string_view>

namespace gridsmith {

/// 2^53: beyond, a double skips integers.
inline constexpr double largest_exact_double = 9007199254740992.0;

/// Where an expression stands, for messages: "file: field".
struct Place {
  const KernelDefinition& definition;
  std::string_view field;
};

/// Configuration first, then facts. Both must outlive the lookup.
Lookup lookup_in(const Configuration& configuration, const Bindings& facts);

/// Facts first, then parameters, each standing for its largest value.
Lookup lookup_largest(const KernelInstance& instance);

/// @throws InputError: it has none.
Value value_of(const Place& place, const Expression& expression, const Lookup& lookup);
/// @throws InputError: no number.
double number_of(const Place& place, const Expression& expression, const Lookup& lookup);
/// @throws InputError: no integer, or below `least`.
std::int64_t integer_of(const Place& place, const Expression& expression, const Lookup& lookup,
                        std::int64_t least);

} // namespace gridsmith
