// SPDX-License-Identifier: Apache-2.0
// What may happen to a store from outside: killed writers, two writers, no space, no permission.
// Needs processes of its own: each child is forked before it opens anything and ends with _exit.
#include "gridsmith/base/error.hpp"
#include "gridsmith/results/store/store.hpp"
#include "gridsmith/results/store/store_schema.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/sample.hpp"

#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <random>
#include <thread>

namespace store_faults_test {

using namespace gridsmith;

namespace {

const ScopeKey key = {"k", "s", "d", "GPU", "u", "1", "13.0", "64", "cold", "default"};

/// A record that fills a few pages, so that half-written ones would show.
Measurement record(std::int64_t id) {
  Measurement row = sample_measurement(id, false, 1 + static_cast<double>(id));
  row.times_ms.assign(100, static_cast<double>(id) + 0.125);
  return row;
}

/// Forks; the child runs `work` with the writing end of a pipe. Reads later from `pipe`.
struct Child {
  pid_t id = -1;
  int pipe = -1;

  explicit Child(const std::function<void(int)>& work) {
    int ends[2] = {-1, -1};
    if (::pipe(ends) != 0)
      throw std::runtime_error("no pipe");
    id = fork();
    if (id == 0) {
      close(ends[0]);
      int code = 0;
      try {
        work(ends[1]);
      } catch (const std::exception& error) {
        dprintf(STDERR_FILENO, "child: %s\n", error.what());
        code = 1;
      }
      _exit(code);
    }
    close(ends[1]);
    pipe = ends[0];
  }

  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  ~Child() { close(pipe); }

  /// Numbers the child has written whole, until it ends.
  std::vector<std::int64_t> numbers() const {
    std::vector<std::int64_t> all;
    std::int64_t number = 0;
    while (read(pipe, &number, sizeof number) == sizeof number)
      all.push_back(number);
    return all;
  }

