// SPDX-License-Identifier: Apache-2.0
// Errors. what() is one line that names what was wrong, where, and the valid choices: the whole text
// to show.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace gridsmith {

/// Everything that Gridsmith throws for a reason that a person can act on.
class Error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// What a person wrote is wrong: a file, an expression, a name, an option.
class InputError : public Error {
public:
  using Error::Error;
};

/// The choice nearest to `name` by edit distance (case ignored), or "" when none is near enough to
/// be a likely slip (distance above a third of the length, at least 2).
std::string nearest_name(std::string_view name, std::span<const std::string> choices);

/// "unknown <kind> 'x'; did you mean 'y'? (valid: a, b, c)", with the list cut after some names.
/// @param all_by the command that lists all of them; "": there is none
std::string unknown_name(std::string_view kind, std::string_view name,
                         std::span<const std::string> choices, std::string_view all_by = "");

} // namespace gridsmith
