// SPDX-License-Identifier: Apache-2.0
// Regression checks as people run them: on fakes of the GPU's programs, whose kernels take longer by as
// many percent as their option SLOWER says; baselines saved, accepted, killed on the way and damaged;
// revisions and bisection in real git repositories.
#include "gridsmith/results/check/baseline.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_script.hpp"
#include "gridsmith/tests/cpu/tuner/program.hpp"
#include "gridsmith/tuner/guard/bisect.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <thread>

namespace guard_test {

using namespace gridsmith;
namespace fs = std::filesystem;

namespace {

/// A folder with gridsmith ($G), a kernel k.json of one configuration worth naming, and a cache of its
/// own.
class House {
public:
  House() {
    test::install_with_fakes(shell_.folder());
    slower_by(0);
  }

  const fs::path& folder() const { return shell_.folder(); }

  /// The kernel, and others, as they are now.
  void slower_by(int percent, const std::string& name = "k") const {
    test::write_kernel(folder(), name, 3, "HOW", R"("['fine']")");
    std::string text = test::read_file(folder() / (name + ".json"));
    const std::string place = "\"Language\": \"CUDA\",";
    text.replace(text.find(place), place.size(),
                 place + R"( "CompilerOptions": ["-DSLOWER=)" + std::to_string(percent) + R"("],)");
    test::write(folder() / (name + ".json"), text);
  }

  int run(const std::string& script) const {
    return shell_.run(
        {"-c", "cd '" + folder().string() +
                   "'; export XDG_CACHE_HOME=$PWD/cache "
                   "GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null; "
                   "G=bin/gridsmith; S='baseline save --configuration X=1,HOW=fine'; " +
                   script});
  }

  int git(const std::string& words) const {
    return run("git -c user.name=a -c user.email=a@b " + words);
  }

  pid_t start(const std::string& script, const std::string& before = "") const {
    return shell_.start({"-c", "cd '" + folder().string() +
                                   "'; export XDG_CACHE_HOME=$PWD/cache; " + before +
                                   "exec bin/gridsmith " + script});
  }

  std::string out() const { return shell_.out(); }

