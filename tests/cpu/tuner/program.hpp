// SPDX-License-Identifier: Apache-2.0
// The program itself, run as people run it.
#pragma once

#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"

#include <fcntl.h>
#include <sys/wait.h>

#include <sstream>
#include <vector>

namespace gridsmith::test {

/// As one line with single blanks: pages are broken to the terminal's width.
inline std::string unwrapped(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;)
    line += (line.empty() ? "" : " ") + word;
  return line;
}

/// gridsmith in a folder of its own, with fake helpers unless another is named; stdout and stderr
/// into files.
class Program {
public:
  Program() : program_(install_with_fakes(folder_.path())) {}

  explicit Program(std::filesystem::path program) : program_(std::move(program)) {}

  const std::filesystem::path& folder() const { return folder_.path(); }

  pid_t start(std::vector<std::string> arguments, const std::string& tag = "out") const {
    const pid_t pid = ::fork();
    if (pid != 0)
      return pid;
    const auto redirect = [&](const char* ending, int descriptor) {
      const int file =
          ::open((folder() / (tag + ending)).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
      ::dup2(file, descriptor);
    };
    redirect(".stdout", STDOUT_FILENO);
    redirect(".stderr", STDERR_FILENO);
    std::vector<char*> words;
    words.reserve(arguments.size() + 2);
    arguments.insert(arguments.begin(), program_.string());
    words.reserve(arguments.size() + 1);
    for (std::string& argument : arguments)
      words.push_back(argument.data());
    words.push_back(nullptr);
    ::execv(words.front(), words.data());
    ::_exit(127);
  }

  /// Exit code, or 128 + signal.
  static int wait(pid_t pid) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

  int run(const std::vector<std::string>& arguments, const std::string& tag = "out") const {
    return wait(start(arguments, tag));
  }

  std::string out(const std::string& tag = "out") const {
    return test::read_file(folder() / (tag + ".stdout"));
  }

  std::string err(const std::string& tag = "out") const {
    return test::read_file(folder() / (tag + ".stderr"));
  }

private:
  Folder folder_;
  std::filesystem::path program_;
};

} // namespace gridsmith::test
