// SPDX-License-Identifier: Apache-2.0
// The command line itself, as people and their shells use it: pages, errors, completion, manual.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/program.hpp"
#include "gridsmith/tuner/presentation/terminal.hpp"

#include <algorithm>
#include <sstream>

namespace commandline_test {

using namespace gridsmith;

namespace {

/// A shell with the built gridsmith first in its PATH.
class Shell {
public:
  explicit Shell(const char* shell = "/bin/bash") : shell_(shell) {}

  int run(const std::string& script) const {
    return shell_.run({"-c", "PATH='" +
                                 std::filesystem::path(GRIDSMITH_PROGRAM).parent_path().string() +
                                 "':$PATH; cd '" + shell_.folder().string() + "'; " + script});
  }

  std::string out() const { return shell_.out(); }

  std::string err() const { return shell_.err(); }

  const std::filesystem::path& folder() const { return shell_.folder(); }

private:
  test::Program shell_;
};

std::string bash() {
  return std::filesystem::exists("/bin/bash") ? "/bin/bash" : "/usr/bin/bash";
}

std::size_t count(const std::string& text, char what) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), what));
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;)
    words.push_back(word);
  return words;
}

/// What bash offers for the last of these words.
std::string completed(const Shell& shell, const std::string& words) {
  REQUIRE(shell.run("source <(gridsmith completion bash); COMP_WORDS=(" + words +
                    "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _gridsmith; "
                    "echo \"${COMPREPLY[@]}\"") == 0);
  return shell.out();
}

} // namespace

TEST_CASE("without words the commands are shown") {
  const Shell shell;
  CHECK(shell.run("gridsmith") == 2);
  CHECK(shell.err().empty());
  const std::string page = shell.out();
  for (const char* command : {"tune", "simulate", "export", "completion", "man", "help"})
    CHECK_THAT(page, contains_text("\n  " + std::string(command) + "  "));
  CHECK(shell.run("gridsmith help") == 0);
  CHECK(shell.out() == page);
  CHECK(shell.run("gridsmith --help") == 0);
  CHECK(shell.out() == page);
  CHECK(shell.run("gridsmith help tune") == 0);
  const std::string tune = shell.out();
  CHECK(shell.run("gridsmith tune -h") == 0);
  CHECK(shell.out() == tune);
}

TEST_CASE("every command's page fits 80 columns and has an example") {
  const Shell shell;
  const std::vector<std::string> commands = words_of(completed(shell, "gridsmith ''"));
  CHECK(commands.size() >= 12);
  for (const std::string& command : commands) {
    INFO(command);
    REQUIRE(shell.run("gridsmith " + command + " --help") == 0);
    CHECK(widest_line(shell.out()) <= 80);
    CHECK_THAT(shell.out(), contains_text("Usage: gridsmith " + command));
    CHECK_THAT(shell.out(), contains_text("\nExample:\n  "));
  }
}

TEST_CASE("the version says what it was built from and with") {
  const Shell shell;
  REQUIRE(shell.run("gridsmith --version") == 0);
  const std::string said = shell.out();
  CHECK(said.starts_with("gridsmith 0."));
  CHECK_THAT(said, contains_text("\ncompiler  "));
  CHECK_THAT(said, contains_text("\ntoolkit   "));
  for (const char* same : {"version", "-V"}) {
    REQUIRE(shell.run(std::string("gridsmith ") + same) == 0);
    CHECK(shell.out() == said);
  }
}

