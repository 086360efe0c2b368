// SPDX-License-Identifier: Apache-2.0
// What is wrong with a text that is no JSON, in words for people who wrote it by hand.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gridsmith {

struct JsonSlip {
  std::size_t byte = 0; ///< where it is wrong, from 1
  std::string what;     ///< one line of printable text
};

/// @param text not empty, of more than blanks
/// @param byte where the parser stopped, from 1
/// @param said by the parser
JsonSlip json_slip(std::string_view text, std::size_t byte, const std::string& said);

/// The parser's own explanation without its prefix of numbers and positions, in one line.
std::string words_of_parser(const std::string& said);

} // namespace gridsmith
