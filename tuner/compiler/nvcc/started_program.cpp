// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/compiler/nvcc/started_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <span>

namespace gridsmith {
namespace {

constexpr std::size_t longest_output = 4u << 20; // bytes

class Actions {
public:
  Actions(int output, const char* folder) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDERR_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    ::posix_spawn_file_actions_addchdir_np(&actions_, folder);
    ::posix_spawnattr_init(&attributes_);
    sigset_t all;
    ::sigfillset(&all);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF);
  }

  ~Actions() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;

  int start(pid_t& process, const char* program, char* const* words, char* const* environment) {
    return ::posix_spawn(&process, program, &actions_, &attributes_, words, environment);
  }

private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  list.reserve(words.size() + 1);
  for (std::string& word : words)
    list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

std::string read_all(int from) {
  std::string text;
  std::array<char, 4096> part;
  for (ssize_t got = 0;
       (got = ::read(from, part.data(), part.size())) > 0 || (got < 0 && errno == EINTR);)
    if (got > 0 && text.size() < longest_output)
      text.append(part.data(), static_cast<std::size_t>(got));
  return text;
}

Started not_started(int error) {
  return {"", fmt::format("cannot be started: {}", std::strerror(error)), false, true};
}

} // namespace

Started start_program(const std::filesystem::path& program,
                      const std::vector<std::string>& arguments,
                      const std::vector<std::string>& environment,
                      const std::filesystem::path& folder) {
  std::vector<std::string> words{program.string()}, variables = environment;
  words.insert(words.end(), arguments.begin(), arguments.end());
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return not_started(errno);
  pid_t process = 0;
  const int error =
      Actions(ends[1], folder.c_str())
          .start(process, program.c_str(), pointers(words).data(), pointers(variables).data());
  ::close(ends[1]);
  Started started;
  if (error == 0)
    started.output = read_all(ends[0]);
  ::close(ends[0]);
  if (error != 0)
    return not_started(error);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  started.good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  started.by_signal = WIFSIGNALED(status);
  started.ended = started.by_signal ? fmt::format("was ended by signal {} ({})", WTERMSIG(status),
                                                  ::strsignal(WTERMSIG(status)))
                                    : fmt::format("ended with exit code {}", WEXITSTATUS(status));
  return started;
}

std::filesystem::path program_loader() {
  std::string name;
  ::dl_iterate_phdr(
      [](dl_phdr_info* of, std::size_t, void* found) {
        const std::span headers(of->dlpi_phdr, of->dlpi_phnum);
        const auto place_of = [&](ElfW(Word) type) {
          const auto at = std::find_if(headers.begin(), headers.end(),
                                       [&](const auto& one) { return one.p_type == type; });
          return at == headers.end() ? std::nullopt : std::make_optional(at->p_vaddr);
        };
        const auto table = place_of(PT_PHDR), interpreter = place_of(PT_INTERP);
        if (table && interpreter)
          *static_cast<std::string*>(found) =
              reinterpret_cast<const char*>(of->dlpi_phdr) + (*interpreter - *table);
        return 1; // the first is the program
      },
      &name);
  std::error_code error;
  const auto found = std::filesystem::canonical(name, error);
  return error ? std::filesystem::path(name) : found;
}

} // namespace gridsmith
