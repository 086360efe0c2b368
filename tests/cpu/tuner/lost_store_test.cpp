// SPDX-License-Identifier: Apache-2.0
// The store deleted, replaced, cut off or overwritten while the real program uses it: it is said,
// and everything of the run is in a new file beside it.
#include "gridsmith/results/store/store.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/program.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <functional>
#include <thread>

namespace lost_store_test {

using namespace gridsmith;
using test::Program;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t configurations = 150;

std::size_t records(const fs::path& store) {
  std::size_t count = 0;
  for (const Scope& scope : Store::open(store, Store::Mode::read_only).scopes())
    count += scope.configurations;
  return count;
}

std::vector<std::string> tune(const fs::path& kernel, const fs::path& store) {
  return {"tune",       kernel.string(), "--store", store.string(), "--exhaustive",
          "--no-cache", "--compilers",   "1",       "--json"};
}

struct Case {
  std::string what;
  std::function<void(const fs::path& store)> harm;
  std::string said;
  int before = 0; ///< configurations of an earlier run in the store
};

/// Tunes, does harm when some records are there, and checks what is left.
void check(const Case& one) {
  INFO(one.what);
  const Program program;
  const fs::path store = program.folder() / "gridsmith.db";
  const fs::path kernel =
      test::write_kernel(program.folder(), "k", static_cast<int>(configurations));
  if (one.before > 0)
    REQUIRE(program.run(tune(test::write_kernel(program.folder(), "other", one.before), store)) ==
            0);
  const pid_t pid = program.start(tune(kernel, store));
  const auto patience = std::chrono::steady_clock::now() + 20s;
  while (!(fs::exists(store) && fs::file_size(store) > 0 &&
           records(store) > static_cast<std::size_t>(one.before) + 10) &&
         std::chrono::steady_clock::now() < patience)
    std::this_thread::sleep_for(5ms);
  one.harm(store);
  CHECK(Program::wait(pid) == 0);
  CHECK(nlohmann::json::parse(program.out())["best"]["configuration"]["X"] == 7);
  CHECK_THAT(program.err(), contains_text("gridsmith.db: the store " + one.said));
  CHECK_THAT(program.err(), contains_text("are kept in"));
  const fs::path rescued = program.folder() / "gridsmith-2.db";
  REQUIRE(fs::exists(rescued));
  CHECK(records(rescued) == configurations);
  const Store opened = Store::open(rescued, Store::Mode::read_only);
  CHECK(opened.answer(opened.scopes().front().id));
}

void overwrite(const fs::path& file, const std::string& content) {
  std::fstream out(file, std::ios::binary | std::ios::in | std::ios::out);
  out << content;
}

} // namespace

TEST_CASE("a store that is lost while in use is said, and the run is kept beside it") {
  check({"deleted", [](const fs::path& store) { fs::remove(store); }, "was deleted while in use"});
  check({"replaced",
         [](const fs::path& store) {
           const fs::path other = store.string() + ".other";
           {
             Store::open(other, Store::Mode::read_write);
           }
           fs::rename(other, store);
         },
         "was replaced while in use"});
  check({"cut off", [](const fs::path& store) { fs::resize_file(store, 1000); }, "was "});
  check({"overwritten",
         [](const fs::path& store) {
           overwrite(store, std::string(static_cast<std::size_t>(fs::file_size(store)), 'x'));
         },
         "was ", 40}); // what the log holds is written again at the end, the earlier run is not
  check({"log deleted", [](const fs::path& store) { fs::remove(store.string() + "-wal"); },
         "has lost its log gridsmith.db-wal while in use"});
}

TEST_CASE("what replaces a store is left as it is") {
  const Program program;
  const fs::path store = program.folder() / "gridsmith.db";
  const fs::path kernel = test::write_kernel(program.folder(), "k", 100);
  const pid_t pid = program.start(tune(kernel, store));
  while (!(fs::exists(store) && fs::file_size(store) > 0 && records(store) > 5))
    std::this_thread::sleep_for(5ms);
  const fs::path other = program.folder() / "other.db";
  test::write(other, "precious, and no store");
  fs::rename(other, store);
  CHECK(Program::wait(pid) == 0);
  CHECK(test::read_file(store) == "precious, and no store");
  CHECK_FALSE(fs::exists(store.string() + "-wal"));
}

} // namespace lost_store_test
