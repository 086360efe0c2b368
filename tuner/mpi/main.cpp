// SPDX-License-Identifier: Apache-2.0
// gridsmith-mpi: the program of all ranks of a job. `srun gridsmith-mpi tune …` and `mpirun … gridsmith-mpi
// tune …` take what `gridsmith tune …` takes. Rank 0 runs the tuner as a process of its own, whose helper
// programs are relays to those of all nodes; each rank is the agent of its node. By the name that it is
// started under this file is all of these: the tuner and the relays are links to it.
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/tuner/cli/program.hpp"
#include "gridsmith/tuner/mpi/letter_content.hpp"
#include "gridsmith/tuner/mpi/ranks.hpp"
#include "gridsmith/tuner/mpi/switchboard.hpp"
#include "gridsmith/tuner/processes/installation.hpp"
#include "gridsmith/tuner/processes/pauses.hpp"
#include "gridsmith/tuner/session/limits.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

using namespace gridsmith;

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr int exit_failed = 1, exit_usage = 2;
constexpr auto nap = 1ms;          // between looks for letters: MPI has nothing to poll
constexpr auto alive_every = 1s;   // a rank says so
constexpr int patience = 10;       // of agents with rank 0, in times of rank 0's with them
constexpr auto report_limit = 60s; // for all agents' first words

volatile std::sig_atomic_t wanted_to_end = 0;

void note(const std::string& line) {
  std::fputs(("gridsmith-mpi: " + printable(line) + "\n").c_str(), stderr);
}

/// What is ours among the words; the rest is the tuner's.
struct Words {
  std::vector<std::string> tuner;
  std::chrono::milliseconds silence{30'000};
  bool compile_only = false;
};

Words words_of(int count, char** words) {
  Words result;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--compile-ranks") {
      result.compile_only = true;
    } else if (word == "--agent-timeout") {
      const std::string text = i + 1 < count ? words[++i] : "";
      double seconds = 0;
      const auto read = std::from_chars(text.data(), text.data() + text.size(), seconds);
      if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || !(seconds > 0) ||
          seconds > 1e6)
        throw InputError(
            fmt::format("--agent-timeout: '{}' is no number of seconds, such as 30", text));
      result.silence = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
    } else {
      result.tuner.push_back(word);
    }
  }
  if (result.tuner.empty() || result.tuner.front() != "tune")
    throw InputError("gridsmith-mpi tunes: gridsmith-mpi tune KERNEL …; for all else there is "
                     "gridsmith");
  return result;
}

/// All GPUs and all cores, unless it says otherwise.
std::vector<std::string> with_defaults(std::vector<std::string> words, std::size_t compilers) {
  const auto has = [&](const char* option) {
    return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
      return word == option || word.starts_with(std::string(option) + "=");
    });
  };
  if (!has("--devices") && !has("--gpu"))
    words.insert(words.end(), {"--devices", "all"});
  if (!has("--compilers"))
    words.insert(words.end(),
                 {"--compilers", std::to_string(std::min<std::size_t>(compilers, most_processes))});
  return words;
}

/// A folder with the links, gone at the end.
class Links {
public:
  Links() {
    std::string pattern = (fs::temp_directory_path() / "gridsmith-mpi-XXXXXX").string();
    if (!::mkdtemp(pattern.data()))
      throw std::system_error(errno, std::generic_category(), pattern);
    folder_ = pattern;
    const fs::path self = fs::read_symlink("/proc/self/exe");
    for (const char* name : {"gridsmith", "gridsmith-worker", "gridsmith-compiler"})
      fs::create_symlink(self, folder_ / name);
  }

  ~Links() {
    std::error_code error;
    fs::remove_all(folder_, error);
  }

  Links(const Links&) = delete;
  Links& operator=(const Links&) = delete;

  const fs::path& folder() const { return folder_; }

private:
  fs::path folder_;
};

/// The tuner, in a process group of its own: who interrupts rank 0 interrupts it once.
pid_t start_tuner(const fs::path& program, std::vector<std::string> arguments) {
  std::string name = program.string();
  std::vector<char*> words{name.data()};
  for (std::string& one : arguments)
    words.push_back(one.data());
  words.push_back(nullptr);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t all;
  ::sigfillset(&all);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  pid_t process = -1;
  const int error =
      ::posix_spawn(&process, name.c_str(), nullptr, &attributes, words.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0)
    throw std::system_error(error, std::generic_category(), name);
  return process;
}

int run_tuner(int count, char** words) {
  ::prctl(PR_SET_PDEATHSIG, SIGINT); // rank 0 is gone: finish and store
  Installation installation = find_installation();
  installation.programs = fs::path(words[0]).parent_path();
  return run_program(count, words, installation);
}

/// Says to some ranks that this one lives.
class Heartbeat {
public:
  Heartbeat(Ranks& ranks, int first, int end) : ranks_(ranks), first_(first), end_(end) {}

  void beat() {
    const auto now = Clock::now();
    if (now - said_ < alive_every)
      return;
    said_ = now;
    for (int rank = first_; rank < end_; ++rank)
      ranks_.send(rank, {LetterKind::alive});
  }

private:
  Ranks& ranks_;
  int first_, end_;
  Clock::time_point said_ = Clock::now();
};

