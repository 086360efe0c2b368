// SPDX-License-Identifier: Apache-2.0
// Names, texts and comments of others as they may stand in C++ source.
#pragma once

#include "gridsmith/base/value.hpp"

#include <set>
#include <string>

namespace gridsmith {

/// A C++ identifier that resembles the name.
std::string identifier(const std::string& name);
/// The same, and another one than those in `used`, which it joins.
std::string identifier_beside(const std::string& name, std::set<std::string>& used);

/// A string literal of these bytes, in ASCII.
std::string string_literal(const std::string& text);
/// What a comment can hold: nothing may leave its line, neither a line end nor a backslash before one.
std::string comment_text(const std::string& text);
/// A literal of exactly this number; a real one has a point or an exponent. @pre finite
std::string real_literal(double number);

} // namespace gridsmith
