// SPDX-License-Identifier: Apache-2.0
// What the program writes, as people run it: a result that did not arrive is an error, no target is
// replaced that should be written to, and nothing a file holds commands a terminal.
#include "gridsmith/results/formats/formats.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/program.hpp"
#include "gridsmith/tests/sanitized.hpp"

#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include <algorithm>
#include <ranges>

namespace output_test {

using namespace gridsmith;
namespace fs = std::filesystem;

namespace {

/// A shell in a folder with gridsmith ($G), a kernel of 40 configurations ($K) and options for a
/// tuning that keeps nothing ($T).
class Shell {
public:
  Shell() {
    test::install_with_fakes(folder());
    fs::create_directories(folder() / "share/gridsmith");
    fs::create_directory_symlink(GRIDSMITH_SOURCE_DIR "/kernels/catalogue",
                                 folder() / "share/gridsmith/catalogue");
    test::write_kernel(folder(), "kernel", 40);
  }

  const fs::path& folder() const { return shell_.folder(); }

  int run(const std::string& script) const {
    return shell_.run(
        {"-c", "cd '" + folder().string() +
                   "'; G=bin/gridsmith; K=kernel.json; T='tune kernel.json --no-store "
                   "--no-cache --compilers 1 --exhaustive'; " +
                   script});
  }

  std::string out() const { return shell_.out(); }

  std::string err() const { return shell_.err(); }

  std::string file(const std::string& name) const { return test::read_file(folder() / name); }

private:
  test::Program shell_{"/bin/sh"};
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size())
    ++found;
  return found;
}

const std::string make_store =
    "$G tune $K --no-cache --compilers 1 --exhaustive --store ref.db >/dev/null";

} // namespace

TEST_CASE("a result that standard output did not take is an error") {
  const Shell shell;
  REQUIRE(shell.run(make_store) == 0);
  for (const std::string command :
       {"$G $T", "$G $T --json", "$G $T --csv -", "$G export csv ref.db",
        "$G export t4 ref.db -o -", "$G space $K --list", "$G space $K", "$G kernels",
        "$G occupancy", "$G --help", "$G tune --help", "$G --version", "$G devices"})
    for (const std::string where : {" > /dev/full", " >&-"}) {
      INFO(command << where);
      CHECK(shell.run(command + where) == 1);
      CHECK(count(shell.err(), "standard output: cannot be written: ") == 1);
    }
  CHECK(shell.run("$G export csv ref.db -o out.csv >&- <&- 2>&-") == 0); // nothing for stdout
  CHECK(count(shell.file("out.csv"), "\n") == 41);
}

TEST_CASE("standard output that is full is known before the tuning and does not cost the files") {
  const Shell shell;
  CHECK(shell.run("$G tune $K --store a.db > /dev/full") == 1);
  CHECK_FALSE(shell.err().empty());
  CHECK(shell.run("$G $T --json --csv out.csv > /dev/full") == 1);
  CHECK(count(shell.file("out.csv"), "\n") == 41);
}

TEST_CASE("a reader that has gone is no error worth a word") {
  const Shell shell;
  REQUIRE(shell.run(make_store) == 0);
  for (const std::string before : {"", "trap '' PIPE; "}) {
    shell.run("(" + before + "sleep 0.3; $G export csv ref.db; echo $? > code) | exec true");
    CHECK(shell.file("code") == "141\n");
    CHECK(shell.err().empty());
  }
}

TEST_CASE("only regular files are replaced") {
  const Shell shell;
  REQUIRE(shell.run(make_store + "; $G export csv ref.db > a.csv") == 0);
  const std::string csv = shell.file("a.csv");
  CHECK(count(csv, "\n") == 41);
  for (const std::string name : {"-", "/dev/stdout", "/dev/fd/1"}) {
    REQUIRE(shell.run("echo before; $G export csv ref.db -o " + name + "; echo after") == 0);
    CHECK(shell.out() == "before\n" + csv + "after\n");
  }
  REQUIRE(shell.run("ln -s target.csv link.csv; echo kernel,device,problem,old > target.csv; "
                    "$G export csv ref.db -o link.csv; test -h link.csv") == 0);
  CHECK(shell.file("target.csv") == csv);
  CHECK(shell.run("$G export csv ref.db -o /dev/full") == 1);
  CHECK_THAT(shell.err(), contains_text("/dev/full: cannot be written: No space left on device"));
  CHECK(shell.run("$G export csv ref.db -o /dev/null; test -c /dev/null -a -c /dev/full") == 0);
  REQUIRE(shell.run("mkfifo pipe; cat pipe > read.csv & $G export csv ref.db -o pipe; wait; "
                    "test -p pipe") == 0);
  CHECK(shell.file("read.csv") == csv);
}

