// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/commandline/manual.hpp"

#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/tuner/commandline/help_page.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cstdint>
#include <sstream>
#include <string_view>

namespace gridsmith {
namespace {

/// A line of text that roff takes for nothing else.
std::string escaped(const std::string& text) {
  std::string all;
  std::string_view rest = text;
  while (!rest.empty()) {
    char32_t c = 0;
    rest = take_character(rest, c);
    all += c == '\\'   ? std::string("\\e")
           : c == '-'  ? std::string("\\-") // as typed, not a hyphen
           : c == '\'' ? std::string("\\(aq")
           : c < 0x80  ? std::string(1, static_cast<char>(c))
                       : fmt::format("\\[u{:04X}]", static_cast<std::uint32_t>(c));
  }
  return all.starts_with('.') ? "\\&" + all : all;
}

std::string heading(const char* macro, const std::string& text) {
  std::string title;
  for (const char c : text)
    title += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return fmt::format(".{} \"{}\"\n", macro, macro == std::string("SH") ? title : text);
}

/// Paragraphs; lines that begin with blanks stay lines.
std::string paragraphs(const std::string& text) {
  std::string all;
  bool kept = false; // within lines that stay
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool keep = line.starts_with(' ');
    if (keep != kept)
      all += keep ? ".PP\n.nf\n" : ".fi\n";
    kept = keep;
    if (keep)
      all += escaped(line) + '\n';
    else
      all += line.empty() ? (all.ends_with(".PP\n") ? "" : ".PP\n") : escaped(line) + '\n';
  }
  return all + (kept ? ".fi\n" : "");
}

/// Without empty paragraphs, of which readers of the page warn.
std::string tidy(const std::string& page) {
  std::string all, previous;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    const bool section = line.starts_with(".SH") || line.starts_with(".SS");
    if (previous == ".PP" && (section || line == ".PP"))
      all.erase(all.size() - 4);
    if (!(line == ".PP" && (previous.starts_with(".SH") || previous.starts_with(".SS")))) {
      all += line + '\n';
      previous = line;
    }
  }
  return all;
}

std::string options(const CLI::App& command) {
  std::string text;
  for (const OptionGroup& group : option_groups(command)) {
    text += fmt::format(".PP\n{}:\n", escaped(group.title));
    for (const CLI::Option* option : group.options)
      text += fmt::format(".TP\n.B \"{}\"\n{}\n", escaped(option_title(*option)),
                          escaped(option_text(*option)));
  }
  return text;
}

constexpr const char* files_and_environment = R"(.SH FILES
.TP
.I gridsmith.db
in the folder where tune is started: the store, SQLite, all that was measured
.TP
.I $XDG_CACHE_HOME/gridsmith
or ~/.cache/gridsmith: compiled kernels; may be removed at any time
.SH ENVIRONMENT
.TP
.B NO_COLOR
set and not empty: no colour
.TP
.B TERM
"dumb": no colour and no line that moves
.TP
.B XDG_CACHE_HOME, HOME
where the cache is
.TP
.B CUDA_VISIBLE_DEVICES
which GPUs the driver shows, and in which order
)";

} // namespace

std::string manual_page(const CLI::App& app, const std::string& version) {
  std::string page =
      fmt::format(".TH GRIDSMITH 1 \"\" \"gridsmith {}\" \"User Commands\"\n", version);
  page += ".SH NAME\ngridsmith \\- autotuner for CUDA kernels\n";
  page += fmt::format(".SH SYNOPSIS\n.B {}\n", escaped(usage_of(app)));
  page += heading("SH", "Description") + paragraphs(app.get_description());
  page += heading("SH", "Commands");
  for (const CLI::App* command : commands_of(app)) {
    page += heading("SS", escaped(usage_of(*command)));
    page += escaped(command->get_description()) + ".\n" + options(*command);
    page += ".PP\n" + paragraphs(command->get_footer());
  }
  page += heading("SH", "Options") + options(app);
  page += ".PP\n" + paragraphs(app.get_footer()) + files_and_environment;
  return tidy(page);
}

} // namespace gridsmith
