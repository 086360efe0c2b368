// SPDX-License-Identifier: Apache-2.0
// gridsmith.sh in folders of its own, with a small project in place of ours and the real CMake; what
// needs a bare machine or another user has that much of it replaced.
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/program.hpp"

namespace script_test {

using namespace gridsmith;
namespace fs = std::filesystem;

namespace {

/// A checkout that builds in a second: its program prints its words.
class Checkout {
public:
  Checkout() {
    fs::create_directory(tree());
    fs::copy_file(GRIDSMITH_SOURCE_DIR "/gridsmith.sh", tree() / "gridsmith.sh");
    fs::copy_file(GRIDSMITH_SOURCE_DIR "/CMakePresets.json", tree() / "CMakePresets.json");
    test::write(tree() / "main.c",
                "#include <stdio.h>\nint main(int n, char** w) { for (int i = 1; i "
                "< n; ++i) puts(w[i]); return 0; }\n");
    test::write(tree() / "CMakeLists.txt",
                "cmake_minimum_required(VERSION 3.25)\nproject(small C)\n"
                "option(GRIDSMITH_TESTS \"\" ON)\n"
                "add_executable(gridsmith main.c)\nadd_custom_target(gridsmith_pages)\n"
                "set_target_properties(gridsmith PROPERTIES RUNTIME_OUTPUT_DIRECTORY "
                "${PROJECT_BINARY_DIR}/bin)\n"
                "if(GRIDSMITH_TESTS)\n  enable_testing()\n  add_test(NAME only COMMAND gridsmith)\n"
                "endif()\n");
  }

  fs::path tree() const { return shell_.folder() / "tree"; }

  /// @param script in the folder above the tree; its $PATH begins with ./bin
  int run(const std::string& script) const {
    return shell_.run(
        {"-c", "cd '" + shell_.folder().string() + "'; PATH=$PWD/bin:$PATH; " + script});
  }

  /// A command that comes before the system's.
  void replace(const std::string& name, const std::string& script) const {
    const fs::path file = shell_.folder() / "bin" / name;
    fs::create_directories(file.parent_path());
    test::write(file, "#!/bin/sh\n" + script + "\n");
    fs::permissions(file, fs::perms::owner_all);
  }

  std::string out() const { return shell_.out(); }

  std::string err() const { return shell_.err(); }

private:
  test::Program shell_{"/bin/bash"};
};

} // namespace

TEST_CASE("help is no error, a wrong word is") {
  const Checkout checkout;
  CHECK(checkout.run("tree/gridsmith.sh --help") == 0);
  CHECK_THAT(checkout.out(), contains_text("./gridsmith.sh tune [ARGUMENTS]"));
  CHECK(widest_line(checkout.out()) <= 80);
  CHECK(checkout.run("tree/gridsmith.sh") == 2);
  CHECK_THAT(checkout.err(), contains_text("./gridsmith.sh tune [ARGUMENTS]"));
  CHECK(checkout.run("tree/gridsmith.sh tnue") == 2);
  CHECK_THAT(checkout.err(), contains_text("unknown word 'tnue' (valid: tune, test, --help)"));
}

TEST_CASE("packages that cannot be installed are named with what to do") {
  const Checkout checkout;
  checkout.replace("dpkg-query",
                   "case $4 in ninja-build) exit 1;; esac; echo install ok installed");
  checkout.replace("apt-get", "exit 100");
  checkout.replace("sudo", "exec \"$@\"");
  CHECK(checkout.run("tree/gridsmith.sh tune") == 1);
  CHECK_THAT(checkout.err(), contains_text("the package lists could not be fetched"));
  CHECK_THAT(checkout.err(), contains_text("packages could not be installed"));
  CHECK_THAT(checkout.err(),
             contains_text("apt-get install --no-install-recommends ninja-build\n"));
  CHECK(checkout.err().find("cmake") == std::string::npos); // installed, so not asked for

  fs::remove(checkout.tree().parent_path() / "bin" / "sudo");
  checkout.replace("id", "echo 1000");
  CHECK(checkout.run("command() { [ \"$2\" != sudo ] && builtin command \"$@\"; }; "
                     "export -f command; tree/gridsmith.sh tune") == 1);
  CHECK_THAT(checkout.err(), contains_text("installing them needs root"));
  CHECK_THAT(checkout.err(), contains_text("ninja-build"));
}

TEST_CASE("it builds what the program needs, shows how far it is, and goes on in a moved tree",
          "[.][needs:ninja]") {
  const Checkout checkout;
  checkout.replace("dpkg-query", "echo install ok installed");
  REQUIRE(checkout.run("tree/gridsmith.sh tune my.json --json") == 0);
  CHECK(checkout.out() == "tune\nmy.json\n--json\n");
  REQUIRE(checkout.run("grep -E 'GRIDSMITH_TESTS|CMAKE_UNITY_BUILD' tree/build/CMakeCache.txt") ==
          0);
  CHECK_THAT(checkout.out(), contains_text("GRIDSMITH_TESTS:BOOL=OFF"));
  CHECK_THAT(checkout.out(), contains_text("CMAKE_UNITY_BUILD:UNINITIALIZED=ON"));

  REQUIRE(checkout.run("mv tree moved && moved/gridsmith.sh tune") == 0);
  CHECK(checkout.out() == "tune\ntranspose\n--exhaustive\n");
  CHECK_THAT(checkout.err(), contains_text("build/ was made for "));
  CHECK_THAT(checkout.err(), contains_text("/tree; it is configured anew"));

  REQUIRE(checkout.run("moved/gridsmith.sh test") == 0);
  CHECK_THAT(checkout.out(), contains_text("100% tests passed"));
  REQUIRE(checkout.run(
              "moved/gridsmith.sh tune; grep GRIDSMITH_TESTS moved/build/CMakeCache.txt") == 0);
  CHECK_THAT(checkout.out(),
             contains_text("GRIDSMITH_TESTS:BOOL=ON")); // built already, so they stay

  test::write(checkout.tree().parent_path() / "moved" / "main.c", "#error broken\n");
  CHECK(checkout.run("moved/gridsmith.sh tune") == 1);
  CHECK_THAT(checkout.err(), contains_text("#error broken"));
  CHECK_THAT(checkout.err(), contains_text("the build failed; all of its output is in "));
}

TEST_CASE("progress is one moving line on a terminal", "[.][needs:ninja]") {
  const Checkout checkout;
  checkout.replace("dpkg-query", "echo install ok installed");
  REQUIRE(checkout.run("TERM=xterm script -qec 'tree/gridsmith.sh tune' typescript >/dev/null; "
                       "cat typescript") == 0);
  CHECK_THAT(checkout.out(), contains_text("\r\x1b[KBuilding: [1/"));
  CHECK_THAT(checkout.out(), contains_text(" s left\r\x1b[K"));
}

} // namespace script_test
