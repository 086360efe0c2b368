// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/presentation/output.hpp"

#include "gridsmith/base/file.hpp"
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/base/safe_text.hpp"

#include <fcntl.h>
#include <stdio_ext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>

namespace gridsmith {
namespace {

/// What did not arrive is dropped, so that it is reported once.
[[noreturn]] void fail(int error) {
  ::__fpurge(stdout);
  std::clearerr(stdout);
  const std::string line =
      std::string("standard output: cannot be written: ") + std::strerror(error);
  if (error == EPIPE)
    throw OutputGone(line);
  throw OutputError(line);
}

/// As it is.
void put(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) < text.size())
    fail(errno);
}

bool is_standard_output(const std::string& name) {
  constexpr std::array<std::string_view, 4> names = {"-", "/dev/stdout", "/dev/fd/1",
                                                     "/proc/self/fd/1"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

} // namespace

void prepare_streams() {
  std::signal(SIGXFSZ, SIG_IGN);
  // In this order each gets the number that is missing, which is the lowest free one.
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0)
      ::open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

void print(const std::string& text) {
  put(printable_lines(text));
}

void print_with_bold_start(const std::string& text, std::size_t size) {
  put("\x1b[1m" + printable_lines(text.substr(0, size)) + "\x1b[0m");
  print(text.substr(std::min(size, text.size())));
}

void print_line(const std::string& text) {
  print(printable(text) + "\n");
}

void finish_output() {
  if (std::fflush(stdout) != 0)
    fail(errno);
  // A file system far away may say only when a descriptor is closed that it could not store it all.
  if (const int copy = ::dup(STDOUT_FILENO); copy >= 0 && ::close(copy) < 0)
    fail(errno);
}

void note(const std::string& line) {
  std::fputs(("gridsmith: " + printable(line) + "\n").c_str(), stderr);
}

bool takes_standard_output(const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), is_standard_output);
}

void write_output(const std::string& name, const std::string& content, bool quiet) {
  if (is_standard_output(name))
    return print(content);
  write_packed(name, content);
  if (!quiet)
    tell_written(name);
}

void tell_written(const std::string& name) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(name, error);
  note("Wrote " + name + (error ? "" : " (" + bytes_text(static_cast<double>(bytes)) + ")"));
}

} // namespace gridsmith