TEST_CASE("wrong words are one line that names the valid ones") {
  const Shell shell;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"tnue", "unknown command 'tnue'; did you mean 'tune'? (valid: tune, "},
      {"help tnue", "unknown command 'tnue'; did you mean 'tune'?"},
      {"transpose tune", "the command comes first; did you mean 'gridsmith tune transpose'?"},
      {"tnue check", "unknown command 'tnue'; did you mean 'tune'?"},
      {"--size 8x8 tune transpose",
       "'--size': options come after the command: 'gridsmith tune --size"},
      {"baseline", "gridsmith baseline needs a command: save, accept, show; usage: "},
      {"baseline --baseline b.json", "gridsmith baseline needs a command: save, accept, show"},
      {"baseline --baseline b.json save",
       "options come after the command: 'gridsmith baseline save"},
      {"baseline svae",
       "unknown command of 'gridsmith baseline' 'svae'; did you mean 'save'? (valid: save"},
      {"help baseline svae", "unknown command 'svae'; did you mean 'save'?"},
      {"help tune save", "'gridsmith tune' has no commands of its own, so no 'save'"},
      {"tune help",
       "'help' is no option; 'gridsmith tune --help' shows the page of tune; 'gridsmith "
       "tune -- help' takes it for KERNEL"},
      {"devices help", "'gridsmith devices --help' shows the page of devices"},
      {"tune transpose -size 8",
       "unknown option '-size' of 'gridsmith tune'; did you mean '--size'? "
       "('gridsmith tune --help' lists all)"},
      {"tune transpose -q",
       "unknown option '-q' of 'gridsmith tune' ('gridsmith tune --help' lists"},
      {"tune transpose —size 8", "'—size' begins with a dash that is no hyphen; options "
                                 "begin with two hyphens: --size"},
      {"tune transpose -- --evaluations 5", "'--evaluations' is behind '--', where no word is"},
      {"export csv s.db -o=a.csv", "'-o=a.csv': the value of -o follows a blank, not '='"},
      {"-- x", "unknown option '--' of 'gridsmith'"},
      {"--tune x", "unknown option '--tune'; did you mean 'gridsmith tune'?"},
      {"--verison", "unknown option '--verison' of 'gridsmith'; did you mean '--version'?"},
      {"tune --evaluation 5 transpose", "of 'gridsmith tune'; did you mean '--evaluations'?"},
      {"kernels --q", "unknown option '--q' of 'gridsmith kernels' (valid: --help, -h"},
      {"tune a b", "'b' is one argument too many; usage: gridsmith tune [OPTIONS] [KERNEL]"},
      {"export", "FORMAT is missing: "},
      {"export cvs", "unknown format 'cvs'; did you mean 'csv'?"},
      {"simulate", "RECORDING… is missing: "},
      {"tune --evaluations", "--evaluations N has no value: Stop after so many"},
      {"tune transpose --strategy", "--strategy STRATEGY has no value: Search strategy"},
      {"tune --size --evaluations 9", "--size SIZE has no value ('--evaluations' is an option)"},
      {"tune transpose --csv --json", "--csv FILE has no value ('--json' is an option)"},
      {"tune transpose --csv --jsn",
       "--csv FILE has no value ('--jsn' looks like an option; if it is "
       "the value: --csv=--jsn)"},
      {"tune --csv -- transpose", "--csv FILE has no value ('--' ends the options)"},
      {"tune --size= transpose", "--size has an empty value"},
      {"tune --watch ''", "--watch has an empty value"},
      {"tune --all ''", "--all has an empty value"},
      {"tune --all --from a.db ''", "--from has an empty value"},
      {"export csv s.db -o ''", "-o has an empty value"},
      {"export csv s.db ''", "SOURCE"},
      {"tune -- ''", "KERNEL is empty: "},
      {"simulate x --evaluations 25,,50", "--evaluations: '25,,50' has an empty element"},
      {"simulate x --evaluations=25,", "--evaluations: '25,' has an empty element"},
      {"baseline save x --arch 9.0x", "--arch: '9.0x' is not of the form 90, 9.0 or sm_90"},
      {"occupancy --capability 9.x", "--capability: '9.x' is not of the form 9.0"},
      {"tune transpose --size all", "--size is one size; '--sizes all' is all of the definition's"},
      {"tune transpose --sizes .", "sizes '.': is a folder; expected a file with a size a line"},
      {"tune transpose --no-store --store a.db", "give --store or --no-store, not both"},
      {"retune h.hpp --no-store --store a.db", "give --store or --no-store, not both"},
      {"devices --no-store --store a.db", "give --store or --no-store, not both"},
      {"tune --size 1 --size 2", "--size is given 2 times; it takes one value"},
      {"tune --json=3 transpose", "--json takes no value"},
      {"tune --json= transpose", "--json takes no value"},
      {"tune --strategy grredy", "unknown strategy 'grredy'; did you mean 'greedy'?"},
      {"tune --counters al", "unknown counter 'al'"},
      {"completion csh",
       "gridsmith: unknown shell 'csh'; did you mean 'zsh'? (valid: bash, zsh, fish)"},
      {"tune --samples 99999999999", "'99999999999' is not a whole number from 1 to 1000000"},
      {"tune --evaluations -5", "--evaluations: '-5' is not a whole number from 1 on"},
      {"tune --seconds -1", "'-1' is not a number above 0"},
      {"tune --compile-timeout soon",
       "--compile-timeout: 'soon' is no time; auto, none, or seconds"},
      {"tune --compile-timeout 0", "--compile-timeout: '0' is no time"},
      {"simulate x --compile-ms 5", "--compilers"},
      {"tune --seconds inf", "'inf' is not a number above 0"},
      {"tune --interval nan", "'nan' is not a number above 0, at most 100"},
      {"tune --gpu -1", "'-1' is not a whole number from 0 to 1023"},
      {"simulate x --evaluations -5", "'-5' is not a whole number from 1 to 1000000"},
      {"simulate x --evaluations 5,abc", "'abc' is not a whole number"},
      {"simulate x --evaluations 99999999999", "is not a whole number from 1 to 1000000"},
      {"simulate x --threads -1", "'-1' is not a whole number from 1 to 1024"},
      {"simulate x --seed -1", "'-1' is not a whole number from 0 on"},
      {"occupancy --block -1", "'-1' is not a whole number from 1 to 1024"},
      {"occupancy --registers 999", "'999' is not a whole number from 1 to 255"},
      {"occupancy --shared -1", "'-1' is not a whole number from 0"},
      {"space transpose --sample -3", "'-3' is not a whole number from 1 on"}};
  for (const auto& [words, line] : cases) {
    INFO(words);
    CHECK(shell.run("gridsmith " + words) == 2);
    CHECK(shell.out().empty());
    CHECK(count(shell.err(), '\n') == 1);
    CHECK_THAT(shell.err(), contains_text(line));
  }
}