TEST_CASE("outputs are tried before hours of work") {
  const Shell shell;
  for (const std::string option :
       {"--write csv=/no/such/folder/x", "--csv .", "--t4 kernel.cu/x", "--record ''"}) {
    INFO(option);
    CHECK(shell.run("$G tune $K --store a.db " + option) == 2);
    CHECK(count(shell.err(), "\n") == 1);
    CHECK_FALSE(fs::exists(shell.folder() / "a.db"));
  }
  CHECK(shell.run("$G tune --all --into /proc/none/new") == 2);
  CHECK_THAT(shell.err(), contains_text("/proc/none/new: this folder cannot be made: "));
  CHECK(shell.run("$G $T --json --csv -") == 2);
  CHECK_THAT(shell.err(), contains_text("only one result"));
  CHECK(shell.run("$G simulate a.json --csv - --json") == 2);
  REQUIRE(shell.run("$G $T --csv -") == 0);
  CHECK(shell.out().starts_with("kernel,device,"));
  CHECK(count(shell.out(), "\n") == 41);
}

TEST_CASE("who reads a store leaves nothing beside it") {
  const Shell shell;
  REQUIRE(shell.run(make_store) == 0);
  for (const std::string command : {"show ref.db", "export csv ref.db", "diff ref.db ref.db"}) {
    REQUIRE(shell.run("$G " + command) == 0);
    CHECK(shell.run("ls ref.db-* 2>/dev/null") != 0);
  }
}

TEST_CASE("a limit on open files is named as what is wrong, in one line") {
  const Shell shell;
  for (int most = 5; most <= 24; ++most) {
    INFO(most << " open files");
    const int code = shell.run("(ulimit -n " + std::to_string(most) +
                               "; $G tune $K --no-store --quiet --compilers 1)");
    INFO(shell.err());
    if (code == 0)
      continue; // enough
    const std::string err = shell.err();
    CHECK_THAT(err, contains_text("Too many open files") ||
                        contains_text("cannot open shared object file"));
    CHECK((count(err, "\n") == 1 || sanitized())); // the leak sanitizer needs files, and says so
  }
}

TEST_CASE("a limit on file sizes is an error in one line") {
  const Shell shell;
  CHECK(shell.run("ulimit -f 2; $G $T --csv out.csv > /dev/null") == 1);
  CHECK(count(shell.err(), "\n") == 1);
  CHECK_THAT(shell.err(), contains_text("out.csv: cannot be written: File too large"));
  CHECK_FALSE(fs::exists(shell.folder() / "out.csv"));
  for (const std::string blocks : {"1", "2"}) { // of 512 bytes: the kernel alone fits two
    CHECK(shell.run("ulimit -f " + blocks + "; $G init axpy") == 1);
    CHECK_THAT(shell.err(), contains_text("cannot be written: File too large"));
    CHECK_FALSE(fs::exists(shell.folder() / "axpy.cu"));
  }
  CHECK(shell.run("ulimit -f 2; $G $T --json > out.json") == 1);
  CHECK_THAT(shell.err(), contains_text("standard output: cannot be written: File too large"));
}

TEST_CASE("no name of a device commands the terminal or another reader") {
  const Shell shell;
  REQUIRE(shell.run("$G $T --record r.json") == 0);
  std::string recording = shell.file("r.json");
  const std::string escapes = "Fake\\u001b[31m\\u009b\xC2\x9B\\u202e\xE2\x80\xAE\\nBest on GPU";
  REQUIRE(count(recording, "Fake GPU") > 0);
  recording.replace(recording.find("Fake GPU"), 8, escapes);
  test::write(shell.folder() / "evil.json", recording);
  for (const std::string options :
       {"", " --json", " --csv -", " --t4 -", " --record -", " --write header=-"}) {
    INFO(options);
    REQUIRE(shell.run("$G $T --recording evil.json" + options) == 0);
    const std::string shown = shell.out() + shell.err();
    CHECK_THAT(shown, contains_text("Fake"));
    for (const char* raw : {"\x1b", "\xC2\x9B", "\xE2\x80\xAE", "\nBest on GPU"})
      CHECK(count(shown, raw) == 0);
  }
}

