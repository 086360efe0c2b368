// SPDX-License-Identifier: Apache-2.0
// What a terminal shows: how wide it is, whether it takes colour and a line that moves.
#pragma once

#include "gridsmith/base/text_layout.hpp"

#include <cstddef>
#include <string>

namespace gridsmith {

struct Terminal {
  std::size_t width =
      80; ///< characters; 80 where nobody looks, so that what is piped is the same everywhere
  bool watched = false; ///< it is one, and lines of text are broken to its width
  bool colour = false;  ///< not with NO_COLOR set (no-color.org)
  bool moving = false;  ///< a carriage return goes back to the start of the line
  bool blocks = false;  ///< block characters are shown: a terminal whose locale is UTF-8
};

/// @param descriptor STDOUT_FILENO or STDERR_FILENO
Terminal terminal_of(int descriptor);

/// A line of text, wrapped() where it goes to a terminal: what is piped is searched by lines.
std::string laid_out(const std::string& line, int descriptor, std::size_t indent);

} // namespace gridsmith
