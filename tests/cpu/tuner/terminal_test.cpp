// SPDX-License-Identifier: Apache-2.0
// What a terminal shows: the program runs on one of a given width, and no line is longer; nothing
// commands it where NO_COLOR or TERM=dumb forbid that.
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/program.hpp"
#include "gridsmith/tuner/presentation/terminal.hpp"

#include <pty.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>

namespace terminal_test {

using namespace gridsmith;

namespace {

/// In a folder of its own, as a name that is longer than a line is not broken.
const std::string recording = "matmul.json";

struct Here {
  Here() {
    std::filesystem::copy_file(GRIDSMITH_SOURCE_DIR
                               "/kernels/catalogue/matmul/recordings/1024x1024x1024__h200.json.gz",
                               folder.path() / recording);
    std::filesystem::current_path(folder.path());
  }

  ~Here() { std::filesystem::current_path("/"); }

  Here(const Here&) = delete;
  Here& operator=(const Here&) = delete;

  test::Folder folder;
};

/// What the words write on a terminal so wide, standard output and error together.
std::string on_terminal(unsigned short width, const std::vector<std::string>& words,
                        const std::string& setting = "TERM=xterm") {
  const winsize size{.ws_row = 50, .ws_col = width, .ws_xpixel = 0, .ws_ypixel = 0};
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    ::setenv("TERM", "xterm", 1);
    ::unsetenv("NO_COLOR");
    ::putenv(const_cast<char*>(setting.c_str()));
    std::vector<char*> list = {const_cast<char*>(GRIDSMITH_PROGRAM)};
    for (const std::string& word : words)
      list.push_back(const_cast<char*>(word.c_str()));
    list.push_back(nullptr);
    ::execv(list.front(), list.data());
    ::_exit(127);
  }
  std::string shown;
  char part[4096];
  for (ssize_t got; (got = ::read(terminal, part, sizeof part)) > 0;)
    shown.append(part, static_cast<std::size_t>(got));
  ::close(terminal);
  test::Program::wait(child);
  return shown;
}

/// Lines as they stood, with what replaced each other by a carriage return one below the other, and
/// without what moves or colours.
std::string lines_of(const std::string& shown) {
  std::string lines;
  for (std::size_t i = 0; i < shown.size(); ++i)
    if (shown[i] == '\x1b')
      i = shown.find_first_of("mK", i);
    else
      lines += shown[i] == '\r' ? '\n' : shown[i];
  return lines;
}

const std::vector<std::vector<std::string>> commands = {
    {"tune", "matmul", "--recording", recording, "--exhaustive"},
    {"tune", "matmul", "--recording", recording, "--verbose", "--evaluations", "20"},
    {"space", "transpose"},
    {"space", "matmul"},
    {"check-definition", "transpose"},
    {"kernels"},
    {"kernels", "matmul"},
    {"kernels", "attention_half"},
    {"devices"},
    {"doctor"},
    {"occupancy"},
    {"counters", "full", "load_sectors_per_request",
     "dram_bytes"}, // CUPTI's names cannot be broken
    {"occupancy", "--registers", "64", "--shared", "16384"},
    {"simulate", recording, "--runs", "5"},
    {"simulate", recording, "--runs", "5", "--strategy", "default,random,greedy"},
    {"tune", "--help"},
    {"simulate", "--help"},
    {"export", "--help"},
    {"help"}};

/// Without the lines that have a path, are one word, or a command that is to be copied: they cannot be broken.
std::string breakable(const std::string& lines) {
  std::string left;
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);)
    if (line.find(" /") == line.npos && trimmed(line).find(' ') != line.npos &&
        !line.starts_with("Next: "))
      left += line + '\n';
  return left;
}

} // namespace

TEST_CASE("no line is longer than the terminal is wide") {
  const Here here;
  for (const unsigned short width : std::array<unsigned short, 5>{40, 60, 80, 120, 200})
    for (const auto& words : commands) {
      std::string all;
      for (const std::string& word : words)
        all += word + " ";
      INFO(all << "at " << width);
      const std::string lines = lines_of(on_terminal(width, words));
      INFO(lines);
      CHECK(lines.size() > 20);
      // An error is one line, however long; the terminal breaks it.
      if (!lines.starts_with("gridsmith: "))
        CHECK(widest_line(breakable(lines)) <= width);
    }
}

TEST_CASE("colour and moving lines only where they are wanted") {
  const Here here;
  const std::vector<std::string>& tune = commands.front();
  const std::string usual = on_terminal(80, tune);
  CHECK_THAT(usual, contains_text("\x1b[1m"));
  const std::string plain = on_terminal(80, tune, "NO_COLOR=1");
  CHECK(plain.find("\x1b[1m") == std::string::npos);
  const std::string dumb = on_terminal(80, tune, "TERM=dumb");
  CHECK(dumb.find('\x1b') == std::string::npos);
  CHECK_THAT(dumb, contains_text("Best on NVIDIA H200"));
}

TEST_CASE("all lines that say what is best are bold, and no other") {
  const Here here;
  for (const unsigned short width : std::array<unsigned short, 2>{60, 200}) {
    const std::string shown = on_terminal(width, commands.front());
    const std::size_t begin = shown.find("\x1b[1m"), end = shown.find("\x1b[0m");
    REQUIRE(begin != std::string::npos);
    REQUIRE(end != std::string::npos);
    const std::string bold = test::unwrapped(shown.substr(begin + 4, end - begin - 4));
    INFO(bold);
    CHECK_THAT(bold, contains_text("Best on NVIDIA H200: "));
    CHECK(bold.find(" ms") == std::string::npos);
    CHECK_THAT(test::unwrapped(shown.substr(end + 4, 40)), !contains_text("="));
    CHECK(std::count(bold.begin(), bold.end(), '=') > 5); // all of its parameters
  }
}

TEST_CASE("verbose tells of each configuration once") {
  const Here here;
  const std::string lines = lines_of(on_terminal(
      80, {"tune", "matmul", "--recording", recording, "--verbose", "--evaluations", "20"}));
  for (const char* number : {"\n1/20  ", "\n2/20  ", "\n20/20  "})
    CHECK_THAT("\n" + lines, contains_text(number));
}

} // namespace terminal_test
