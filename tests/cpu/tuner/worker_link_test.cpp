// SPDX-License-Identifier: Apache-2.0
// What WorkerLink adds to its supervisor: processes and their greeting.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"
#include "gridsmith/tests/cpu/tuner/fake_script.hpp"
#include "gridsmith/tuner/processes/worker_link.hpp"

#include <poll.h>

#include <chrono>

namespace worker_link_test {

using namespace gridsmith;
using namespace std::chrono_literals;

namespace {

/// Until it throws; its text.
std::string error_of(WorkerLink& link) {
  const auto end = std::chrono::steady_clock::now() + 20s;
  while (std::chrono::steady_clock::now() < end) {
    std::vector<pollfd> descriptors;
    link.add_descriptors(descriptors);
    ::poll(descriptors.data(), descriptors.size(), 50);
    try {
      link.advance();
    } catch (const HelperError& error) {
      return error.what();
    }
  }
  return "no error";
}

} // namespace

TEST_CASE("a worker of another version is refused at once, with both versions") {
  const test::Folder folder;
  std::filesystem::copy_file(GRIDSMITH_BINARY_DIR "/tests/fake_compiler", folder.path() / "worker");
  test::script(folder.path(), {{"version", "99.1"}});
  const auto begun = std::chrono::steady_clock::now();
  WorkerLink link({folder.path() / "worker"});
  const std::string error = error_of(link);
  CHECK_THAT(error, contains_text((folder.path() / "worker").string() + " is of Gridsmith 99.1"));
  CHECK(std::chrono::steady_clock::now() - begun < 5s);
}

TEST_CASE("a program that speaks something else is refused at once") {
  WorkerLink link({"/bin/cat"}); // says what it hears, without a greeting
  link.use({});
  CHECK_THAT(error_of(link), contains_text("/bin/cat did not begin with its version"));
}

TEST_CASE("a worker that ends at every start is given up") {
  WorkerLink link({"/bin/false"});
  const std::string error = error_of(link);
  CHECK_THAT(error, contains_text("keeps ending"));
  CHECK_THAT(error, contains_text("exit code 1"));
  CHECK(link.restarts() == 4);
}

TEST_CASE("a worker that stops in the middle of its first word is given up once, not four times") {
  const test::Folder folder;
  const auto program = folder.path() / "worker"; // announces 1 MiB and sends nothing
  test::write(program, "#!/bin/sh\nprintf '\\0\\0\\020\\0\\0\\0\\0\\0'\nexec sleep 60\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const auto begun = std::chrono::steady_clock::now();
  WorkerLink link({.program = program, .limits = {.open_limit = 500ms}});
  CHECK_THAT(error_of(link), contains_text("does not become ready: no answer from the GPU"));
  CHECK(std::chrono::steady_clock::now() - begun < 1500ms);
}

TEST_CASE("a worker that is not there is one line") {
  CHECK_THROWS_AS(WorkerLink({"/nowhere/worker"}), HelperError);
}

} // namespace worker_link_test
