// SPDX-License-Identifier: Apache-2.0
// Files appear whole or not at all; what is no regular file is written to and never replaced.
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/file.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/files.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

namespace file_test {

using namespace gridsmith;
namespace fs = std::filesystem;

namespace {

class Folder : public test::Folder {
public:
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path()), fs::directory_iterator()));
  }
};

mode_t kind_of(const fs::path& file) {
  struct stat found{};
  ::lstat(file.c_str(), &found);
  return found.st_mode;
}

} // namespace

TEST_CASE("a link stays a link and its target gets the content") {
  const Folder folder;
  write_packed(folder / "target", "old");
  fs::create_symlink("target", folder / "link");
  fs::create_symlink(folder / "link", folder / "second");
  write_packed(folder / "second", "new");
  CHECK(fs::is_symlink(folder / "second"));
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(test::read_file(folder / "target") == "new");
  fs::create_symlink("absent", folder / "dangling");
  write_packed(folder / "dangling", "made");
  CHECK(fs::is_symlink(folder / "dangling"));
  CHECK(test::read_file(folder / "absent") == "made");
  fs::create_symlink("circle", folder / "circle");
  CHECK_THROWS_WITH(write_packed(folder / "circle", ""), contains_text("cannot be written"));
  CHECK(folder.files() == 6); // nothing half-written beside them
}

TEST_CASE("devices, pipes and descriptors are written to and stay what they are") {
  write_packed("/dev/null", "anything");
  CHECK(S_ISCHR(kind_of("/dev/null")));
  CHECK_THROWS_WITH(write_packed("/dev/full", "anything"), contains_text("No space left"));
  CHECK(S_ISCHR(kind_of("/dev/full")));

  const Folder folder;
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  std::string read;
  std::thread reader([&] { read = test::read_file(folder / "pipe"); });
  check_writable(folder / "pipe");
  write_packed(folder / "pipe", "through");
  reader.join();
  CHECK(read == "through");
  CHECK(S_ISFIFO(kind_of(folder / "pipe")));

  CHECK_THROWS_WITH(read_unpacked(folder / "pipe"), contains_text("pipe: is a pipe; give a file"));

  const int open = ::open((folder / "held").c_str(), O_CREAT | O_RDWR, 0600);
  REQUIRE(::write(open, "begun, ", 7) == 7);
  write_packed("/dev/fd/" + std::to_string(open), "ended");
  CHECK(test::read_file(folder / "held") == "begun, ended");
  ::close(open);
}

TEST_CASE("a replaced file keeps its permissions, a new one honours the umask") {
  const Folder folder;
  write_packed(folder / "file", "old");
  const mode_t mask = ::umask(0);
  ::umask(mask);
  CHECK((kind_of(folder / "file") & 07777) == (0666 & ~mask));
  ::chmod((folder / "file").c_str(), 0600);
  write_packed(folder / "file", "new");
  CHECK(test::read_file(folder / "file") == "new");
  CHECK((kind_of(folder / "file") & 07777) == 0600);
}

TEST_CASE("a file that grows beyond the limit is an error, and the old content stays") {
  const Folder folder;
  write_packed(folder / "file", "old");
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit usual{};
  ::getrlimit(RLIMIT_FSIZE, &usual);
  const rlimit small{1000, usual.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  const std::string large(5000, 'x');
  CHECK_THROWS_WITH(write_packed(folder / "file", large), contains_text("File too large"));
  ::setrlimit(RLIMIT_FSIZE, &usual);
  std::signal(SIGXFSZ, before);
  CHECK(test::read_file(folder / "file") == "old");
  CHECK(folder.files() == 1);
}

TEST_CASE("what cannot be written is known beforehand") {
  const Folder folder;
  CHECK_THROWS_AS(check_writable(folder / "no/such/file"), InputError);
  CHECK_THROWS_AS(check_writable(folder / "."), InputError);
  CHECK_NOTHROW(check_writable(folder / "new"));
  CHECK_NOTHROW(check_writable("/dev/full"));
  CHECK(folder.files() == 0);
}

TEST_CASE("packed content comes back, and a bomb is not unpacked") {
  const Folder folder;
  std::string text;
  for (long i = 0; i < 400000; ++i)
    text += std::to_string(i * 7919);
  for (const std::string& one : {std::string(), std::string("a"), text}) {
    write_packed(folder / "a.gz", one);
    CHECK(test::read_file(folder / "a.gz").substr(0, 2) == "\x1f\x8b");
    CHECK(read_unpacked(folder / "a.gz") == one);
  }
  const std::string zeros(std::size_t{3} << 20, '\0');
  write_packed(folder / "bomb.gz", zeros);
  CHECK(fs::file_size(folder / "bomb.gz") < 10000);
  CHECK_THROWS_WITH(read_unpacked(folder / "bomb.gz", std::size_t{2} << 20),
                    contains_text("bomb.gz: holds more than 2 MiB"));
  CHECK(read_unpacked(folder / "bomb.gz", zeros.size()) == zeros);
  CHECK_THROWS_WITH(read_unpacked("/dev/zero", 1000), contains_text("holds more than"));
}

} // namespace file_test
