// SPDX-License-Identifier: Apache-2.0
// Children that talk garbage: frames nested without end, lengths that no bytes follow, text that is
// no UTF-8, talk without end. The tuner answers with an error, soon and in little memory.
#include "gridsmith/base/content_hash.hpp"
#include "gridsmith/base/version.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"
#include "gridsmith/tuner/processes/cubin_cache.hpp"
#include "gridsmith/tuner/processes/worker_link.hpp"

#include <nlohmann/json.hpp>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <random>

namespace hostile_child_test {

using namespace gridsmith;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

Bytes framed(std::uint64_t length, const Bytes& document) {
  Bytes frame(8);
  for (std::size_t i = 0; i < 8; ++i)
    frame[i] = static_cast<std::uint8_t>(length >> (8 * i));
  frame.insert(frame.end(), document.begin(), document.end());
  return frame;
}

Bytes framed(const Bytes& document) {
  return framed(document.size(), document);
}

Bytes nested() {
  return Bytes(3'000'000, 0x81);
}

std::string refusal_of(const Bytes& frame) {
  MessageBuffer buffer;
  buffer.append(frame.data(), frame.size());
  try {
    buffer.next();
  } catch (const ProtocolError& error) {
    return error.what();
  }
  return "none";
}

/// A pipe that holds these bytes and ends then.
class Pipe {
public:
  explicit Pipe(const Bytes& bytes) {
    REQUIRE(::pipe(ends_.data()) == 0);
    REQUIRE(::write(ends_[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    ::close(ends_[1]);
  }

  ~Pipe() { ::close(ends_[0]); }

  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int end() const { return ends_[0]; }

private:
  std::array<int, 2> ends_{};
};

/// Most memory that this process has had, in MiB.
double peak_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:"))
      return std::stod(line.substr(6)) / 1024;
  return 0;
}

/// A program beside a file of bytes that it says before it does the rest.
fs::path talker(const fs::path& folder, const Bytes& says, const std::string& then) {
  std::ofstream(folder / "says", std::ios::binary)
      .write(reinterpret_cast<const char*>(says.data()), static_cast<std::streamsize>(says.size()));
  const fs::path program = folder / "gridsmith-worker";
  test::write(program, "#!/bin/sh\ncat '" + (folder / "says").string() + "'\n" + then + "\n");
  fs::permissions(program, fs::perms::owner_all);
  return program;
}

/// What the link says of such a worker in the end.
std::string verdict_on(const Bytes& says, const std::string& then,
                       std::chrono::milliseconds open_limit = 300ms) {
  const test::Folder folder;
  WorkerSettings settings;
  settings.program = talker(folder.path(), says, then);
  settings.limits.open_limit = open_limit;
  try {
    WorkerLink link(settings);
    link.use({});
    link.open({});
    for (const auto end = Clock::now() + 10s; Clock::now() < end;) {
      std::vector<pollfd> descriptors;
      link.add_descriptors(descriptors);
      ::poll(descriptors.data(), descriptors.size(), 20);
      link.advance();
    }
  } catch (const HelperError& error) {
    return error.what();
  }
  return "none in 10 s";
}

Bytes hello() {
  Hello hello;
  hello.version = std::string(version());
  return encode(hello);
}

} // namespace

TEST_CASE("a frame nested without end is no message") {
  CHECK_THAT(refusal_of(framed(nested())), contains_text("nested too deeply"));
  CHECK_THAT(refusal_of(framed(Bytes(100, 0x81))), contains_text("not a message"));
  const Pipe pipe(framed(Bytes(1000, 0x81)));
  CHECK_THROWS_WITH(read_message(pipe.end()), contains_text("nested too deeply"));
}

TEST_CASE("an announced length is not believed") {
  CHECK_THAT(refusal_of(framed(std::uint64_t{300} << 20, {})), contains_text("is no message"));
  CHECK(refusal_of(framed(std::uint64_t{200} << 20, {1, 2, 3})) == "none"); // it waits for the rest
  const double before = peak_mib();
  const Pipe pipe(framed(std::uint64_t{8} << 30, {1, 2, 3}));
  CHECK_THROWS_WITH(read_message(pipe.end()), contains_text("ends inside a message"));
  CHECK(peak_mib() < before + 50);
  const Pipe larger(framed((std::uint64_t{8} << 30) + 1, {}));
  CHECK_THROWS_WITH(read_message(larger.end()), contains_text("is no message"));
}

TEST_CASE("what a compiler says is made UTF-8 where it enters, what it is told is not touched") {
  CodeObject code;
  code.error = "latin.cu(1): error: #error gr\xF6\xDF"
               "er";
  code.log = *code.error + "\n";
  const Bytes frame = encode(code);
  MessageBuffer buffer;
  buffer.append(frame.data(), frame.size());
  const auto heard = buffer.next();
  REQUIRE(heard);
  CHECK(std::get<CodeObject>(*heard).error ==
        "latin.cu(1): error: #error gr\xEF\xBF\xBD\xEF\xBF\xBD"
        "er");
  CompileJob job;
  job.request.options = {"-DNAME=\"gr\xF6\xDF\""};
  const Pipe pipe(encode(job));
  const auto told = read_message(pipe.end());
  REQUIRE(told);
  CHECK(std::get<CompileJob>(*told).request.options == job.request.options);
}

TEST_CASE("a planted cache file nested without end counts as damaged and goes") {
  const test::Folder folder;
  CubinCache cache(folder.path(), 1 << 30);
  CodeObject code;
  code.cubin = std::make_shared<const Bytes>(Bytes{1, 2, 3});
  cache.add("aaaa", code);
  REQUIRE(cache.find("aaaa"));
  for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
    if (entry.is_regular_file()) {
      const Bytes bytes = nested();
      const std::string document(bytes.begin(), bytes.end());
      test::write(entry.path(), sha256_hex(document) + document);
    }
  CHECK_FALSE(cache.find("aaaa"));
  CHECK_FALSE(cache.contains("aaaa"));
}

TEST_CASE("a worker that talks garbage is given up soon, whatever it says") {
  const auto start = Clock::now();
  std::mt19937 random(1);
  for (int i = 0; i < 24; ++i) {
    Bytes says = i % 2 == 0 ? hello() : Bytes();
    Bytes garbage(1 + random() % 5000);
    for (std::uint8_t& byte : garbage)
      byte = static_cast<std::uint8_t>(random());
    const Bytes part = i % 3 == 0   ? garbage
                       : i % 3 == 1 ? framed(garbage)
                                    : framed(garbage.size() + random() % 1000, garbage);
    says.insert(says.end(), part.begin(), part.end());
    CHECK(verdict_on(says, i % 4 < 2 ? "exit 0" : "exec sleep 60") != "none in 10 s");
  }
  Bytes deep = hello();
  const Bytes frame = framed(nested());
  deep.insert(deep.end(), frame.begin(), frame.end());
  CHECK_THAT(verdict_on(deep, "exec sleep 60", 5s), contains_text("nested too deeply"));
  CHECK(Clock::now() - start < 60s);
}

TEST_CASE("a worker that announces much and says no more costs the usual time-out and no memory") {
  const double before = peak_mib();
  Bytes says = hello();
  const Bytes stalled = framed(std::uint64_t{255} << 20, {1, 2, 3});
  says.insert(says.end(), stalled.begin(), stalled.end());
  const auto start = Clock::now();
  CHECK_THAT(verdict_on(says, "exec sleep 60"), contains_text("no answer"));
  CHECK(Clock::now() - start < 3s);
  CHECK(peak_mib() < before + 50);
}

TEST_CASE("a child that never stops talking holds nobody") {
  const test::Folder folder;
  const fs::path program = talker(folder.path(), {}, "exec cat /dev/zero");
  ChildProcess child = ChildProcess::start(program);
  pollfd entry{child.descriptor(), POLLIN, 0};
  ::poll(&entry, 1, 5000);
  CHECK(child.receive());
  CHECK(child.unread() <= std::size_t{4} << 20);
  const auto start = Clock::now();
  CHECK_FALSE(run_program(program, {}, 30s).good);
  CHECK(Clock::now() - start < 20s);
}

} // namespace hostile_child_test
