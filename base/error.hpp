// Errors about what a person wrote: a file, an expression, a name, an option. The message is one
// line that names what was wrong, where, and the valid choices; the program ends with exit code 2.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace gridsmith {

/// Bad input. what() is the whole line to show.
class InputError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The choice nearest to `name` by edit distance (case ignored), or "" when none is near enough to
/// be a likely slip (distance above a third of the length, at least 2).
std::string nearest_name(std::string_view name, std::span<const std::string> choices);

/// "unknown <kind> 'x'; did you mean 'y'? (valid: a, b, c)", with the list cut after some names.
std::string unknown_name(std::string_view kind, std::string_view name,
                         std::span<const std::string> choices);

} // namespace gridsmith
