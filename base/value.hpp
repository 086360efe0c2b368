// SPDX-License-Identifier: Apache-2.0
// A value of a parameter or of an expression: boolean, integer, real or string.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gridsmith {

using Value = std::variant<bool, std::int64_t, double, std::string>;

/// As Python's str() writes it, which is what the field's files hold: True, 16, 0.5, text.
std::string to_text(const Value& value);

/// As it is handed to the compiler after -DNAME=: true, 16, 0.5, text.
std::string to_macro(const Value& value);

/// Number of a value (true is 1); a string is NaN.
double to_number(const Value& value);

/// Equality as expressions see it: 1 == 1.0 == True; a string only equals a string.
bool same_value(const Value& a, const Value& b);

/// One tunable: a name and its allowed values, in the order of the definition.
struct Parameter {
  std::string name;
  std::vector<Value> values; ///< at least one, no two the same
};

/// One value per parameter, in the order of the space's parameters.
using Configuration = std::vector<std::pair<std::string, Value>>;

/// "block_size_x=32 block_size_y=8": what people see and what the store uses as a key.
std::string to_text(const Configuration& configuration);

/// The value of `name`, or nullptr.
const Value* find_value(const Configuration& configuration, const std::string& name);

/// The same values by the same names, in any order.
bool same_configuration(const Configuration& a, const Configuration& b);

} // namespace gridsmith
