// SPDX-License-Identifier: Apache-2.0
// What fails when the best are measured again is a result like any other, however a run ends: what is
// stated sums to what was tried, and nothing right stands beside an empty answer without a reason.
#include "gridsmith/results/measurement/finals.hpp"
#include "gridsmith/results/store/store.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_script.hpp"
#include "gridsmith/tests/cpu/tuner/program.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <map>
#include <thread>

namespace finals_test {

using namespace gridsmith;
using test::Program;
namespace fs = std::filesystem;

namespace {

using nlohmann::json;

/// Of one answer, as JSON.
void check_whole(const json& answer) {
  INFO(answer.dump());
  std::size_t stated = 0, failed = 0;
  for (const auto& [status, count] : answer["status"].items())
    stated += count.get<std::size_t>();
  CHECK(stated == answer["evaluations"]);
  for (const json& group : answer["failures"])
    failed += group["count"].get<std::size_t>();
  CHECK(failed == stated - answer["status"].value("correct", std::size_t{0}));
  const bool confirmed = answer["confirmed"] != false;
  CHECK(confirmed == answer["not_confirmed_because"].is_null());
  if (answer["status"].contains("correct") || !confirmed)
    CHECK_FALSE(answer["ranking"].empty());
  CHECK(answer["best"].is_null() == (answer["ranking"].empty() || !confirmed));
}

struct Tuned {
  Program program;
  fs::path kernel, store = program.folder() / "store.db";

  explicit Tuned(const std::string& values, int count = 4)
      : kernel(test::write_kernel(program.folder(), "k", count, "RUN", values)) {}

  fs::path helper(const char* name) const {
    return program.folder() / "libexec" / "gridsmith" / name;
  }

