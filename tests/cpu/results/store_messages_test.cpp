// SPDX-License-Identifier: Apache-2.0
// What people are told of a store that cannot be used: which it is of missing, forbidden, foreign,
// newer and damaged, and never SQLite's own words.
#include "gridsmith/base/error.hpp"
#include "gridsmith/results/store/store.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/sample.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace store_messages_test {

using namespace gridsmith;
namespace fs = std::filesystem;

namespace {

constexpr auto reading = Store::Mode::read_only, writing = Store::Mode::read_write;

/// The message as somebody who is not root gets it, for whom permissions count.
std::string as_nobody(const std::function<void()>& call) {
  int ends[2] = {-1, -1};
  REQUIRE(::pipe(ends) == 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0))
      ::_exit(2);
    const std::string message = message_of(call);
    ::_exit(::write(ends[1], message.data(), message.size()) < 0);
  }
  ::close(ends[1]);
  std::string message(4096, '\0');
  const ssize_t got = ::read(ends[0], message.data(), message.size());
  ::close(ends[0]);
  int status = 0;
  ::waitpid(pid, &status, 0);
  CHECK(status == 0);
  message.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return message;
}

/// A store with one record.
fs::path good_store(const test::Folder& folder) {
  const fs::path file = folder / "s.db";
  Store store = Store::open(file, writing);
  const ScopeKey scope = {"k", "s", "d", "GPU", "u", "1", "13.0", "64", "cold", "default"};
  store.add(store.declare(scope, sample_device()), sample_measurement(1, false, 1));
  return file;
}

void run(const fs::path& file, const std::string& sql) {
  Database::open(file, Database::Mode::read_write).run(sql);
}

} // namespace

TEST_CASE("a store in a folder that is not there") {
  CHECK(message_of([] { Store::open("/no/such/folder/s.db", writing); }) ==
        "/no/such/folder/s.db: there is no folder /no/such/folder");
  CHECK(message_of([] { Store::open("/no/such/folder/s.db", reading); }) ==
        "/no/such/folder/s.db: there is no such store");
}

TEST_CASE("a file of one byte is no store, and stays what it is") {
  const test::Folder folder;
  const fs::path file = folder / "note";
  test::write(file, "x");
  for (const auto mode : {reading, writing})
    CHECK(message_of([&] { Store::open(file, mode); }) ==
          file.string() + ": is not a Gridsmith store (no SQLite database)");
  CHECK(test::read_file(file) == "x");
}

TEST_CASE("a folder that may not be written, and a store that may not be read") {
  const test::Folder folder;
  fs::permissions(folder.path(),
                  fs::perms::all & ~fs::perms::group_write & ~fs::perms::others_write);
  const fs::path absent = folder / "new.db";
  CHECK(as_nobody([&] { Store::open(absent, writing); }) ==
        absent.string() + ": nothing can be recorded in the folder " + folder.path().string() +
            " (Permission denied)");
  const fs::path file = good_store(folder);
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  for (const auto mode : {reading, writing})
    CHECK(as_nobody([&] { Store::open(file, mode); }) ==
          file.string() + ": the store may not be read (Permission denied)");
}

TEST_CASE("tables that are not ours under our mark are damage, said without SQL") {
  const test::Folder folder;
  const fs::path file = good_store(folder);
  run(file, "ALTER TABLE scopes RENAME TO elsewhere");
  const std::string message = message_of([&] { Store::open(file, reading).scopes(); });
  CHECK(contains(message, "the store is damaged: its tables are not those that its version has"));
  CHECK_FALSE(contains(message, "no such"));
  run(file,
      "ALTER TABLE elsewhere RENAME TO scopes; ALTER TABLE scopes RENAME COLUMN device TO gpu");
  CHECK(contains(message_of([&] { Store::open(file, reading).scopes(); }), "its tables are not"));
}

TEST_CASE("rows that nothing could have measured are damage") {
  const test::Folder folder;
  const fs::path file = good_store(folder);
  const auto read_all = [&] {
    const Store store = Store::open(file, reading);
    for (const Scope& scope : store.scopes())
      store.all(scope.id);
  };
  CHECK(message_of(read_all) == "nothing");
  run(file, "UPDATE records SET measurement = json_set(measurement, '$.times_ms[0]', -1)");
  CHECK(message_of(read_all) ==
        file.string() + ": the store is damaged: times_ms: expected a number from 0 on, "
                        "found -1");
  run(file, "UPDATE scopes SET device = json_set(device, '$.sm_count', -5)");
  CHECK(message_of(read_all) == file.string() +
                                    ": the store is damaged: sm_count: expected 0 to 2147483647, "
                                    "found -5");
}

TEST_CASE("a store with views or triggers is refused: they could write, or never end") {
  const test::Folder folder;
  const fs::path file = good_store(folder);
  run(file, "CREATE TRIGGER t AFTER INSERT ON records BEGIN DELETE FROM records; END");
  for (const auto mode : {reading, writing})
    CHECK(contains(message_of([&] { Store::open(file, mode); }), "views or triggers"));
}

TEST_CASE("a schema that cannot be parsed is damage, said without SQL") {
  const test::Folder folder;
  const fs::path file = good_store(folder);
  std::string bytes = test::read_file(file);
  const std::size_t at = bytes.find("CREATE TABLE records");
  REQUIRE(at != bytes.npos);
  bytes.replace(at, 6, "CREXTE");
  test::write(file, bytes);
  const std::string message = message_of([&] { Store::open(file, reading).scopes(); });
  CHECK(contains(message, "the store is damaged"));
  CHECK_FALSE(contains(message, "CREXTE"));
  CHECK_FALSE(contains(message, "syntax"));
}

} // namespace store_messages_test