TEST_CASE("a compiler's log in Latin-1 goes into every format", "[.][needs:toolkit]") {
  const Shell shell;
  const fs::path compiler = fs::path(GRIDSMITH_PROGRAMS_DIR) / "gridsmith-compiler";
  fs::copy_file(compiler, shell.folder() / "libexec/gridsmith/gridsmith-compiler",
                fs::copy_options::overwrite_existing);
  test::write(shell.folder() / "kernel.cu",
              "// gr\xF6\xDF"
              "er\n#if X == 3\n#error gr\xF6\xDF"
              "er\n#endif\nextern \"C\" __global__ void k(float* out) "
              "{ out[threadIdx.x] = X; }\n");
  REQUIRE(
      shell.run("$G tune $K --no-cache --exhaustive --store ref.db --json --t4 a.t4 --record a.rec "
                "--csv a.csv > a.json") == 0);
  const std::string replaced = "gr\xEF\xBF\xBD\xEF\xBF\xBD"
                               "er";
  for (const std::string name : {"a.t4", "a.rec", "a.csv"}) {
    INFO(name);
    CHECK_THAT(shell.file(name), contains_text(replaced));
    CHECK(count(shell.file(name), "\xF6") == 0);
  }
  CHECK(nlohmann::json::parse(shell.file("a.json"))["status"]["compile"] == 1);
  for (const std::string format : {"t4", "csv", "recording", "header"})
    CHECK(shell.run("$G export " + format + " ref.db") == 0);
}

TEST_CASE("a recording that unpacks without end is refused in one line",
          "[.][needs:no-address-sanitizer]") {
  const Shell shell;
  REQUIRE(shell.run("head -c 300000000 /dev/zero | gzip -1 > bomb.json.gz; "
                    "ulimit -v 1500000; $G simulate bomb.json.gz") == 2);
  CHECK(count(shell.err(), "\n") == 1);
  CHECK_THAT(shell.err(), contains_text("holds more than 256 MiB"));
}

TEST_CASE(
    "the summary says where the results are and what to type next, which works as it stands") {
  const Shell shell;
  const std::string tune = "$G tune kernel.json --no-cache --compilers 1 --exhaustive ";
  for (const std::string store : {"mine.db", "'my store.db'"}) {
    REQUIRE(shell.run(tune + "--store " + store) == 0);
    const std::string said = shell.out();
    CHECK_THAT(said, contains_text("\nStored in " + store + ".\nNext: gridsmith export header "));
    const std::string next = said.substr(said.find("Next: ") + 6);
    REQUIRE(shell.run("rm -f tuned.hpp; PATH=$PWD/bin:$PATH; " + next) == 0);
    CHECK_THAT(shell.file("tuned.hpp"), contains_text("#pragma once"));
  }
  for (const std::string name : {":memory:", "file:a.db"}) // which SQLite takes for others
    CHECK(shell.run(tune + "--quiet --store " + name + "; $G show " + name + " && test -f " +
                    name) == 0);
  REQUIRE(shell.run(tune + "--no-store --record r.json") == 0);
  CHECK_THAT(shell.out(), contains_text("\nNothing is stored.\n"));
  REQUIRE(shell.run("$G tune --recording r.json --store replayed.db") == 0);
  CHECK_THAT(shell.out(),
             contains_text("\nStored in replayed.db.\nNext: gridsmith export header "));
}

TEST_CASE("one is told as one") {
  const Shell shell;
  test::write_kernel(shell.folder(), "single", 1);
  REQUIRE(shell.run("$G tune single.json --no-store --no-cache --compilers 1") == 0);
  CHECK_THAT(shell.out(), contains_text("Fake GPU: 1 configuration, strategy"));
  CHECK_THAT(shell.out(), contains_text("Tried 1 of 1 configuration in "));
}

TEST_CASE("verbose tells of each configuration, failures with their reason") {
  const Shell shell;
  test::write_kernel(shell.folder(), "some", 3, "RUN", R"(["fine", "wrong"])");
  REQUIRE(shell.run(
              "$G tune some.json --no-store --no-cache --compilers 1 --exhaustive --verbose") == 0);
  CHECK(count(shell.err(), "\n") == 6);
  CHECK(count(shell.err(), " ms  X=") == 3);
  CHECK(count(shell.err(), "/6  correctness  X=") == 3);
  CHECK(count(shell.err(), ": element 17 of 'out' is 0.5, expected 1.25\n") == 3);
}