  std::vector<std::string> words(std::vector<std::string> more = {}) const {
    std::vector<std::string> all{"tune",         kernel.string(), "--store",
                                 store.string(), "--strategy",    "exhaustive",
                                 "--no-cache",   "--compilers",   "1"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  /// @return the exit code; checks what was answered, and what the store says of it
  int tune(std::vector<std::string> more = {}) {
    more.emplace_back("--json");
    const int code = program.run(words(std::move(more)));
    if (program.out().empty())
      return code;
    answer = json::parse(program.out());
    check_whole(answer);
    REQUIRE(program.run({"show", store.string(), "--kernel", "k", "--json"}, "show") == 0);
    const json shown = json::parse(program.out("show"));
    check_whole(shown);
    for (const char* field : {"status", "failures", "confirmed", "not_confirmed_because"})
      CHECK(shown[field] == answer[field]);
    return code;
  }

  /// Statuses in the CSV of the store.
  std::map<std::string, int> in_csv() const {
    CHECK(program.run({"export", "csv", store.string()}, "csv") == 0);
    std::map<std::string, int> counts;
    for (const char* status : {"correct", "correctness", "compile"}) {
      const std::string rows = program.out("csv"), cell = std::string(",") + status + ",";
      for (auto at = rows.find(cell); at != rows.npos; at = rows.find(cell, at + 1))
        ++counts[status];
    }
    return counts;
  }

  json answer;
};

} // namespace

TEST_CASE("a final that fails is counted with its reason and the next one wins") {
  Tuned run(R"(["fine", "final"])", 8);
  CHECK(run.tune() == 0);
  CHECK(run.answer["status"] == json({{"correct", 15}, {"correctness", 1}}));
  CHECK(run.answer["failures"][0]["reason"] ==
        "measured again: element 17 of 'out' is 0.5, expected 1.25");
  CHECK(run.answer["confirmed"] == true);
  CHECK(run.answer["best"]["configuration"] == json({{"X", 7}, {"RUN", "fine"}}));
  CHECK(run.in_csv() == std::map<std::string, int>{{"correct", 15}, {"correctness", 1}});
  REQUIRE(run.program.run(run.words()) == 0); // what is known to fail is not asked again
  CHECK_THAT(test::unwrapped(run.program.out()),
             contains_text("15 ran, not verified, 1 wrong, 16 from the store") &&
                 contains_text("1 × correctness: measured again: element 17"));
}

TEST_CASE("where all that were measured again fail nobody wins, and that is said first") {
  for (const char* how : {R"(["final"])", R"(["once"])"}) {
    INFO(how);
    Tuned run(how, 8);
    const fs::path header = run.program.folder() / "tuned.hpp";
    CHECK(run.tune({"--write", "header=" + header.string()}) == 1);
    CHECK(run.answer["confirmed"] == false);
    CHECK(run.answer["status"] == json({{"correct", 7}, {"correctness", 1}}));
    CHECK(run.answer["ranking"].size() == 1);
    CHECK_FALSE(fs::exists(header));
    CHECK_THAT(run.program.err(), contains_text("tuned.hpp is not written") &&
                                      contains_text("not confirmed: none of the 1"));
    CHECK(run.program.run({"export", "header", run.store.string()}, "export") == 2);
    CHECK_THAT(run.program.err("export"), contains_text("none of the 1 finalists"));
    REQUIRE(run.program.run({"show", run.store.string(), "--kernel", "k"}, "text") == 0);
    const std::string text = run.program.out("text");
    CHECK_THAT(text,
               contains_text("None of the 1 finalists gave a correct result when measured again:\n"
                             "  1 × correctness: measured again: element 17") &&
                   contains_text("Not confirmed, as first measured on Fake GPU"));
    CHECK(text.find("None of the 1") < text.find("Not confirmed"));
    CHECK_FALSE(text.find("Best on") < text.size());
  }
}

TEST_CASE("what shares a failed final's code has failed too, in the store as well") {
  Program program;
  const fs::path kernel = test::write_kernel(program.folder(), "k", 8, "TWIN", R"(["a", "b"])");
  test::script(program.folder(), R"({"launches": [{"mode": "final", "does": "wrong"}]})"_json);
  const std::string store = (program.folder() / "store.db").string();
  const std::vector<std::string> words{"tune",       kernel.string(), "--store", store,
                                       "--strategy", "exhaustive",    "--json",  "--no-cache"};
  CHECK(program.run(words) == 1);
  const json first = json::parse(program.out());
  check_whole(first);
  CHECK(first["status"] == json({{"correct", 14}, {"correctness", 2}}));
  test::script(program.folder(), {{"launches", nullptr}});
  CHECK(program.run(words) == 0); // the next best
  const json second = json::parse(program.out());
  check_whole(second);
  CHECK(second["reused"] == 16);
  CHECK(second["confirmed"] == true);
  CHECK(second["best"]["configuration"]["X"] != 7);
}

TEST_CASE("however a run ends, what is stated sums to what was tried") {
  for (const auto& [values, code] :
       {std::pair(R"(["fine"])", 0), std::pair(R"(["wrong"])", 1),
        std::pair(R"(["fine", "wrong", "crash", "arguments"])", 0),
        std::pair(R"(["once", "final"])", 1), std::pair(R"(["lost", "final"])", 1)})
    for (const std::vector<std::string>& more :
         {std::vector<std::string>{}, {"--finalists", "0"}, {"--evaluations", "3"}}) {
      INFO(values << (more.empty() ? "" : more.front()));
      Tuned run(values);
      const int ended = run.tune(more);
      if (more.empty())
        CHECK(ended == code);
      else if (more.front() == "--finalists")
        CHECK(run.answer["confirmed"].is_null());
      CHECK(ended == (run.answer["best"].is_null() ? 1 : 0));
    }
}

TEST_CASE("interrupted or out of time nobody was measured again, and nothing is lost") {
  Program program;
  const fs::path kernel = test::write_kernel(program.folder(), "k", 8);
  test::script(program.folder(), R"({"launches": [{"mode": "final", "does": "hang"}]})"_json);
  const std::string store = (program.folder() / "store.db").string();
  std::vector<std::string> words{"tune",       kernel.string(), "--store", store,
                                 "--strategy", "exhaustive",    "--json",  "--no-cache"};
  const pid_t pid = program.start(words);
  std::this_thread::sleep_for(std::chrono::seconds(2));
  ::kill(pid, SIGINT);
  CHECK(Program::wait(pid) == 130);
  const json stopped = json::parse(program.out());
  check_whole(stopped);
  CHECK(stopped["confirmed"].is_null());
  words.insert(words.end(), {"--seconds", "1"});
  CHECK(program.run(words) == 0);
  check_whole(json::parse(program.out()));
}

TEST_CASE("a campaign and a roll-out treat it the same way") {
  Tuned run(R"(["final"])", 8);
  CHECK(run.program.run(run.words({"--sizes", "32,64", "--json"})) == 1);
  for (const json& answer : json::parse(run.program.out())) {
    check_whole(answer);
    CHECK(answer["confirmed"] == false);
  }
  CHECK(run.program.run(run.words({"--sizes", "32,64"})) == 1);
  CHECK_THAT(test::unwrapped(run.program.out()), contains_text("32: not confirmed: none of the"));
  fs::remove(run.store);
  const fs::path into = run.program.folder() / "tuned";
  CHECK(run.program.run({"tune", "--all", run.kernel.string(), "--into", into.string(), "--store",
                         run.store.string(), "--evaluations", "20", "--json"}) == 1);
  const json all = json::parse(run.program.out());
  CHECK(all["kernels"][0]["problems"][0]["best"].is_null());
  CHECK_THAT(all["kernels"][0]["problems"][0]["no_best_because"].get<std::string>(),
             contains_text("not confirmed"));
}

TEST_CASE("failed finals of stores from before overrule nothing") {
  Tuned run(R"(["fine"])");
  REQUIRE(run.tune() == 0);
  Store store = Store::open(run.store, Store::Mode::read_write);
  const ScopeId scope = store.scopes().front().id;
  Measurement final = store.all(scope).front();
  final.mode = Mode::final;
  final.status = Status::correctness;
  final.reason = "element 3 of 'out' is 7, expected 8";
  final.times_ms.clear();
  store.add(scope, final); // as it was written with stale constants
  CHECK(store.all(scope).front().correct());
  CHECK(store.find(scope, final.configuration)->correct());
  CHECK(store.scopes().front().correct == 4);
  mark_failed_final(final);
  store.add(scope, final);
  CHECK(store.all(scope).front().reason ==
        std::string(failed_again) + "element 3 of 'out' is 7, expected 8");
  CHECK_FALSE(store.find(scope, final.configuration)->correct());
  CHECK(store.scopes().front().correct == 3);
  final.status = Status::correct; // the newest counts
  final.times_ms = {1.0};
  store.add(scope, final);
  CHECK(store.all(scope).front().correct());
}

} // namespace finals_test
