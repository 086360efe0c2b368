// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/presentation/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace gridsmith {
namespace {

constexpr std::size_t narrowest = 40; // a table is not squeezed below it

std::string_view environment(const char* name) {
  const char* text = std::getenv(name);
  return text ? text : "";
}

/// By the variables that name the locale, in the order in which they count (POSIX, XBD 8.2).
bool is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (const std::string_view locale = environment(name); !locale.empty())
      return locale.find("UTF-8") != locale.npos || locale.find("utf8") != locale.npos;
  return false;
}

} // namespace

Terminal terminal_of(int descriptor) {
  Terminal terminal;
  if (::isatty(descriptor) != 1)
    return terminal;
  terminal.watched = true;
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    terminal.width = std::max<std::size_t>(narrowest, size.ws_col);
  terminal.moving = environment("TERM") != "dumb";
  terminal.blocks = terminal.moving && is_utf8();
  terminal.colour = terminal.moving && environment("NO_COLOR").empty();
  return terminal;
}

std::string laid_out(const std::string& line, int descriptor, std::size_t indent) {
  const Terminal terminal = terminal_of(descriptor);
  return terminal.watched ? wrapped(line, terminal.width, indent) : line;
}

} // namespace gridsmith