TEST_CASE("what somebody would miss is not replaced, by whatever name") {
  const Shell shell;
  REQUIRE(shell.run(make_store +
                    "; $G $T --quiet --record r.json; "
                    "ln -s ref.db link.db; ln ref.db hard.csv; ln -s kernel.cu c.txt; "
                    "printf 'a\\0b' > data.bin; printf '[1]' > new.json; echo 'project(x)' > "
                    "CMakeLists.txt") == 0);
  const std::vector<std::string> kept{"ref.db", "kernel.json", "kernel.cu",
                                      "r.json", "data.bin",    "CMakeLists.txt"};
  std::vector<std::string> before(kept.size());
  std::ranges::transform(kept, before.begin(),
                         [&](const std::string& name) { return shell.file(name); });
  for (const std::string name : {"ref.db", "link.db", "hard.csv", "./kernel.json", "kernel.cu",
                                 "c.txt", "r.json", "data.bin", "CMakeLists.txt"})
    for (const std::string command :
         {"$G export csv ref.db -o ", "$G report ref.db -o ", "$G $T --csv ", "$G $T --trace ",
          "$G $T --write header=", "$G simulate r.json --csv "}) {
      INFO(command << name);
      CHECK(shell.run(command + name) == 2);
      CHECK(count(shell.err(), "\n") == 1);
      CHECK_THAT(shell.err(), contains_text("choose another name"));
      CHECK(shell.out().empty());
    }
  for (std::size_t i = 0; i < kept.size(); ++i)
    CHECK(shell.file(kept[i]) == before[i]);
}

TEST_CASE("what another program wrote is kept, whatever it looks like") {
  const Shell shell;
  REQUIRE(shell.run(make_store) == 0);
  for (const std::string& format : export_formats() | std::views::transform(&FormatEntry::name))
    for (const std::string text : {"{\"name\": \"mine\"}", "a,b\n1,2", "# Notes", "alias g=git",
                                   "// Licence", "kernel: mine"}) {
      INFO(format << ": " << text);
      test::write(shell.folder() / "own", text);
      CHECK(shell.run("$G export " + format + " ref.db -o own") == 2);
      CHECK_THAT(shell.err(), contains_text("own: is "));
      CHECK(shell.file("own") == text);
    }
}

TEST_CASE("what Gridsmith wrote is written again in the same format alone") {
  const Shell shell;
  REQUIRE(shell.run(make_store) == 0);
  for (const std::string& format : export_formats() | std::views::transform(&FormatEntry::name)) {
    const std::string command = "$G export " + format + " ref.db -o out." +
                                (format == "header" || format == "macros" ? "hpp" : "txt");
    INFO(command);
    CHECK(shell.run("rm -f out.*; " + command) == 0);
    CHECK(shell.run(command) == 0);
    CHECK(shell.err().empty() == false);
  }
  REQUIRE(shell.run("$G export header ref.db -o tuned.hpp") == 0);
  CHECK(shell.run("$G export header ref.db --previous tuned.hpp -o tuned.hpp") == 0);
  CHECK(shell.run("$G export t4 ref.db -o tuned.hpp") == 2);
  CHECK_THAT(shell.err(), contains_text("is a header, which is not replaced"));
  CHECK(shell.run("echo 'my notes' > notes.txt; $G export header ref.db -o notes.txt") == 2);
  CHECK(shell.file("notes.txt") == "my notes\n");
}

TEST_CASE("what is written is told with its size") {
  const Shell shell;
  REQUIRE(shell.run(make_store + "; $G export csv ref.db -o a.csv") == 0);
  CHECK_THAT(shell.err(), contains_text("Wrote a.csv (") && contains_text("B)\n"));
  CHECK(shell.run("$G export csv ref.db") == 0);
  CHECK(count(shell.err(), "Wrote") == 0);
  REQUIRE(shell.run("$G $T --csv b.csv --t4 b.t4") == 0);
  CHECK(count(shell.err(), "Wrote b.csv (") == 1);
  CHECK(count(shell.err(), "Wrote b.t4 (") == 1);
}

TEST_CASE("quiet is quiet") {
  const Shell shell;
  REQUIRE(shell.run("$G $T --quiet --csv a.csv") == 0);
  CHECK((shell.out() + shell.err()).empty());
  CHECK(count(shell.file("a.csv"), "\n") == 41);
  REQUIRE(shell.run("$G $T --quiet --json") == 0);
  CHECK(nlohmann::json::parse(shell.out())["best"]["configuration"]["X"] == 7);
  REQUIRE(shell.run("$G $T --quiet --write csv=-") == 0);
  CHECK(count(shell.out(), "\n") == 41);
  CHECK(shell.run("$G $T --quiet --verbose") == 2);
}

