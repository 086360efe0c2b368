#include "gridsmith/tuner/presentation/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace gridsmith {
namespace {

constexpr std::size_t narrowest = 40; // a table is not squeezed below it

std::string_view environment(const char* name) {
  const char* text = std::getenv(name);
  return text ? text : "";
}

} // namespace

Terminal terminal_of(int descriptor) {
  Terminal terminal;
  if (::isatty(descriptor) != 1)
    return terminal;
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    terminal.width = std::max<std::size_t>(narrowest, size.ws_col);
  terminal.moving = environment("TERM") != "dumb";
  terminal.colour = terminal.moving && environment("NO_COLOR").empty();
  return terminal;
}

} // namespace gridsmith
