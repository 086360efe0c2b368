// SPDX-License-Identifier: Apache-2.0
// The wall holds: a hostile program inside a compiler's confinement does none of what it does
// without.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"
#include "gridsmith/tuner/confinement/wall.hpp"
#include "gridsmith/tuner/processes/child_process.hpp"
#include "gridsmith/tuner/processes/run_folder.hpp"

#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

namespace wall_test {

using namespace gridsmith;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

using Outcomes = std::map<std::string, int>; ///< attempt -> errno, 0: it worked

/// Below the build folder: a worker may write where temporary files are.
class Playground {
public:
  Playground() {
    std::string pattern = GRIDSMITH_BINARY_DIR "/tests/wall-XXXXXX";
    path_ = ::mkdtemp(pattern.data());
    for (const char* name : {"run", "readable", "outside"})
      fs::create_directory(path_ / name);
    test::write(path_ / "readable" / "header.h", "");
    for (const char* name : {"secret", "victim", "doomed"})
      test::write(path_ / "outside" / name, "content");
  }

  ~Playground() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  Playground(const Playground&) = delete;
  Playground& operator=(const Playground&) = delete;

  std::string folder(const char* name) const { return (path_ / name).string(); }

private:
  fs::path path_;
};

/// @param wall compiler, nvcc, worker, or free
Outcomes run_hostile(const std::string& wall) {
  const Playground ground;
  const ProgramOutput output = run_program(
      GRIDSMITH_BINARY_DIR "/tests/hostile_program",
      {wall, ground.folder("run"), ground.folder("readable"), ground.folder("outside")}, 20s);
  INFO(output.text << output.ended);
  CHECK(output.good); // refused, not killed
  std::istringstream lines(output.text);
  Outcomes outcomes;
  int error = 0;
  for (std::string name; lines >> name >> error;)
    outcomes[name] = error;
  return outcomes;
}

/// Those that Landlock alone prevents.
const std::set<std::string> by_landlock{
    "write_new", "write_readable", "append",      "read",         "read_system", "read_by_proc",
    "list",      "truncate",       "make_folder", "make_link",    "hard_link",   "move_out",
    "remove",    "exec",           "start_other", "start_written"};
const std::set<std::string> by_limits{"grow"};
const std::set<int> refusals{EACCES, EPERM, ENOSYS, EXDEV, EFBIG};

/// What this system has, asked of it, and not of the wall that is judged.
struct System {
  int landlock =
      static_cast<int>(::syscall(444, nullptr, 0, 1)); ///< landlock_create_ruleset: its version
  bool seccomp = can_filter();

private:
  static bool can_filter() {
#ifdef GRIDSMITH_HAVE_SECCOMP
    const std::uint32_t action = SECCOMP_RET_ERRNO;
    return ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
#else
    return false;
#endif
  }
};

/// Whether the wall that prevents this attempt is to be had here.
bool can_be_prevented(const std::string& name, const System& system) {
  if (by_limits.contains(name))
    return true;
  return by_landlock.contains(name) ? system.landlock > 0 : system.seccomp;
}

/// All that the system has stands.
void check_stands(const Outcomes& within, const System& system) {
  CHECK(within.at("landlock") == std::max(0, system.landlock));
  CHECK(within.at("seccomp") == (system.seccomp ? 1 : 0));
}

bool is_refused(const std::string& name, const Outcomes& within) {
  const auto found = within.find(name);
  return found != within.end() && refusals.contains(found->second);
}

} // namespace

TEST_CASE("a hostile program behind a compiler's wall does nothing of what it does without") {
  const System system;
  const Outcomes within = run_hostile("compiler"), without = run_hostile("free");
  check_stands(within, system);
  CHECK(within.at("allowed_read") == 0);
  CHECK(within.at("allowed_write") == 0);
  CHECK(within.at("allowed_thread") == 0);
  for (const char* name : {"write_new", "read", "connect", "fork", "exec", "exclude_others",
                           "slow_down", "pin", "watch_files", "uncounted_memory", "file_in_memory",
                           "remove_memory", "hide_typing", "signal_by_file"})
    CHECK(without.at(name) == 0); // so they are judged below
  int judged = 0;
  for (const auto& [name, error] : without) {
    if (name.starts_with("allowed"))
      continue;
    if (error != 0 || !can_be_prevented(name, system)) {
      std::cout << "not judged: " << name
                << (error != 0 ? " fails without a wall too\n"
                               : ": that wall is not to be had here\n");
      continue;
    }
    INFO(name << ", without the wall it works");
    CHECK(is_refused(name, within));
    ++judged;
  }
  std::cout << judged << " attempts work without the wall, none of them behind it\n";
  CHECK(judged >= (system.landlock > 0 ? 13 : 0) + (system.seccomp ? 14 : 0));
}

TEST_CASE("behind the wall for nvcc the named programs start, and no others") {
  const System system;
  const Outcomes within = run_hostile("nvcc"), without = run_hostile("free");
  check_stands(within, system);
  CHECK(within.at("fork") == 0);
  CHECK(within.at("start_named") == 0);
  for (const auto& [name, error] : without) {
    if (error != 0 || !can_be_prevented(name, system) || name == "fork" || name == "start_named" ||
        name.starts_with("allowed"))
      continue;
    INFO(name << ", without the wall it works");
    CHECK(is_refused(name, within));
  }
}

TEST_CASE("a worker's wall keeps files as they are, and other processes and the kernel apart") {
  const System system;
  const Outcomes within = run_hostile("worker"), without = run_hostile("free");
  check_stands(within, system);
  for (const char* name : {"read", "connect", "fork", "exec", "allowed_thread"})
    CHECK(within.at(name) == 0);
  const bool temporary = std::string(GRIDSMITH_BINARY_DIR).starts_with("/tmp/");
  for (const char* name : {"write_new", "append", "truncate", "make_folder", "remove", "trace",
                           "read_memory", "mount", "unshare", "userfaultfd", "io_uring", "bpf",
                           "type", "type_by_other_number", "exclude_others", "hide_typing"}) {
    if (without.at(name) != 0 || !can_be_prevented(name, system) ||
        (temporary && by_landlock.contains(name))) {
      std::cout << "not judged: " << name << '\n';
      continue;
    }
    INFO(name);
    CHECK(is_refused(name, within));
  }
}

TEST_CASE("what stands is one line") {
  CHECK(to_text(Confinement{7, true, ""}) == "confined: Landlock 7, seccomp");
  CHECK(to_text(Confinement{0, true, "no Landlock"}) == "confined: seccomp alone: no Landlock");
  CHECK(to_text(Confinement{0, false, "neither"}) == "not confined: neither");
}

TEST_CASE("a run folder is for one user and goes with all that is in it") {
  fs::path path;
  {
    RunFolder first, second;
    path = first.path();
    CHECK(fs::status(path).permissions() == fs::perms::owner_all);
    test::write(path / "file", "text");
    const fs::path other = second.path();
    second = std::move(first);
    CHECK(second.path() == path);
    CHECK(fs::exists(other / "..")); // still the first's to remove
  }
  CHECK_FALSE(fs::exists(path));
}

TEST_CASE("a run folder whose owner was killed goes with the next, those in use stay") {
  const RunFolder used;
  const fs::path left =
      used.path().parent_path() / ("gridsmith-run-left" + std::to_string(::getpid()));
  fs::create_directory(left);
  test::write(left / "file", "text");
  const RunFolder next;
  CHECK_FALSE(fs::exists(left));
  CHECK(fs::exists(used.path()));
}

} // namespace wall_test