/// Every option that takes a value, as the completion script has them, with an empty one.
TEST_CASE(
    "what is no option's value is one with an equals sign, and a page is shown below another") {
  const Shell shell;
  CHECK(shell.run("gridsmith tune transpose --evaluations 2 --no-store --csv=--json") == 0);
  CHECK(std::filesystem::exists(shell.folder() / "--json"));
  CHECK(shell.run("gridsmith help baseline save") == 0);
  const std::string page = shell.out();
  CHECK(shell.run("gridsmith baseline save --help") == 0);
  CHECK(shell.out() == page);
  CHECK(shell.run("gridsmith tune --bogus --help") == 0);
}

TEST_CASE("a pipe, and what is no recording, are told as that") {
  const Shell shell;
  REQUIRE(shell.run("mkfifo fifo; echo Meine Notizen > text.txt") == 0);
  for (const char* words :
       {"show fifo", "check-definition fifo", "tune fifo", "tune transpose --recording fifo",
        "export csv fifo", "import fifo", "retune fifo", "diff fifo fifo", "explain fifo",
        "simulate fifo", "check --baseline fifo", "baseline show --baseline fifo"}) {
    INFO(words);
    CHECK(shell.run("timeout 10 gridsmith " + std::string(words)) == 2);
    CHECK(shell.err() == "gridsmith: fifo: is a pipe; give a file\n");
  }
  CHECK(shell.run("gridsmith show <(echo '{}')") == 2);
  CHECK_THAT(shell.err(), contains_text(": is a pipe; give a file\n"));
  CHECK(shell.run("gridsmith tune transpose --recording text.txt") == 2);
  CHECK_THAT(shell.err(), contains_text("text.txt:1:1: expected a recording: one of"));
}

TEST_CASE("a library's text of a file that cannot be looked at does not reach people") {
  const Shell shell;
  const std::string name(5000, 'a');
  for (const std::string& words :
       {"show " + name, "tune transpose --store " + name, "merge x.db --into " + name,
        "tune ./" + name, "tune transpose --sizes " + name, "inspect " + name,
        "check --baseline " + name, "import x.json --store " + name,
        "tune transpose --include " + name, "plot roofline " + name + " -o a.svg",
        "init k --folder " + name, "tune --all " + name}) {
    INFO(words.substr(0, 30));
    CHECK(shell.run("gridsmith " + words) != 0);
    CHECK(shell.err().find("filesystem error") == std::string::npos);
  }
  CHECK(shell.run("mkdir gone; cd gone; rmdir ../gone; gridsmith tune transpose --evaluations 2") !=
        127);
  CHECK(shell.err().find("filesystem error") == std::string::npos);
}

