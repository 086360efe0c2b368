// What a terminal shows: how wide it is, whether it takes colour and a line that moves.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gridsmith {

struct Terminal {
  std::size_t width =
      80; ///< characters; 80 where nobody looks, so that what is piped is the same everywhere
  bool colour = false; ///< not with NO_COLOR set (no-color.org)
  bool moving = false; ///< a carriage return goes back to the start of the line
};

/// @param descriptor STDOUT_FILENO or STDERR_FILENO
Terminal terminal_of(int descriptor);

/// Characters that a text takes, where each has one place: continuation bytes of UTF-8 take none.
std::size_t width_of(std::string_view text);
/// At most so many characters; one that had to be cut ends with "…".
std::string cut(const std::string& text, std::size_t width);
/// Broken at blanks into lines of at most `width` where the words allow it; all but the first are
/// indented. No newline at the end.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent);

} // namespace gridsmith
