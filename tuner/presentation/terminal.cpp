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

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
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

std::size_t width_of(std::string_view text) {
  return text.size() -
         static_cast<std::size_t>(std::count_if(text.begin(), text.end(), continues_character));
}

std::string cut(const std::string& text, std::size_t width) {
  if (width_of(text) <= width)
    return text;
  std::size_t end = 0;
  for (std::size_t shown = 0; shown + 1 < width; ++shown)
    do
      ++end;
    while (continues_character(text[end]));
  return text.substr(0, end) + "…";
}

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  std::string all = text.substr(0, std::min(text.find_first_not_of(' '), text.size()));
  std::size_t used = all.size(); // in the line so far
  bool first = true;             // word of a line
  for (std::size_t at = all.size(); at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    at = end + 1;
    if (!first && used + 1 + width_of(word) > width) {
      all += '\n' + std::string(indent, ' ');
      used = indent;
      first = true;
    }
    all += (first ? "" : " ") + word;
    used += width_of(word) + (first ? 0 : 1);
    first = false;
  }
  return all;
}

} // namespace gridsmith