TEST_CASE("what comes from a replay says so, in every file") {
  const Shell shell;
  REQUIRE(shell.run("$G $T --quiet --record r.json --json > measured.json") == 0);
  CHECK(nlohmann::json::parse(shell.file("measured.json"))["replayed"] == false);
  REQUIRE(shell.run("$G tune --recording r.json --store s.db --json --write header=h.hpp > "
                    "answer.json") == 0);
  CHECK(nlohmann::json::parse(shell.file("answer.json"))["replayed"] == true);
  CHECK(count(shell.file("h.hpp"), "\n// Replayed from recordings: ") == 1);
  REQUIRE(shell.run("$G export header s.db") == 0);
  CHECK(count(shell.out(), "\n// Replayed from recordings: ") == 1);
  REQUIRE(shell.run("$G report s.db --json") == 0);
  const auto set = nlohmann::json::parse(shell.out())["sets"][0];
  CHECK(set["replayed"] == true);
  CHECK(set["answer"]["sentences"][0].get<std::string>().starts_with("Replayed: "));
  REQUIRE(shell.run("$G tune --recording r.json --no-store --quiet") == 0);
  CHECK(shell.out().empty());
  CHECK_THAT(shell.err(), contains_text("replaying the recording"));
  CHECK(count(shell.err(), "ignores") == 0);
  REQUIRE(shell.run("$G tune --recording r.json --no-store --quiet --regime warm --samples 9") ==
          0);
  CHECK_THAT(shell.err(),
             contains_text("this is a replay, which ignores the regime, how samples are taken"));
}

TEST_CASE("without a GPU what is shipped is checked by replays only where that is asked for") {
  const Shell shell;
  REQUIRE(shell.run("rm libexec/gridsmith/gridsmith-worker; $G tune transpose --size 4096x4096 "
                    "--store s.db --quiet && $G export header s.db -o h.hpp") == 0);
  CHECK(shell.run("$G retune h.hpp --summary pr.md") == 3);
  CHECK_THAT(shell.err(), contains_text("--replay replays recordings"));
  CHECK_FALSE(fs::exists(shell.folder() / "pr.md"));
  REQUIRE(shell.run("$G retune h.hpp --replay --summary pr.md") == 0);
  CHECK(shell.file("pr.md").starts_with("# Replayed, NVIDIA H200: "));
  CHECK_THAT(shell.file("pr.md"), contains_text("nothing ran on a GPU"));
  CHECK(count(shell.file("pr.md"), "measured") == 0);
  REQUIRE(shell.run("$G retune h.hpp --replay --json") == 0);
  CHECK(nlohmann::json::parse(shell.out())["replayed"] == true);
}

TEST_CASE("a result that cannot be stored is a failure, whatever the store's name") {
  const Shell shell;
  REQUIRE(shell.run("$G $T --quiet --record r.json; mkdir gridsmith.db") == 0);
  for (const std::string store : {"", " --store gridsmith.db", " --store no/such/folder/s.db"}) {
    INFO(store);
    CHECK(shell.run("$G tune --recording r.json" + store) == 1);
    CHECK_THAT(shell.out(), contains_text("Nothing is stored."));
    CHECK_THAT(shell.err(), contains_text("nothing is stored in "));
  }
}

TEST_CASE("every command that is interrupted ends with a word") {
  const Shell shell;
  // Blanks that take a second or more to read.
  REQUIRE(shell.run("$G $T --quiet --record r.json && (head -c 240M /dev/zero | tr '\\0' ' '; cat "
                    "r.json) | gzip -1 > slow.gz") == 0);
  const std::string seconds = sanitized() ? "2" : "0.2"; // started by then, and still reading
  for (const std::string command :
       {"import slow.gz --store new.db", "report slow.gz --json", "export csv slow.gz -o new.csv",
        "show slow.gz", "diff slow.gz slow.gz"}) {
    INFO(command);
    CHECK(shell.run("timeout --preserve-status --foreground -s INT " + seconds + " $G " +
                    command) == 130);
    CHECK_THAT(shell.err(), contains_text("gridsmith: interrupted"));
    CHECK_FALSE(fs::exists(shell.folder() / "new.db"));
    CHECK_FALSE(fs::exists(shell.folder() / "new.csv"));
  }
}

} // namespace output_test