/// Of each rank, ours first. Those that have not reported in time are of an unknown machine, and left out.
std::vector<AgentReport> all_reports(Ranks& ranks, AgentReport own, Heartbeat& heart) {
  std::vector<AgentReport> reports(static_cast<std::size_t>(ranks.size()));
  for (AgentReport& one : reports)
    one.host = "a node that has not answered";
  reports.front() = std::move(own);
  const auto end = Clock::now() + report_limit;
  for (int missing = ranks.size() - 1; missing > 0 && Clock::now() < end;) {
    heart.beat();
    const auto letter = ranks.receive();
    if (!letter) {
      ::poll(nullptr, 0, static_cast<int>(nap.count()));
    } else if (letter->second.kind == LetterKind::report) {
      AgentReport& report = reports[static_cast<std::size_t>(letter->first)];
      try {
        report = read_content<AgentReport>(letter->second.content);
      } catch (const ProtocolError& error) { // its version is none, so it is left out
        report.host = fmt::format("rank {}", letter->first);
        note(fmt::format("{}: {}", report.host, error.what()));
      }
      --missing;
    }
  }
  return reports;
}

/// How the tuner ended, as an exit code; none while it runs.
std::optional<int> ended(pid_t tuner) {
  int status = 0;
  if (::waitpid(tuner, &status, WNOHANG) != tuner)
    return std::nullopt;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/// Whether every agent is there when the tuner has ended, so that MPI can be ended in order.
bool all_there(Ranks& ranks, std::chrono::milliseconds silence) {
  for (int rank = 1; rank < ranks.size(); ++rank)
    ranks.send(rank, {LetterKind::over});
  int missing = ranks.size() - 1;
  for (const auto end = Clock::now() + silence; missing > 0 && Clock::now() < end;) {
    const auto letter = ranks.receive();
    if (!letter)
      ::poll(nullptr, 0, static_cast<int>(nap.count()));
    else if (letter->second.kind == LetterKind::here)
      --missing;
  }
  return missing == 0;
}

int run_rank_0(Ranks& ranks, const Words& words, AgentReport own, const fs::path& helpers) {
  const Links links;
  SwitchboardSettings settings;
  settings.folder = links.folder();
  settings.silence = words.silence;
  settings.compile_only = words.compile_only;
  settings.share =
      std::find(words.tuner.begin(), words.tuner.end(), "--share") != words.tuner.end();
  settings.note = note;
  Heartbeat heart(ranks, 1, ranks.size());
  Switchboard board(ranks, Host(helpers), all_reports(ranks, std::move(own), heart),
                    std::move(settings));
  const pid_t tuner =
      start_tuner(links.folder() / "gridsmith", with_defaults(words.tuner, board.compilers()));
  std::optional<int> code;
  while (!(code = ended(tuner))) {
    board.turn(nap);
    heart.beat();
    if (wanted_to_end == 1) {
      wanted_to_end = 2;
      ::kill(tuner, SIGINT);
    }
  }
  const bool in_order = !board.lost_any() && all_there(ranks, words.silence);
  for (int rank = 1; rank < ranks.size(); ++rank)
    ranks.send(rank, {in_order ? LetterKind::finish : LetterKind::abandon});
  if (!in_order)
    ranks.abandon(*code);
  return *code;
}

/// Until rank 0 says how to end.
/// @throws HelperError where it says nothing any more
LetterKind run_agent(Ranks& ranks, const AgentReport& own, const fs::path& helpers,
                     std::chrono::milliseconds silence) {
  ranks.send(0, {LetterKind::report, 0, content_of(own)});
  Host host(helpers);
  Heartbeat heart(ranks, 0, 1);
  auto heard = Clock::now();
  Pauses pauses;
  std::vector<pollfd> descriptors;
  while (true) {
    descriptors.clear();
    host.add_descriptors(descriptors);
    ::poll(descriptors.data(), descriptors.size(), static_cast<int>(nap.count()));
    while (const auto letter = ranks.receive()) {
      const LetterKind kind = letter->second.kind;
      if (kind == LetterKind::finish || kind == LetterKind::abandon)
        return kind;
      heard = Clock::now();
      if (kind == LetterKind::over)
        ranks.send(0, {LetterKind::here});
      host.take(letter->second);
    }
    for (const Letter& letter : host.work())
      ranks.send(0, letter);
    heart.beat();
    heard = std::min(heard + pauses.late_by(), Clock::now());
    if (Clock::now() - heard > patience * silence)
      throw HelperError(fmt::format("rank 0 has been silent for {} s; the same command continues",
                                    std::chrono::duration<double>(patience * silence).count()));
  }
}

/// A batch system says before the time is up that it will be; to agents rank 0 says so.
void hear_signals(bool first) {
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGUSR2})
    std::signal(signal, first ? [](int) { wanted_to_end = wanted_to_end == 0 ? 1 : wanted_to_end; }
                              : SIG_IGN);
}

int run_rank(int count, char** words) {
  Ranks ranks;
  try {
    const Words mine = words_of(count, words);
    hear_signals(ranks.rank() == 0);
    const fs::path helpers = find_installation().programs;
    AgentReport own = agent_report(helpers, static_cast<std::size_t>(ranks.here()),
                                   static_cast<std::size_t>(ranks.all_here()));
    if (ranks.rank() == 0)
      return run_rank_0(ranks, mine, std::move(own), helpers);
    if (run_agent(ranks, own, helpers, mine.silence) == LetterKind::abandon)
      ranks.abandon(0);
    return 0;
  } catch (const InputError& error) { // the same on all ranks
    if (ranks.rank() == 0)
      note(error.what());
    return exit_usage;
  } catch (const std::exception& error) {
    note(error.what());
    ranks.abandon(exit_failed);
  }
}

} // namespace

int main(int count, char** words) {
  const std::string name = fs::path(words[0]).filename().string();
  if (name == "gridsmith-worker" || name == "gridsmith-compiler")
    return run_relay(count, words);
  if (name == "gridsmith")
    return run_tuner(count, words);
  return run_rank(count, words);
}
