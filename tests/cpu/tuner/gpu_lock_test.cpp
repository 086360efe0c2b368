// SPDX-License-Identifier: Apache-2.0
// One Gridsmith at a time on a GPU: the file's tricks, and two real programs that want the same one.
#include "gridsmith/results/store/store.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_script.hpp"
#include "gridsmith/tests/cpu/tuner/program.hpp"
#include "gridsmith/tuner/gpu/gpu_lock.hpp"
#include "gridsmith/tuner/gpu/gpu_users.hpp"

#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <sstream>
#include <thread>

namespace gpu_lock_test {

using namespace gridsmith;
using test::Program;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

const std::string uuid = "GPU-1/../2";
const std::string lock_name = "gridsmith-GPU-1____2.lock";

Device device_of(const std::string& with) {
  Device device;
  device.name = "Made";
  device.uuid = with;
  device.ordinal = 3;
  return device;
}

/// Writes down what is said.
struct Notes {
  std::vector<std::string> lines;

  auto sink() {
    return [this](const std::string& line) { lines.push_back(line); };
  }
};

std::vector<std::string> tune(const Program& program, const fs::path& kernel,
                              const std::vector<std::string>& more = {},
                              const std::string& store = "store.db") {
  std::vector<std::string> words = {"tune",         kernel.string(),
                                    "--store",      (program.folder() / store).string(),
                                    "--exhaustive", "--no-cache",
                                    "--compilers",  "1",
                                    "--timeout",    "600"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// A tuning that has the GPU and never ends by itself.
class Holder {
public:
  explicit Holder(const Program& program)
      : pid_(program.start(
            tune(program, test::write_kernel(program.folder(), "held", 1, "RUN", R"(["hang"])"), {},
                 "holder.db"),
            "holder")) {
    for (int i = 0; i < 500 && program.out("holder").empty(); ++i)
      std::this_thread::sleep_for(20ms);
  }

  ~Holder() { end(); }

  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

  void end() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      Program::wait(pid_);
    }
    pid_ = -1;
  }

  pid_t pid() const { return pid_; }

private:
  pid_t pid_;
};

/// What was shown, on one line.
std::string shown(const Program& program, const std::string& tag) {
  std::istringstream words(program.out(tag));
  std::string text;
  for (std::string word; words >> word;)
    text += word + " ";
  return text;
}

void wait_for(const Program& program, const std::string& text, const std::string& tag) {
  for (int i = 0; i < 500 && program.err(tag).find(text) == std::string::npos; ++i)
    std::this_thread::sleep_for(20ms);
}

} // namespace

TEST_CASE("one has the lock at a time, and it says who") {
  const test::Folder folder;
  {
    GpuLock first(folder.path(), uuid), second(folder.path(), uuid);
    CHECK(first.take());
    CHECK(first.take());
    CHECK_FALSE(second.take());
    CHECK_THAT(second.holder(), contains_text("(pid " + std::to_string(::getpid()) + ", user "));
    CHECK(fs::exists(folder.path() / lock_name));
  }
  CHECK(fs::is_empty(folder.path()));
  GpuLock other(folder.path(), "GPU-2"), third(folder.path(), uuid);
  CHECK(other.take());
  CHECK(third.take());
}

TEST_CASE("the lock ends with the process that has it") {
  const test::Folder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    GpuLock lock(folder.path(), uuid);
    ::raise(lock.take() ? SIGKILL : SIGTERM);
  }
  CHECK(Program::wait(child) == 128 + SIGKILL);
  CHECK(fs::exists(folder.path() / lock_name));
  CHECK(GpuLock(folder.path(), uuid).take());
}

TEST_CASE("what stands in the lock's place is not written to and not believed") {
  const test::Folder folder;
  const fs::path file = folder.path() / lock_name, victim = folder.path() / "victim";
  test::write(victim, "precious");
  Notes notes;
  const auto refused = [&] {
    GpuLock lock(folder.path(), uuid);
    CHECK_THROWS_WITH(lock.take(), contains_text(lock_name));
    // goes on, and says so
    CHECK(GpuLease(device_of(uuid), false, notes.sink(), {}, folder.path()).alone());
    CHECK_THAT(notes.lines.back(), contains_text("would not be noticed"));
    CHECK(test::read_file(victim) == "precious");
    fs::remove(file);
  };
  fs::create_symlink(victim, file);
  refused();
  fs::create_hard_link(victim, file);
  refused();
  fs::create_directory(file);
  refused();
  REQUIRE(::mkfifo(file.c_str(), 0666) == 0);
  refused();

  GpuLock first(folder.path(), uuid);
  REQUIRE(first.take());
  test::write(file, "\x1b[31mroot\r" + std::string(500, 'x') + "\nmore");
  const std::string said = GpuLock(folder.path(), uuid).holder();
  CHECK(said.find('\x1b') == std::string::npos);
  CHECK(said.size() < 200);
}