TEST_CASE("a simulation that no memory could hold is refused") {
  const Shell shell;
  const std::string recording =
      GRIDSMITH_SOURCE_DIR "/kernels/catalogue/transpose/recordings/8192x8192__h200.json.gz";
  CHECK(shell.run("gridsmith simulate " + recording + " --runs 100000 --evaluations 1000000") == 2);
  CHECK_THAT(shell.err(), contains_text("is too large; at most 1000000 evaluations"));
}

TEST_CASE("an interrupted simulation shows what it has") {
  const Shell shell;
  const std::string recording =
      GRIDSMITH_SOURCE_DIR "/kernels/catalogue/transpose/recordings/8192x8192__h200.json.gz";
  const auto interrupted = [&](const std::string& strategies) {
    return shell.run("gridsmith simulate " + recording + " --threads 1 --runs 100000 --strategy " +
                     strategies +
                     " --evaluations 50 --csv out.csv & sleep 1.5; kill -INT $!; wait $!");
  };
  CHECK(interrupted("bayesian") == 130);
  CHECK_THAT(shell.err(), contains_text("interrupted: only complete simulations"));
  CHECK_THAT(shell.out(), contains_text("random (exact)"));
  CHECK(shell.out().find("bayesian") == std::string::npos);
  CHECK_THAT(test::read_file(shell.folder() / "out.csv"), contains_text("random (exact)"));
}

TEST_CASE("bash completes commands, options, their words, kernels and formats") {
  const Shell shell(bash().c_str());
  CHECK(completed(shell, "gridsmith tu") == "tune\n");
  CHECK(completed(shell, "gridsmith tune --str") == "--strategy\n");
  CHECK(completed(shell, "gridsmith tune --strategy gr") == "greedy\n");
  CHECK(completed(shell, "gridsmith tune vecto") == "vector_add\n");
  CHECK(completed(shell, "gridsmith tune --store tr") == "\n"); // left to file names
  CHECK(completed(shell, "gridsmith export h") == "header\n");
  CHECK(completed(shell, "gridsmith --ver") == "--version\n");
  CHECK(completed(shell, "gridsmith export header ma") == "\n"); // files again
  CHECK(completed(shell, "gridsmith export --stale er") == "error\n");
  CHECK(completed(shell, "gridsmith export --stale error he") == "header\n");
  CHECK(completed(shell, "gridsmith tune --counters sh") == "shared\n");
  CHECK(completed(shell, "gridsmith tune --write t4") == "t4=\n");
  CHECK(completed(shell, "gridsmith check --report sar") == "sarif=\n");
  CHECK(completed(shell, "gridsmith baseline acc") == "accept\n");
  CHECK(completed(shell, "gridsmith baseline save --with") == "--with-cubins\n");
  CHECK(completed(shell, "gridsmith explain vecto") == "vector_add\n");
  CHECK(completed(shell, "gridsmith help check-d") == "check-definition\n");
  CHECK(completed(shell, "gridsmith show --kernel vecto") == "vector_add\n");
  CHECK(completed(shell, "gridsmith baseline save vecto") == "vector_add\n");
  CHECK(completed(shell, "gridsmith baseline show vecto") == "\n");  // files
  CHECK(completed(shell, "gridsmith baseline show --with") == "\n"); // of 'save'
  CHECK(completed(shell, "gridsmith baseline save --with") == "--with-cubins\n");
  CHECK(completed(shell, "gridsmith help baseline ''") == "save accept show\n");
  CHECK(completed(shell, "gridsmith help tune ''") == "\n");
  CHECK(completed(shell, "gridsmith retune --counters fu") == "full\n");
  CHECK(completed(shell, "gridsmith tune --devices a") == "all\n");
  CHECK(completed(shell, "gridsmith tune --compile-timeout n") == "none\n");
  CHECK(completed(shell, "gridsmith run --print-command nc") == "ncu\n");
}

