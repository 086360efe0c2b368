// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/file.hpp"
#include "gridsmith/base/file_kind.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/files.hpp"

#include <sys/stat.h>

namespace file_kind_test {

using namespace gridsmith;

TEST_CASE("what a file begins with, and a pipe, which is not waited for") {
  const test::Folder folder;
  write_packed(folder.path() / "short", "abc");
  CHECK(beginning_of(folder.path() / "short", 2) == "ab");
  CHECK(beginning_of(folder.path() / "short", 9) == "abc");
  CHECK(beginning_of(folder.path() / "absent", 9).empty());
  CHECK_FALSE(is_sqlite(folder.path() / "short"));
  write_packed(folder.path() / "store", std::string("SQLite format 3\0 and more", 25));
  CHECK(is_sqlite(folder.path() / "store"));
  REQUIRE(::mkfifo((folder.path() / "pipe").c_str(), 0600) == 0);
  CHECK_THROWS_WITH(is_sqlite(folder.path() / "pipe"),
                    contains_text("pipe: is a pipe; give a file"));
  CHECK_THROWS_WITH(read_unpacked(folder.path() / "pipe"),
                    contains_text("pipe: is a pipe; give a file"));
}

} // namespace file_kind_test
