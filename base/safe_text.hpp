// SPDX-License-Identifier: Apache-2.0
// Text of others (files, compilers, drivers) made safe to pass on: what enters is made well-formed
// UTF-8 once, what people see holds no control character.
#pragma once

#include <string>
#include <string_view>

namespace gridsmith {

/// Well-formed UTF-8: each byte that is part of no character becomes U+FFFD.
std::string well_formed(std::string_view text);

/// One line for terminals, tables and CSV: control characters (C0, DEL, C1), line separators and
/// what changes the direction of writing become U+FFFD, white space of any kind a blank. Well-formed.
std::string printable(std::string_view text);

/// The same for text of several lines: '\n' stays.
std::string printable_lines(std::string_view text);

/// Whether a terminal could take the character for a command, or a reader be misled by it.
bool is_control(char32_t character);

/// A field of CSV (RFC 4180 quoting), printable. Text that a spreadsheet would take for a formula
/// (it begins with = + - or @ and is no number) gets a ' in front.
std::string csv_field(std::string_view text);

/// As text and in quoted attributes (HTML, "Escaping a string").
std::string html_escaped(std::string_view text);

/// The text without its first character, which is stored in `character`; a byte that is part of no
/// character is U+FFFD. @pre not empty
std::string_view take_character(std::string_view text, char32_t& character);

} // namespace gridsmith