TEST_CASE("the scripts of all three shells offer the values of options and arguments") {
  const Shell shell(bash().c_str());
  const auto script = [&](const std::string& name) {
    REQUIRE(shell.run("gridsmith completion " + name) == 0);
    return shell.out();
  };
  const std::string zsh = script("zsh"), fish = script("fish");
  const std::pair<const char*, const char*> offered[] = {
      {"counters", "none default shared full"},  {"counters", "none explain exact"},
      {"strategy", "default exhaustive random"}, {"stale", "ignore warning error"},
      {"write", "recording= t4= kernel-tuner="}, {"report", "json= junit= sarif="},
      {"kernel", "gridsmith kernels"},           {"devices", "all"},
      {"compile-timeout", "auto none"},          {"print-command", "ncu nsys nvprof"}};
  for (const auto& [option, words] : offered) {
    INFO(option << " " << words);
    const std::string begin = "*--" + std::string(option) + "[", list(words);
    const std::string in_zsh = list == "gridsmith kernels" ? ":_gridsmith_kernels" : ":(" + list;
    bool found_zsh = false, found_fish = false;
    std::istringstream lines(zsh), rows(fish);
    for (std::string line; std::getline(lines, line);)
      found_zsh = found_zsh || (line.find(begin) != line.npos && line.find(in_zsh) != line.npos);
    for (std::string line; std::getline(rows, line);)
      found_fish = found_fish || (line.find(" -l " + std::string(option) + " ") != line.npos &&
                                  line.find(list, line.find(" -x -a ")) != line.npos);
    CHECK(found_zsh);
    CHECK(found_fish);
  }
  CHECK_THAT(zsh, contains_text("'1:COMMAND:(save accept show)'") &&
                      contains_text("'*:KERNEL:_gridsmith_kernels'"));
  CHECK_THAT(fish, contains_text("__fish_seen_subcommand_from explain' -a '(gridsmith kernels") &&
                       contains_text("from baseline; and __fish_seen_subcommand_from save' -a '("));
}

TEST_CASE("the names of values say what is meant, and pages list the words of a choice") {
  const Shell shell(bash().c_str());
  for (const std::string& command : words_of(completed(shell, "gridsmith ''"))) {
    INFO(command);
    REQUIRE(shell.run("gridsmith help " + command) == 0);
    for (const char* vague : {" WORD", " TEXT", " LIST", " STRING", " INT", " FLOAT", " VALUE"})
      CHECK(shell.out().find(vague) == std::string::npos);
  }
}

TEST_CASE("zsh takes its completion", "[.][needs:zsh]") {
  const Shell shell;
  CHECK(shell.run("gridsmith completion zsh > _gridsmith && zsh -n _gridsmith && zsh -fc '"
                  "fpath=($PWD $fpath); autoload -U compinit; compinit -D -u; "
                  "print $_comps[gridsmith]; source ./_gridsmith; whence -w _gridsmith'") == 0);
  CHECK(shell.out() == "_gridsmith\n_gridsmith: function\n");
  CHECK(shell.err().empty());
}

TEST_CASE("fish completes commands and words", "[.][needs:fish]") {
  const Shell shell;
  const auto offered = [&](const std::string& line) {
    REQUIRE(shell.run("gridsmith completion fish > g.fish; HOME=$PWD fish --no-config -c 'source "
                      "g.fish; complete -C \"" +
                      line + "\"'") == 0);
    return shell.out();
  };
  CHECK_THAT(offered("gridsmith tu"), contains_text("tune\t"));
  CHECK_THAT(offered("gridsmith tune --strategy gr"), contains_text("greedy"));
  CHECK_THAT(offered("gridsmith tune transpo"), contains_text("transpose_bench"));
  CHECK_THAT(offered("gridsmith show --kernel transpo"), contains_text("transpose_bench"));
  CHECK_THAT(offered("gridsmith baseline acc"), contains_text("accept"));
}

TEST_CASE("the manual has every command and option, and roff has nothing to say of it",
          "[.][needs:groff]") {
  const Shell shell;
  REQUIRE(shell.run("gridsmith man > g.1; groff -man -ww -Tutf8 -P-cbou g.1") == 0);
  CHECK(shell.err().empty());
  const std::string page = shell.out();
  for (const char* part : {"GRIDSMITH(1)", "gridsmith tune [OPTIONS] [KERNEL]", "--evaluations N",
                           "--write FORMAT=FILE", "gridsmith simulate", "NO_COLOR", "130"})
    CHECK_THAT(page, contains_text(part));
}

} // namespace commandline_test