TEST_CASE("a lease is had alone, shared, or waited for until a stop, and says so once") {
  const test::Folder folder;
  Notes notes;
  const auto lease = [&](const Device& device, bool share, const std::stop_token& stop) {
    return GpuLease(device, share, notes.sink(), stop, folder.path()).alone();
  };
  const Device device = device_of(uuid);
  CHECK(lease(device, false, {}));
  CHECK(notes.lines.empty());
  GpuLock other(folder.path(), uuid);
  REQUIRE(other.take());
  CHECK_FALSE(lease(device, true, {}));
  CHECK_THAT(notes.lines.back(), contains_text("GPU 3 (Made) is in use by "));
  std::stop_source stop;
  stop.request_stop();
  CHECK_THROWS_AS(lease(device, false, stop.get_token()), StoppedWaiting);
  CHECK_THAT(notes.lines.back(), contains_text("waiting for it"));
  CHECK(notes.lines.size() == 2);
  CHECK(lease(device_of(""), false, {})); // without a UUID nobody is waited for
}

TEST_CASE("a folder that only one user can write to takes no locks") {
  const fs::path folder = gpu_lock_folder();
  if (!folder.empty())
    CHECK((fs::status(folder).permissions() & fs::perms::mask) ==
          (fs::perms::all | fs::perms::sticky_bit));
}

TEST_CASE("the second tuning waits until the first has ended") {
  const Program program;
  Holder holder(program);
  const fs::path kernel = test::write_kernel(program.folder(), "waits", 8);
  const pid_t second = program.start(tune(program, kernel), "second");
  const std::string said = "in use by gridsmith (pid " + std::to_string(holder.pid()) + ", user ";
  wait_for(program, said, "second");
  CHECK_THAT(program.err("second"), contains_text(said));
  CHECK_THAT(program.err("second"), contains_text("waiting"));
  CHECK(program.out("second").empty());
  holder.end();
  CHECK(Program::wait(second) == 0);
  CHECK_THAT(program.out("second"), contains_text("X=7"));
}

TEST_CASE("Ctrl-C is answered while it waits for the GPU") {
  const Program program;
  const Holder holder(program);
  const pid_t second =
      program.start(tune(program, test::write_kernel(program.folder(), "waits", 8)), "second");
  wait_for(program, "waiting", "second");
  const auto asked = std::chrono::steady_clock::now();
  ::kill(second, SIGINT);
  CHECK(Program::wait(second) == 130);
  CHECK(std::chrono::steady_clock::now() - asked < 1500ms);
  CHECK_THAT(program.err("second"), contains_text("interrupted before anything was measured"));
}

TEST_CASE("--share goes on beside another, without counters, and its records serve nobody else") {
  const Program program;
  Holder holder(program);
  const fs::path kernel = test::write_kernel(program.folder(), "shares", 8);
  REQUIRE(program.run(tune(program, kernel, {"--share"}), "second") == 0);
  CHECK_THAT(program.err("second"), contains_text("measuring at the same time (--share)"));
  CHECK_THAT(shown(program, "second"), contains_text("with another Gridsmith on the GPU"));
  CHECK_THAT(shown(program, "second"), contains_text("counters: none"));
  holder.end();
  REQUIRE(program.run(tune(program, kernel, {"--share"}), "alone") == 0);
  CHECK(program.out("alone").find("from the store") == std::string::npos);
  CHECK(program.out("alone").find("another Gridsmith") == std::string::npos);
  CHECK(Store::open(program.folder() / "store.db", Store::Mode::read_only).scopes().size() == 2);
}

TEST_CASE("other processes on the GPU are named in the answer") {
  const Program program;
  const fs::path helpers = program.folder() / "libexec" / "gridsmith";
  CHECK(other_users(helpers, "GPU-0").empty());
  const std::string ours = std::to_string(::getpid()), parent = std::to_string(::getppid());
  test::script(
      helpers,
      {{"processes", R"({"processes": [{"pid": 999999999, "mib": 2048}, {"pid": )" + ours +
                         R"(, "mib": 1}, {"pid": )" + parent + R"(, "mib": 0}], "reason": ""})"}});
  const auto users = other_users(helpers, "GPU-0");
  REQUIRE(users.size() == 2);
  CHECK(users[0] == "pid 999999999 (2048 MiB)");
  CHECK_THAT(users[1], contains_text("pid " + parent + " ("));
  const fs::path kernel = test::write_kernel(program.folder(), "beside", 8);
  REQUIRE(program.run(tune(program, kernel)) == 0);
  CHECK_THAT(shown(program, "out"), contains_text("with pid 999999999"));
  test::script(helpers, {{"processes", nullptr}}); // no part of what records are known by
  REQUIRE(program.run(tune(program, kernel)) == 0);
  CHECK_THAT(program.out(), contains_text("8 from the store"));
  test::script(helpers, {{"processes", "no JSON"}});
  CHECK(other_users(helpers, "GPU-0").empty());
}

} // namespace gpu_lock_test
