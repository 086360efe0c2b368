// SPDX-License-Identifier: Apache-2.0
// Compilers that fail, hang, are of another version or have no NVRTC; what is compiled ahead, asked
// twice, withdrawn.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"
#include "gridsmith/tests/cpu/tuner/fake_script.hpp"
#include "gridsmith/tuner/processes/compile_all.hpp"
#include "gridsmith/tuner/processes/worker_link.hpp"

#include <poll.h>

#include <chrono>
#include <map>

namespace compiler_pool_test {

using namespace gridsmith;
using namespace std::chrono_literals;

namespace {

CompileRequest request_for(const std::string& option) {
  return {make_bundle({"a.cu", "a"}), "k", {option}};
}

struct Rig {
  explicit Rig(std::size_t processes = 1) {
    settings.program = folder.path() / "gridsmith-compiler";
    std::filesystem::copy_file(GRIDSMITH_BINARY_DIR "/tests/fake_compiler", settings.program);
    settings.processes = processes;
    settings.no_cache = true;
  }

  std::string refusal() {
    try {
      CompilerPool pool(settings);
    } catch (const HelperError& error) {
      return error.what();
    }
    return "no error";
  }

  test::Folder folder;
  CompilerSettings settings;
};

void advance(CompilerPool& pool) {
  std::vector<pollfd> descriptors;
  pool.add_descriptors(descriptors);
  ::poll(descriptors.data(), descriptors.size(), 10);
  pool.advance();
}

/// Everything until `count` have come.
std::map<std::uint64_t, std::shared_ptr<const CodeObject>> wait_for(CompilerPool& pool,
                                                                    std::size_t count) {
  std::map<std::uint64_t, std::shared_ptr<const CodeObject>> all;
  const auto end = std::chrono::steady_clock::now() + 20s;
  while (all.size() < count && std::chrono::steady_clock::now() < end) {
    for (const Compiled& one : pool.take())
      all[one.id] = one.code;
    if (all.size() < count)
      advance(pool);
  }
  return all;
}

} // namespace

TEST_CASE("a fault costs its configuration, the others compile") {
  Rig rig(2);
  CompilerPool pool(rig.settings);
  CHECK(pool.toolkit() == "fake 1");
  pool.compile(1, request_for("-DCOMPILE=error"));
  pool.compile(2, request_for("-DCOMPILE=crash"));
  pool.compile(3, request_for("-DCOMPILE=garbage"));
  pool.compile(4, request_for("-DCOMPILE=fine"));
  auto all = wait_for(pool, 4);
  REQUIRE(all.size() == 4);
  for (const std::uint64_t id : {1u, 2u, 3u})
    CHECK_FALSE(all[id]->cubin);
  CHECK_THAT(all[1]->error.value(), contains_text("fake.cu(3)"));
  CHECK_THAT(all[2]->error.value(), contains_text("signal 11"));
  CHECK_THAT(all[3]->error.value(), contains_text("cannot be understood"));
  CHECK(all[4]->cubin);
  CHECK_FALSE(all[4]->error);
  CHECK(pool.restarts() == 4); // crash and garbage were tried twice
}

TEST_CASE("what was asked ahead and never after is dropped, what is asked for is not") {
  Rig rig;
  CompilerPool pool(rig.settings);
  for (int x = 0; x < 4; ++x)
    pool.compile_ahead(request_for("-DX=" + std::to_string(x)));
  pool.compile(1, request_for("-DX=3"));
  pool.drop_ahead();
  CHECK(wait_for(pool, 1).at(1)->cubin);
  CHECK(pool.running() == 0); // of the others at most the one that had begun
  pool.compile(2, request_for("-DX=2"));
  CHECK(pool.running() == 1); // it is not known
  CHECK(wait_for(pool, 1).at(2)->cubin);
}

TEST_CASE("a compilation that is given up ends at once and is nobody's crash") {
  Rig rig;
  CompilerPool pool(rig.settings);
  pool.compile(1, request_for("-DCOMPILE=hang"));
  pool.compile(2, request_for("-DCOMPILE=hang")); // the same, wanted twice
  while (!pool.running_s(1))
    pool.advance();
  CHECK_FALSE(pool.running_s(3));
  pool.put_off(1);
  pool.give_up(1);
  CHECK(pool.running_s(2)); // somebody else's
  pool.compile(3, request_for("-DCOMPILE=fine"));
  CHECK_FALSE(pool.running_s(3));
  pool.give_up(2);
  CHECK(pool.running() == 0);
  CHECK(wait_for(pool, 1).at(3)->cubin);
  pool.compile_ahead(request_for("-DCOMPILE=hang"));
  CHECK(pool.running() == 1);
  pool.end_ahead();
  CHECK(pool.running() == 0);
  CHECK(pool.restarts() == 0);
}

TEST_CASE("a compiler that crashes whatever it compiles condemns nobody") {
  Rig rig;
  CompilerPool pool(rig.settings);
  pool.compile(1, request_for("-DCOMPILE=rot"));
  pool.compile(2, request_for("-DCOMPILE=fine"));
  CHECK_THROWS_WITH(wait_for(pool, 2),
                    contains_text("no longer compiles even the simplest kernel"));
  CHECK(pool.take().empty());
}

TEST_CASE("a compiler that cannot start any more ends everything at once and condemns nobody") {
  Rig rig;
  CompilerPool pool(rig.settings);
  pool.compile(1, request_for("-DCOMPILE=vanish"));
  pool.compile(2, request_for("-DCOMPILE=fine"));
  const auto begun = std::chrono::steady_clock::now();
  CHECK_THROWS_WITH(wait_for(pool, 2), contains_text("ended with exit code 127: it, or a library"));
  CHECK(std::chrono::steady_clock::now() - begun < 5s);
  CHECK(pool.take().empty());
}

TEST_CASE("what kills a compiler from outside, or leaves it no memory, is not the source's fault") {
  Rig rig;
  CompilerPool pool(rig.settings);
  const auto begun = std::chrono::steady_clock::now();
  pool.compile(1, request_for("-DCOMPILE=killed"));
  pool.compile(2, request_for("-DCOMPILE=short"));
  pool.compile(3, request_for("-DCOMPILE=error"));
  auto all = wait_for(pool, 3);
  REQUIRE(all.size() == 3);
  CHECK(all[1]->of_machine);
  CHECK_THAT(all[1]->error.value(), contains_text("signal 9"));
  CHECK(all[2]->of_machine);
  CHECK_THAT(all[2]->error.value(), contains_text("out of memory"));
  CHECK_FALSE(all[3]->of_machine);
  CHECK(pool.restarts() == 5);                             // three kills, two shortages
  CHECK(std::chrono::steady_clock::now() - begun > 100ms); // with pauses
}

TEST_CASE("a machine that is short of memory for all ends everything") {
  Rig rig;
  CompilerPool pool(rig.settings);
  for (std::uint64_t id = 1; id <= 20; ++id)
    pool.compile(id, request_for("-DCOMPILE=short -DX=" + std::to_string(id)));
  CHECK_THROWS_WITH(wait_for(pool, 20), contains_text("out of memory"));
}

TEST_CASE("a toolkit that changes under the run ends it") {
  Rig rig;
  CompilerPool pool(rig.settings);
  test::script(rig.folder.path(), {{"headers", "others"}});
  pool.compile(1, request_for("-DCOMPILE=crash"));
  CHECK_THROWS_WITH(wait_for(pool, 1), contains_text("has changed during the run"));
}

TEST_CASE("a compiler that hangs costs its configuration after the time-out") {
  Rig rig(2);
  rig.settings.first_limit = 300ms;
  CompilerPool pool(rig.settings);
  pool.compile(1, request_for("-DCOMPILE=hang"));
  pool.compile(2, request_for("-DCOMPILE=fine"));
  auto all = wait_for(pool, 2);
  REQUIRE(all.size() == 2);
  CHECK_THAT(all[1]->error.value(), contains_text("did not answer within 0.3 s"));
  CHECK(all[2]->cubin);
}

TEST_CASE("a compiler that fills the disk is ended") {
  Rig rig;
  rig.settings.folder_limit_bytes = 4 << 20;
  CompilerPool pool(rig.settings);
  pool.compile(1, request_for("-DCOMPILE=litter"));
  pool.compile(2, request_for("-DCOMPILE=fine"));
  auto all = wait_for(pool, 2);
  REQUIRE(all.size() == 2);
  CHECK_THAT(all[1]->error.value(), contains_text("more than 4.0 MiB of temporary files"));
  CHECK(all[2]->cubin);
}

TEST_CASE("what was compiled ahead is there when it is asked for") {
  Rig rig;
  CompilerPool pool(rig.settings);
  pool.compile_ahead(request_for("-DX=1"));
  while (pool.running() > 0)
    advance(pool);
  CHECK(pool.take().empty());
  pool.compile(5, request_for("-DX=1"));
  const auto compiled = pool.take();
  REQUIRE(compiled.size() == 1);
  CHECK(compiled.front().id == 5);
  CHECK(compiled.front().code->cubin);
}

TEST_CASE("of what was compiled ahead for nobody the oldest makes room") {
  CompileQueue queue{CubinCache("", 0)};
  for (int x = 0; x < 300; ++x) {
    queue.ask_ahead(std::to_string(x), request_for("-DX=" + std::to_string(x)));
    queue.finish(queue.next(1), std::make_shared<const CodeObject>());
  }
  queue.ask(1, "0", request_for("-DX=0"), {});
  CHECK(queue.take().empty());
  CHECK(queue.wanted() == 1); // to be compiled again
  queue.ask(2, "299", request_for("-DX=299"), {});
  CHECK(queue.take().size() == 1);
}

TEST_CASE("two that want the same code share it") {
  Rig rig;
  CompilerPool pool(rig.settings);
  pool.compile(1, request_for("-DX=1"));
  pool.compile(2, request_for("-DX=1"));
  auto all = wait_for(pool, 2);
  REQUIRE(all.size() == 2);
  CHECK(all[1] == all[2]);
  CHECK(pool.compile_ms() == 1); // of one compilation
}

TEST_CASE("what is withdrawn is not compiled, or not reported") {
  Rig rig;
  CompilerPool pool(rig.settings);
  pool.compile(1, request_for("-DX=1")); // runs
  pool.compile(2, request_for("-DX=2")); // waits
  pool.compile(3, request_for("-DX=3"));
  CHECK(pool.waiting() == 2);
  pool.withdraw(1);
  pool.withdraw(2);
  CHECK(pool.waiting() == 1);
  const auto all = wait_for(pool, 1);
  CHECK(all.contains(3));
  CHECK(pool.compile_ms() == 2); // the first was finished, the second never begun
  pool.compile(4, request_for("-DX=1"));
  CHECK(pool.take().size() == 1); // what ran is kept as if it had been compiled ahead
}

TEST_CASE("what was compiled by an earlier pool comes from its cache, at no cost") {
  Rig rig;
  rig.settings.no_cache = false;
  rig.settings.cache_folder = rig.folder.path() / "cache";
  {
    CompilerPool pool(rig.settings);
    pool.compile(1, request_for("-DX=1"));
    CHECK(wait_for(pool, 1).size() == 1);
  }
  CompilerPool pool(rig.settings);
  pool.compile(1, request_for("-DX=1"));
  const auto compiled = pool.take();
  REQUIRE(compiled.size() == 1);
  CHECK(compiled.front().code->cubin);
  CHECK(compiled.front().code->ms == 0);
  CHECK(pool.running() == 0);
}

TEST_CASE("a compiler of another version is refused at once, with both versions") {
  Rig rig;
  test::script(rig.folder.path(), {{"version", "99.1"}});
  const auto begun = std::chrono::steady_clock::now();
  CHECK_THAT(rig.refusal(), contains_text(rig.settings.program.string() + " is of Gridsmith 99.1"));
  CHECK(std::chrono::steady_clock::now() - begun < 5s);
}

TEST_CASE("a compiler without NVRTC says why") {
  Rig rig;
  test::script(rig.folder.path(), {{"refusal", "libnvrtc.so.13: not found"}});
  CHECK(rig.refusal() == rig.settings.program.string() + ": libnvrtc.so.13: not found");
}

TEST_CASE("a compiler that is absent, ends at once or is something else is one line") {
  Rig rig;
  rig.settings.program = "/nowhere/compiler";
  CHECK(rig.refusal() == "cannot start /nowhere/compiler: No such file or directory");
  rig.settings.program = "/bin/false";
  CHECK(rig.refusal() == "/bin/false ended with exit code 1 at its start");
  const auto wrong = rig.folder.path() / "wrong";
  test::write(wrong, "#!/bin/sh\necho I am something else altogether\n");
  std::filesystem::permissions(wrong, std::filesystem::perms::owner_all);
  rig.settings.program = wrong;
  CHECK_THAT(rig.refusal(), contains_text("did not begin with its version"));
}

TEST_CASE("a list that is longer than what waits is compiled whole, each answer in its place") {
  const Rig rig;
  CompilerPool pool(rig.settings);
  std::vector<CompileRequest> requests;
  requests.reserve(10);
  for (int x = 0; x < 9; ++x)
    requests.push_back(request_for("-DX=" + std::to_string(x)));
  requests.push_back(requests.front());
  const std::vector<Code> codes = compile_all(pool, requests, {});
  REQUIRE(codes.size() == 10);
  for (const Code& code : codes)
    REQUIRE((code && code->cubin));
  CHECK(*codes[0]->cubin == *codes[9]->cubin);
  CHECK(*codes[0]->cubin != *codes[1]->cubin);
}

TEST_CASE("a stop ends the wait for a list, with what was compiled until then") {
  const Rig rig;
  CompilerPool pool(rig.settings);
  std::stop_source stop;
  std::vector<std::size_t> heard;
  CHECK_FALSE(compile_each(
      pool, 2, [](std::size_t i) { return request_for(i == 0 ? "-DX=0" : "-DCOMPILE=hang"); },
      [&](std::size_t number, const Code&) {
        heard.push_back(number);
        stop.request_stop();
      },
      stop.get_token()));
  CHECK(heard == std::vector<std::size_t>{0});
}

TEST_CASE("what is said of helpers reaches compilers and worker") {
  const HelperSettings helpers{.compilers = 3,
                               .nvrtc = "/lib/nvrtc",
                               .cache = false,
                               .confined = false,
                               .installation = {.programs = "/programs", .catalogue = ""}};
  const CompilerSettings compilers = compiler_settings(helpers, {"/sources"}, 90);
  CHECK(compilers.program == "/programs/gridsmith-compiler");
  CHECK(compilers.nvrtc == "/lib/nvrtc");
  CHECK(compilers.readable == ReadableFolders{"/sources"});
  CHECK(compilers.processes == 3);
  CHECK(compilers.compute_capability == 90);
  CHECK(compilers.no_cache);
  CHECK_FALSE(compilers.confined);
  CHECK(compiler_settings({}).processes >= 1);
  CHECK(worker_settings(helpers).program == "/programs/gridsmith-worker");
  CHECK_FALSE(worker_settings(helpers).confined);
}

} // namespace compiler_pool_test