  std::string err() const { return shell_.err(); }

private:
  test::Program shell_{"/bin/sh"};
};

std::vector<std::size_t> bisected(std::vector<CheckVerdict> verdicts) {
  return bisect(verdicts.size(), [&](std::size_t number) { return verdicts[number]; });
}

} // namespace

TEST_CASE("what is unchanged is the same, what is slower fails, what is faster does not") {
  const House house;
  REQUIRE(house.run("$G $S k.json --with-cubins") == 0);
  CHECK_THAT(house.out(), contains_text("k 32 sm_90 (X=1 HOW=fine)"));
  REQUIRE(house.run("$G check --json --store checks.db") == 0);
  auto json = nlohmann::json::parse(house.out());
  CHECK(json.at("gate") == "green");
  CHECK(json.at("kernels").at(0).at("verdict") == "same");
  CHECK(json.at("kernels").at(0).at("time").at("processes") == 2);
  CHECK(json.at("kernels").at(0).at("line") == 1);

  house.slower_by(5);
  REQUIRE(house.run("$G check --report junit=j.xml --report sarif=s.json --report github=- "
                    "--store checks.db") == 1);
  CHECK_THAT(house.out(), contains_text("::error file=k.cu,line=1,title=k 32 slower"));
  CHECK_THAT(test::read_file(house.folder() / "j.xml"), contains_text("type=\"slower\""));
  CHECK_THAT(test::read_file(house.folder() / "s.json"), contains_text("\"ruleId\": \"slower\""));
  CHECK(house.run("$G check --effect 10") == 0);
  CHECK_THAT(house.out(), contains_text("green: 1 same of 1 kernel"));

  house.slower_by(-10);
  CHECK(house.run("$G check --json --store checks.db") == 0);
  CHECK(nlohmann::json::parse(house.out()).at("kernels").at(0).at("verdict") == "faster");

  REQUIRE(house.run("$G history checks.db") == 0);
  CHECK_THAT(house.out(), contains_text("k 32 on Fake GPU: 3 checks"));
  REQUIRE(house.run("$G history checks.db --json") == 0);
  CHECK(nlohmann::json::parse(house.out()).at(0).at("checks").at(1).at("verdict") == "slower");
}

TEST_CASE("a baseline that was tuned by its energy is metered in turn with the old binary") {
  const House house;
  const auto uses = [](int slower, double mj) {
    return nlohmann::json{{"with", "-DSLOWER=" + std::to_string(slower)},
                          {"counters", {{"nvml__launch_energy.mj", mj}}}};
  };
  test::script(house.folder(), {{"counts", true}, {"launches", {uses(0, 10), uses(1, 12)}}});
  REQUIRE(house.run("$G tune k.json --exhaustive --objective energy_mj") == 0);
  REQUIRE(house.run("$G baseline save k.json --with-cubins") == 0);
  CHECK_THAT(test::read_file(house.folder() / "gridsmith-baseline.json"),
             contains_text("\"objective\": \"energy_mj\""));
  house.slower_by(1);
  REQUIRE(house.run("$G check") == 1);
  CHECK_THAT(test::unwrapped(house.out()),
             contains_text("tuned by energy_mj: 10 mJ before, 12 now, 20.0 % worse"));
  fs::remove_all(house.folder() / "gridsmith-baseline.cubins");
  CHECK(house.run("rm -rf cache; $G check") == 0);
  CHECK_THAT(test::unwrapped(house.out()),
             contains_text("tuned by energy_mj, which is not judged: energy is measured in turn "
                           "with an old binary alone"));
}

TEST_CASE("a baseline that was tuned by another objective than the time is guarded by it") {
  const House house;
  const auto moves = [](int slower, double bytes) {
    return nlohmann::json{
        {"with", "-DSLOWER=" + std::to_string(slower)},
        {"counters", {{"dram__bytes_read.sum", bytes}, {"dram__bytes_write.sum", 0}}}};
  };
  test::script(house.folder(),
               {{"counts", true}, {"launches", {moves(0, 1000), moves(1, 1200), moves(-1, 900)}}});
  REQUIRE(house.run("$G tune k.json --exhaustive --objective dram_traffic") == 0);
  REQUIRE(house.run("$G baseline save k.json --with-cubins") == 0);
  CHECK_THAT(test::read_file(house.folder() / "gridsmith-baseline.json"),
             contains_text("\"objective\": \"dram_traffic\""));
  CHECK(house.run("$G check --identical-too") == 0);
  CHECK_THAT(house.out(), contains_text("tuned by dram_traffic: 1000 bytes before, 1000 now\n"));

  house.slower_by(1); // no more than scatters
  REQUIRE(house.run("$G check --report github=-") == 1);
  CHECK_THAT(house.out(), contains_text("::error file=k.cu,line=1,title=k 32 worse"));
  REQUIRE(house.run("$G check") == 1);
  CHECK_THAT(house.out(), contains_text("red: 1 worse of 1 kernel (k 32, dram_traffic)"));
  CHECK_THAT(test::unwrapped(house.out()),
             contains_text("tuned by dram_traffic: 1000 bytes before, 1200 now, 20.0 % worse"));
  REQUIRE(house.run("$G check --json") == 1);
  const auto guarded = nlohmann::json::parse(house.out()).at("kernels").at(0).at("objective");
  CHECK(guarded.at("name") == "dram_traffic");
  CHECK(guarded.at("unit") == "bytes");
  CHECK(guarded.at("old") == 1000);
  CHECK(guarded.at("new") == 1200);
  CHECK(guarded.at("worse") == true);
  CHECK(guarded.at("not_judged_because").is_null());
  CHECK(house.run("$G check --effect 25") == 0);
  CHECK(house.run("$G check --counters none") == 0);
  CHECK_THAT(test::unwrapped(house.out()),
             contains_text("tuned by dram_traffic, which is not judged: no counters are read"));

  // Against what was recorded, and against a store.
  fs::remove_all(house.folder() / "gridsmith-baseline.cubins");
  CHECK(house.run("rm -rf cache; $G check") == 1);
  CHECK_THAT(house.out(), contains_text("worse (weaker)"));
  CHECK(house.run("$G check k.json --baseline gridsmith.db") == 1);
  house.slower_by(-1);
  CHECK(house.run("$G check k.json --baseline gridsmith.db") == 0);
  CHECK_THAT(test::unwrapped(house.out()), contains_text("900 now, 10.0 % better"));
  REQUIRE(house.run("$G tune k.json --exhaustive --store time.db") == 0);
  CHECK(house.run("$G check k.json --baseline time.db --json") == 0);
  CHECK(nlohmann::json::parse(house.out()).at("kernels").at(0).at("objective").is_null());
}

TEST_CASE("tune --all leaves a baseline that checks compare with") {
  const House house;
  for (const char* other : {"--report a.html", "--trace a.json", "--watch"}) {
    CHECK(house.run(std::string("$G tune --all k.json --no-store --evaluations 6 ") + other) == 2);
    CHECK_THAT(house.err(), contains_text(std::string(other).substr(0, 7)));
  }
  REQUIRE(house.run("$G tune --all k.json --into tuned --no-store --evaluations 6") == 0);
  const fs::path file = house.folder() / "tuned" / "fake_gpu.baseline.json";
  const Baseline left = read_baseline(file);
  REQUIRE(left.entries.size() == 1);
  CHECK(left.entries[0].definition == "../k.json");
  CHECK(left.entries[0].time->device == "Fake GPU");
  CHECK(left.entries[0].time->median_ms > 0);
  CHECK(left.entries[0].binary);
  CHECK(house.run("$G check --baseline tuned/fake_gpu.baseline.json") == 0);
  house.slower_by(20);
  CHECK(house.run("$G check --baseline tuned/fake_gpu.baseline.json") == 1);
  test::write(file, "{");
  CHECK(house.run("$G tune --all k.json --into tuned --no-store") ==
        2); // before anything is measured
}

TEST_CASE("what is named is accepted, and what differs is said") {
  const House house;
  house.slower_by(0, "other");
  REQUIRE(house.run("$G baseline save k.json other.json") == 0);
  const Baseline before = read_baseline(house.folder() / usual_baseline);
  REQUIRE(before.entries.size() == 2);
  house.slower_by(20);
  house.slower_by(20, "other");
  CHECK(house.run("$G check") == 1); // from the user's cache: no cubins beside
  CHECK_FALSE(fs::exists(house.folder() / "gridsmith-baseline.cubins"));
  REQUIRE(house.run("$G baseline accept k/32") == 0);
  CHECK_THAT(house.out(), contains_text("(+20.0 %)"));
  const Baseline after = read_baseline(house.folder() / usual_baseline);
  CHECK(after.entries[0].time->median_ms > 1.1 * before.entries[0].time->median_ms);
  CHECK(after.entries[1] == before.entries[1]);
  CHECK(house.run("$G check k") == 0);
  CHECK(house.run("$G check other") == 1);
  CHECK(house.run("$G baseline accept kk") == 2);
  CHECK_THAT(house.err(), contains_text("unknown entry 'kk'"));
  REQUIRE(house.run("$G baseline save k.json --arch 80,90 --baseline two.json") == 0);
  CHECK(house.run("$G baseline accept nosuch/1 --baseline two.json") == 2);
  CHECK_THAT(house.err(),
             contains_text("(valid: k/32)")); // once, though it is of two architectures
  REQUIRE(house.run("$G baseline accept k --arch 90 --baseline two.json") == 0);
  CHECK_THAT(house.out(), contains_text("1 written, 2 in all"));
  CHECK(house.run("$G baseline accept k --arch 70 --baseline two.json") == 2);
  CHECK(house.run("$G baseline show") == 0);
  CHECK_THAT(house.out(), contains_text("elsewhere"));
}

TEST_CASE("a wrong result, a crash and what does not compile are wrong; what is gone is missing") {
  const House house;
  REQUIRE(house.run("$G $S k.json --with-cubins") == 0);
  const std::string good = test::read_file(house.folder() / "k.json");
  const auto with_option = [&](const std::string& option) {
    std::string text = good;
    text.replace(text.find("-DSLOWER=0"), 10, option);
    test::write(house.folder() / "k.json", text);
  };
  for (const auto& [option, says] :
       {std::pair("-DRUN=wrong", "element 17"), std::pair("-DRUN=crash", "Segmentation fault"),
        std::pair("-DCOMPILE=error", "does not compile")}) {
    with_option(option);
    CHECK(house.run("$G check") == 1);
    CHECK_THAT(house.out(), contains_text("red: 1 wrong"));
    CHECK_THAT(test::unwrapped(house.out()), contains_text(says));
  }
  test::write_kernel(house.folder(), "k", 1, "HOW", R"("['fine']")"); // X=1 is no value any more
  CHECK(house.run("$G check") == 4);
  CHECK_THAT(house.out(), contains_text("incomplete: 1 missing"));
  CHECK(house.run("$G check --allow-missing") == 4); // nothing was judged
  fs::remove(house.folder() / "k.json");
  CHECK(house.run("$G check") == 4);
}

TEST_CASE("without the old binary recorded times are compared, and that is said") {
  const House house;
  REQUIRE(house.run("$G $S k.json") == 0);
  fs::remove_all(house.folder() / "cache");
  house.slower_by(5);
  CHECK(house.run("$G check") == 0); // by the wider rule
  CHECK_THAT(test::unwrapped(house.out()),
             contains_text("which is weaker: only changes beyond 10 %"));
  house.slower_by(30);
  CHECK(house.run("$G check") == 1);
  CHECK_THAT(house.out(), contains_text("slower (weaker)"));
  // A store is a baseline of times too.
  REQUIRE(house.run("$G tune k.json --exhaustive --store tuned.db") == 0);
  CHECK(house.run("$G check k.json --baseline tuned.db") == 0);
  CHECK_THAT(house.out(), contains_text("same (weaker)"));
}

TEST_CASE("a store is a baseline of a profiler's file too") {
  const House house;
  REQUIRE(house.run("$G tune k.json --exhaustive --store tuned.db") == 0);
  test::write(house.folder() / "new.csv",
              "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\","
              "\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\","
              "\"device__attribute_display_name\",\"gpu__time_duration.sum\"\n"
              "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"us\"\n"
              "\"0\",\"1\",\"app\",\"host\",\"k(float *)\",\"1\",\"7\",\"(7, 7, 7)\","
              "\"(999, 1, 1)\",\"0\",\"9.0\",\"Fake GPU\",\"1250\"\n");
  CHECK(house.run("$G check k.json --baseline tuned.db --ncu new.csv") == 4);
  CHECK_THAT(test::unwrapped(house.out()), contains_text("no launch on Fake GPU has its geometry"));
  CHECK(house.run("$G check k.json --baseline tuned.db --ncu new.csv --size 8") == 2);
  CHECK_THAT(house.err(), contains_text("unknown size of the baseline '8' (valid: 32)"));
}

TEST_CASE("another architecture is incomparable, and a compiled baseline has no time") {
  const House house;
  REQUIRE(house.run("$G $S k.json --arch 80,90") == 0);
  CHECK(house.run("$G check --json") == 4);
  const auto json = nlohmann::json::parse(house.out());
  CHECK(json.at("kernels").at(0).at("verdict") == "incomparable");
  CHECK(json.at("kernels").at(0).at("reason") == "of sm_80, and Fake GPU is sm_90");
  CHECK(json.at("kernels").at(1).at("verdict") == "same"); // the old binary is there: by pairs
}

TEST_CASE("a worker that dies on the way costs time, not the verdict") {
  const House house;
  REQUIRE(house.run("$G $S k.json --with-cubins") == 0);
  for (const int message : {1, 2}) {
    test::script(house.folder(), {{"die_at", message}});
    CHECK(house.run("$G check") == 0);
    CHECK_FALSE(test::script(house.folder()).contains("die_at"));
  }
}

TEST_CASE("killed while it saves, the baseline is the old one or the new one, whole") {
  const House house;
  REQUIRE(house.run("$G $S k.json --with-cubins") == 0);
  const std::string before = test::read_file(house.folder() / usual_baseline);
  for (const int ms : {30, 80, 150, 300}) {
    const pid_t pid =
        house.start("baseline save k.json --with-cubins --configuration X=2,HOW=fine");
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
    ::kill(pid, SIGKILL);
    test::Program::wait(pid);
    const Baseline held = read_baseline(house.folder() / usual_baseline);
    REQUIRE(held.entries.size() == 1);
    CHECK((test::read_file(house.folder() / usual_baseline) == before ||
           to_text(held.entries.front().configuration) == "X=2 HOW=fine"));
  }
}

TEST_CASE("bad input is one line with what would be valid") {
  const House house;
  const auto says = [&](const std::string& words, const std::string& text, int code = 2) {
    CHECK(house.run("$G " + words) == code);
    const std::string err = house.err();
    CHECK_THAT(err, contains_text(text));
    CHECK(std::count(err.begin(), err.end(), '\n') == 1);
  };
  says("check",
       "gridsmith-baseline.json: there is no such file; 'gridsmith baseline save' writes one");
  says("check --against HEAD", "needs the kernels that are checked");
  says("check k.json --against HEAD", "is in no git repository");
  says("check k.json --bisect good", "not of the form GOOD..BAD");
  says("check --report junit", "not of the form FORMAT=FILE");
  says("check --report junitt=x", "did you mean 'junit'?");
  says("check --counters some", "explain");
  says("baseline save k.json --arch sm_9x", "not of the form 90, 9.0 or sm_90");
  says("baseline save nothing", "nothing");
  says("baseline save k.json --configuration X=77", "X");
  says("history none.db", "none.db");
  test::write(house.folder() / "gridsmith-baseline.json",
              "{\"gridsmith baseline\": 1, \"entries\": 7}");
  says("check", "is no baseline of Gridsmith's");
  says("baseline save k.json", "is no baseline of Gridsmith's"); // and is not overwritten
}

TEST_CASE("a revision is a baseline, and the commit that made it slower is found") {
  const House house;
  test::write(house.folder() / ".gitignore", "*\n!k.*\n");
  REQUIRE(house.git("init -q .") == 0);
  const std::vector<int> slower{0, 0, 0, 8, 8, 8};
  for (std::size_t i = 0; i < slower.size(); ++i) {
    house.slower_by(slower[i]);
    test::write(house.folder() / "k.txt", std::to_string(i));
    REQUIRE(house.git("add -A") == 0);
    REQUIRE(house.git("commit -q -m 'change " + std::to_string(i) + "'") == 0);
  }
  const std::string before = (house.run("git status --porcelain; git rev-parse HEAD"), house.out());
  CHECK(house.run("$G check k.json --against HEAD~1") == 0);
  CHECK_THAT(house.out(), contains_text("change 4"));
  CHECK(house.run("$G check k.json --against HEAD~3") == 1);
  CHECK(house.run("$G check k.json --against none") == 2);
  CHECK(house.run("$G check k.json --against=--all") == 2);
  REQUIRE(house.run("$G check k.json --bisect HEAD~5..HEAD") == 0);
  CHECK_THAT(house.out(), contains_text("First slower: "));
  CHECK_THAT(house.out(), contains_text("change 3\n"));
  CHECK(house.run("$G check k.json --bisect HEAD~2..HEAD") == 4);
  CHECK((house.run("git status --porcelain; git rev-parse HEAD"), house.out()) == before);
}

TEST_CASE("no program that a repository's configuration names is run") {
  const House house;
  test::write(house.folder() / ".gitignore", "*\n!k.*\n!.gitattributes\n");
  test::write(house.folder() / ".gitattributes", "*.json filter=planted diff=planted\n");
  REQUIRE(house.git("init -q .") == 0);
  for (const char* title : {"old", "new"}) {
    test::write(house.folder() / "k.txt", title);
    REQUIRE(house.git("add -A && git -c user.name=a -c user.email=a@b commit -q -m " +
                      std::string(title)) == 0);
  }
  // The newest commit once more, signed, as far as its header says.
  REQUIRE(
      house.run(
          R"(git cat-file commit HEAD | awk '/^$/ && !done {print "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----"; done = 1} {print}' > signed
git update-ref HEAD $(git hash-object -t commit -w signed))") == 0);
  const std::string planted = (house.folder() / "planted.sh").string();
  test::write(planted,
              "#!/bin/sh\necho \"$0 $*\" >> '" + (house.folder() / "ran").string() + "'\nexit 1\n");
  fs::permissions(planted, fs::perms::owner_all);
  fs::create_directories(house.folder() / "hooks");
  for (const char* hook : {"post-checkout", "post-index-change", "reference-transaction"})
    fs::copy_file(planted, house.folder() / "hooks" / hook);
  for (const char* name :
       {"gpg.program", "gpg.ssh.program", "core.fsmonitor", "core.sshCommand", "core.gitProxy",
        "core.pager", "pager.log", "pager.rev-list", "core.editor", "diff.external",
        "diff.planted.textconv", "filter.planted.smudge", "filter.planted.process",
        "credential.helper", "core.alternateRefsCommand", "uploadpack.packObjectsHook",
        "remote.origin.uploadpack"})
    REQUIRE(house.run("git config " + std::string(name) + " '" + planted + "'") == 0);
  REQUIRE(house.run("git config log.showSignature true; git config filter.planted.required true; "
                    "git config alias.rev-parse '!" +
                    planted + "'; git config alias.rev-list '!" + planted +
                    "'; "
                    "git config core.hooksPath $PWD/hooks") == 0);
  // It is a trap: people's own way of looking walks into it.
  house.run("git log -1 > log.txt 2>&1");
  REQUIRE(fs::remove(house.folder() / "ran"));
  CHECK(house.run("$G check k.json --against HEAD") == 0);
  CHECK_THAT(house.out(), contains_text("new"));
  CHECK(house.run("$G check k.json --bisect HEAD~1..HEAD --quiet") == 4);
  CHECK(test::said(house.folder() / "ran") == test::Lines{});

  // Objects that are missing would be fetched by a program of the configuration's choice.
  const std::string tree = (house.run("git rev-parse HEAD~1^{tree}"), house.out().substr(0, 40));
  REQUIRE(
      house.run(
          "git config core.repositoryFormatVersion 1; git config extensions.partialClone origin; "
          "git config remote.origin.promisor true; git config remote.origin.url \"$PWD\"") == 0);
  REQUIRE(fs::remove(house.folder() / ".git/objects" / tree.substr(0, 2) / tree.substr(2)));
  house.run("git cat-file -p " + tree + " > log.txt 2>&1");
  REQUIRE(fs::remove(house.folder() / "ran"));
  CHECK(house.run("$G check k.json --against HEAD~1 --quiet") == 2);
  CHECK_THAT(house.err(), contains_text("HEAD~1"));
  const std::string commit = (house.run("git rev-parse HEAD~1"), house.out().substr(0, 40));
  REQUIRE(fs::remove(house.folder() / ".git/objects" / commit.substr(0, 2) / commit.substr(2)));
  CHECK(house.run("$G check k.json --against HEAD~1 --quiet") == 2);
  CHECK(house.run("$G check k.json --bisect HEAD~1..HEAD --quiet") == 2);
  CHECK(test::said(house.folder() / "ran") == test::Lines{});
}

TEST_CASE("what a killed check had of a revision goes with the next") {
  const House house;
  test::script(house.folder(), R"({"works": [{"does": "hang"}]})"_json); // its check never ends
  test::write(house.folder() / ".gitignore", "*\n!k.*\n");
  REQUIRE(house.git("init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -q -m "
                    "only") == 0);
  fs::create_directory(house.folder() / "tmp");
  const auto revisions = [&] {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(house.folder() / "tmp"))
      count += fs::exists(entry.path() / "k.json") ? 1 : 0;
    return count;
  };
  const pid_t running =
      house.start("check k.json --against HEAD --quiet", "export TMPDIR=$PWD/tmp; ");
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (revisions() == 0 && std::chrono::steady_clock::now() < patience)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ::kill(running, SIGKILL);
  test::Program::wait(running);
  CHECK(revisions() == 1);
  test::script(house.folder(), {{"works", nullptr}});
  CHECK(house.run("export TMPDIR=$PWD/tmp; $G check k.json --against HEAD --quiet") == 0);
  CHECK(fs::is_empty(house.folder() / "tmp"));
}

TEST_CASE("a revision is found from within a hook, whose variables name another repository") {
  const House house;
  test::write(house.folder() / ".gitignore", "*\n!k.*\n");
  REQUIRE(house.git("init -q . && git -c user.name=a -c user.email=a@b add -A && "
                    "git -c user.name=a -c user.email=a@b commit -q -m only") == 0);
  CHECK(
      house.run(
          "export GIT_DIR=/nowhere GIT_INDEX_FILE=/nowhere/index; $G check k.json --against HEAD --quiet") ==
      0);
}

TEST_CASE("a bisection finds the first bad one, or says which of those it cannot tell apart") {
  using enum CheckVerdict;
  for (std::size_t count = 1; count <= 12; ++count)
    for (std::size_t first = 0; first < count; ++first) {
      std::vector<CheckVerdict> verdicts(count, slower);
      std::fill_n(verdicts.begin(), first, same);
      CHECK(bisected(verdicts) == std::vector<std::size_t>{first});
    }
  CHECK(bisected({same, same}).empty());
  CHECK(bisected({}).empty());
  CHECK(bisected({same, undecided, missing, wrong}) == std::vector<std::size_t>{1, 2, 3});
  CHECK(bisected({faster, undecided, slower, slower}) == std::vector<std::size_t>{1, 2});
}

} // namespace guard_test