  int wait() const {
    int status = 0;
    waitpid(id, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
};

void say(int pipe, std::int64_t number) {
  if (write(pipe, &number, sizeof number) != sizeof number)
    _exit(3);
}

/// Adds first, first + step, … and says each number after its commit.
void write_for_ever(const std::filesystem::path& file, int pipe, std::int64_t first,
                    std::int64_t step, std::int64_t count) {
  Store store = Store::open(file, Store::Mode::read_write);
  const ScopeId scope = store.declare(key, sample_device());
  for (std::int64_t id = first; count > 0; id += step, --count) {
    store.add(scope, record(id));
    say(pipe, id);
  }
}

/// How long a writer takes here until some commits are done, sanitizers and a busy disk included.
std::chrono::microseconds time_of_commits(const std::filesystem::path& file) {
  const auto begun = std::chrono::steady_clock::now();
  const Child child([&](int pipe) { write_for_ever(file, pipe, 0, 1, 3); });
  CHECK(child.numbers().size() == 3);
  CHECK(child.wait() == 0);
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() -
                                                               begun);
}

void check_held(const std::filesystem::path& file, const std::vector<std::int64_t>& ids) {
  const Store store = Store::open(file, Store::Mode::read_write);
  const auto scope = store.find_scope(key);
  REQUIRE((scope || ids.empty()));
  for (const std::int64_t id : ids) {
    const auto found = store.find(*scope, record(id).configuration); // 100 samples settle it
    REQUIRE(found);
    CHECK(found->times_ms == record(id).times_ms);
  }
}

} // namespace

TEST_CASE("what a killed writer committed is there, at least 40 kills at random moments") {
  const test::Folder folder;
  const std::filesystem::path file = folder / "s.db";
  std::mt19937 random(3);
  std::uniform_int_distribution<std::int64_t> moment(
      0, std::max<std::int64_t>(60000, 2 * time_of_commits(folder / "other.db").count()));
  std::vector<std::int64_t> committed;
  std::int64_t next = 0;
  int round = 0;
  for (; round < 40 || (committed.size() < 60 && round < 400); ++round) {
    const Child child([&](int pipe) { write_for_ever(file, pipe, next, 1, 1'000'000); });
    // from before the store is open to some dozens of commits
    std::this_thread::sleep_for(std::chrono::microseconds(moment(random)));
    kill(child.id, SIGKILL);
    const auto said = child.numbers();
    CHECK(child.wait() == -SIGKILL);
    committed.insert(committed.end(), said.begin(), said.end());
    next = (committed.empty() ? 0 : committed.back()) + 2; // one more may be in, not yet said
    if (round % 8 == 7)
      check_held(file, committed);
  }
  CHECK(committed.size() >= 60);
  check_held(file, committed);
}

TEST_CASE("two programs write one store at once and nothing is lost") {
  const test::Folder folder;
  const std::filesystem::path file = folder / "s.db";
  constexpr std::int64_t each = 150;
  // Both create the store, too; the third one writes what the first writes.
  const Child even([&](int pipe) { write_for_ever(file, pipe, 0, 2, each); });
  const Child odd([&](int pipe) { write_for_ever(file, pipe, 1, 2, each); });
  const Child same([&](int pipe) { write_for_ever(file, pipe, 0, 2, each); });
  for (const Child* child : {&even, &odd, &same}) {
    const auto ids = child->numbers();
    CHECK(child->wait() == 0);
    CHECK(ids.size() == each);
    check_held(file, ids);
  }
  const Store store = Store::open(file, Store::Mode::read_only);
  CHECK(store.scopes().size() == 1);
  CHECK(store.scopes()[0].configurations == 2 * each);
}

TEST_CASE("two programs declare the same scopes at once") {
  const test::Folder folder;
  const std::filesystem::path file = folder / "s.db";
  constexpr int count = 100;
  const auto declare = [&](int) {
    Store store = Store::open(file, Store::Mode::read_write);
    for (int i = 0; i < count; ++i) {
      ScopeKey some = key;
      some.problem = std::to_string(i);
      store.add(store.declare(some, sample_device()), record(i));
    }
  };
  const Child one(declare);
  const Child two(declare);
  CHECK(one.wait() == 0);
  CHECK(two.wait() == 0);
  const auto scopes = Store::open(file, Store::Mode::read_only).scopes();
  REQUIRE(scopes.size() == count);
  for (const Scope& scope : scopes)
    CHECK(scope.configurations == 1);
}

namespace {

/// A file system of 256 KiB on a folder, while it lives.
class SmallDisk {
public:
  explicit SmallDisk(std::filesystem::path folder) : folder_(std::move(folder)) {
    mounted_ = mount("none", folder_.c_str(), "tmpfs", 0, "size=256k") == 0;
  }

  ~SmallDisk() {
    if (mounted_)
      umount2(folder_.c_str(), MNT_DETACH);
  }

  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool mounted() const { return mounted_; }

private:
  std::filesystem::path folder_;
  bool mounted_ = false;
};

/// Adds from `first` on until the store says it is full; then checks that reading goes on. Returns
/// how many it holds.
std::int64_t fill(Store& store, ScopeId scope, std::int64_t first = 0) {
  for (std::int64_t id = first; id < 100000; ++id) {
    try {
      store.add(scope, record(id));
    } catch (const StoreError& error) {
      CHECK(error.kind() == StoreError::Kind::full);
      CHECK(contains(error.what(), "no space left on the disk"));
      CHECK(store.all(scope).size() == static_cast<std::size_t>(id));
      return id;
    }
  }
  return -1;
}

} // namespace

TEST_CASE("a full disk is said, loses nothing, and the store goes on when there is space again",
          "[.][needs:mount]") {
  const test::Folder folder;
  const SmallDisk disk(folder.path());
  REQUIRE(disk.mounted());
  const std::filesystem::path ballast = folder / "ballast";
  test::write(ballast, std::string(65536, 'x'));
  {
    Store store = Store::open(folder / "s.db", Store::Mode::read_write);
    const ScopeId scope = store.declare(key, sample_device());
    const std::int64_t held = fill(store, scope);
    CHECK(held > 5);
    std::filesystem::remove(ballast);
    store.add(scope, record(held)); // the same store object, as if nothing had been
    CHECK(store.all(scope).size() == static_cast<std::size_t>(held) + 1);
    CHECK(fill(store, scope, held + 1) > held + 1);
  }
  {
    Store again = Store::open(folder / "s.db", Store::Mode::read_only);
    CHECK(again.scopes()[0].configurations > 6);
  }
}

TEST_CASE("a limit on the size of files counts as a full disk") {
  const test::Folder folder;
  const Child child([&](int pipe) {
    signal(SIGXFSZ, SIG_IGN);
    Store store = Store::open(folder / "s.db", Store::Mode::read_write);
    const ScopeId scope = store.declare(key, sample_device());
    const rlimit limit{200000, 200000};
    setrlimit(RLIMIT_FSIZE, &limit);
    std::int64_t id = 0;
    try {
      for (; id < 100000; ++id)
        store.add(scope, record(id));
    } catch (const StoreError& error) {
      say(pipe, error.kind() == StoreError::Kind::full ? id : -1);
      say(pipe, static_cast<std::int64_t>(store.all(scope).size()));
    }
  });
  const auto said = child.numbers();
  CHECK(child.wait() == 0);
  REQUIRE(said.size() == 2);
  CHECK(said[0] > 5);
  CHECK(said[0] == said[1]);
  CHECK(Store::open(folder / "s.db", Store::Mode::read_only).scopes()[0].configurations ==
        static_cast<std::size_t>(said[0]));
}

TEST_CASE("a store that may not be written is read all the same") {
  const test::Folder folder;
  const std::filesystem::path file = folder / "s.db";
  {
    Store store = Store::open(file, Store::Mode::read_write);
    store.add(store.declare(key, sample_device()), record(1));
  }
  {
    Store reader = Store::open(file, Store::Mode::read_only);
    CHECK(reader.all(1).size() == 1);
    try {
      reader.add(1, record(2));
      FAIL("written though opened for reading");
    } catch (const StoreError& error) {
      CHECK(error.kind() == StoreError::Kind::read_only);
      CHECK(error.what() == file.string() + ": the store is read-only; nothing can be recorded");
    }
  }
  // As after a move to a read-only place: a reader's log and index are not there.
  for (const std::string suffix : {"-wal", "-shm"})
    std::filesystem::remove(file.string() + suffix);
  using std::filesystem::perms;
  std::filesystem::permissions(file, perms::owner_read | perms::group_read | perms::others_read);
  std::filesystem::permissions(folder.path(), perms::owner_read | perms::owner_exec |
                                                  perms::others_read | perms::others_exec);
  const Child child([&](int pipe) {
    if (geteuid() == 0 &&
        (setgid(65534) != 0 || setuid(65534) != 0)) // nobody: root may write everything
      _exit(2);
    try {
      Store::open(file, Store::Mode::read_write);
      say(pipe, -1);
    } catch (const StoreError& error) {
      say(pipe, error.kind() == StoreError::Kind::read_only ? 1 : 0);
    }
    say(pipe, static_cast<std::int64_t>(Store::open(file, Store::Mode::read_only).all(1).size()));
  });
  const auto said = child.numbers();
  CHECK(child.wait() == 0);
  CHECK(said == std::vector<std::int64_t>{1, 1});
  std::filesystem::permissions(folder.path(), perms::owner_all);
}

TEST_CASE("records still in the log are not passed over where the log cannot be read") {
  const test::Folder folder;
  const std::filesystem::path file = folder / "s.db";
  const Child writer([&](int) {
    Store store = Store::open(file, Store::Mode::read_write);
    store.add(store.declare(key, sample_device()), record(1));
    kill(getpid(), SIGKILL); // with the store open: closing would empty the log
  });
  CHECK(writer.wait() == -SIGKILL);
  std::filesystem::remove(file.string() + "-shm");
  using std::filesystem::perms;
  const perms all_read = perms::owner_read | perms::group_read | perms::others_read;
  for (const std::string suffix : {"", "-wal"})
    std::filesystem::permissions(file.string() + suffix, all_read);
  std::filesystem::permissions(folder.path(), all_read | perms::owner_exec | perms::others_exec);
  const Child child([&](int pipe) {
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
      _exit(2);
    const std::string message = message_of([&] { Store::open(file, Store::Mode::read_only); });
    say(pipe, contains(message, "its last records are in s.db-wal"));
  });
  CHECK(child.numbers() == std::vector<std::int64_t>{1});
  CHECK(child.wait() == 0);
  std::filesystem::permissions(folder.path(), perms::owner_all);
}

TEST_CASE("what add() has returned from is in the files, and forced to the disk") {
  const test::Folder folder;
  const std::filesystem::path file = folder / "s.db";
  Store store = Store::open(file, Store::Mode::read_write);
  const ScopeId scope = store.declare(key, sample_device());
  store.add(scope, record(1));
  // What the disk holds at this moment, without any help from the program that wrote it.
  for (const std::string suffix : {"", "-wal"})
    std::filesystem::copy_file(file.string() + suffix, (folder / "copy.db").string() + suffix);
  CHECK(Store::open(folder / "copy.db", Store::Mode::read_write).all(scope).size() == 1);

  const Database database = Database::open(file, Database::Mode::read_write);
  make_durable(database);
  CHECK(database.integer("PRAGMA synchronous") == 2); // FULL: every commit syncs the log
}

TEST_CASE("file systems that machines share are known by their numbers") {
  CHECK(network_file_system(0x6969) == "NFS");
  CHECK(network_file_system(0x0BD00BD0) == "Lustre");
  CHECK(network_file_system(static_cast<long>(0xFFFFFFFFFF534D42)) == "CIFS"); // negative as an int
  for (const long local : {0xEF53L, 0x58465342L, 0x9123683EL, 0x01021994L, 0x794C7630L})
    CHECK(network_file_system(local).empty()); // ext4, XFS, btrfs, tmpfs, overlay
}

TEST_CASE("on a shared file system one machine at a time writes, with a rollback journal") {
  const test::Folder folder;
  const std::filesystem::path file = folder / "s.db", writers = file.string() + "-writers";
  {
    const WriterHost one(file, "node1", "NFS"), two(file, "node1", "NFS");
    CHECK_THROWS_WITH(WriterHost(file, "node2", "NFS"),
                      contains_text("s.db: is on NFS, and node1 writes to it") &&
                          contains_text("remove " + writers.string()));
  }
  CHECK_FALSE(std::filesystem::exists(writers));
  const Child killed([&](int) {
    const WriterHost one(file, "node1", "NFS");
    kill(getpid(), SIGKILL);
  });
  CHECK(killed.wait() == -SIGKILL);
  CHECK(std::filesystem::exists(writers));
  CHECK_THROWS_AS(WriterHost(file, "node2", "NFS"),
                  InputError); // whether it lives is not seen there
  CHECK_NOTHROW(WriterHost(file, "node1", "NFS"));
  CHECK_NOTHROW(WriterHost(file, "node2", "NFS"));

  Store::open(file, Store::Mode::read_write); // with a log
  const Database database = Database::open(file, Database::Mode::read_write);
  make_durable(database, Journal::rollback);
  Statement journal = database.prepare("PRAGMA journal_mode");
  REQUIRE(journal.step());
  CHECK(journal.text(0) == "delete");
  CHECK(database.integer("PRAGMA synchronous") == 3); // EXTRA
}

} // namespace store_faults_test
