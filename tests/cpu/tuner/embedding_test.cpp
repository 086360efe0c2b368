// SPDX-License-Identifier: Apache-2.0
// The C interface, on a recording: what other languages are given, and what never leaves a function.
#include "gridsmith/base/error.hpp"
#include "gridsmith/results/report/page.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/files.hpp"
#include "gridsmith/tuner/embedding/caller_thread.hpp"
#include "gridsmith/tuner/embedding/gridsmith.h"
#include "gridsmith/tuner/embedding/settings_json.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace embedding_test {

using namespace gridsmith;
using namespace std::chrono_literals;
using Json = nlohmann::json;

namespace {

const std::string transpose = GRIDSMITH_SOURCE_DIR "/kernels/catalogue/transpose/";

/// Of the transpose's recording.
Json settings(const Json& more = Json::object()) {
  Json json = {{"kernel", transpose + "transpose.json"},
               {"recording", transpose + "recordings/8192x8192__h200.json.gz"},
               {"evaluations", 20}};
  json.update(more);
  return json;
}

struct Handle {
  explicit Handle(const Json& json = settings()) {
    REQUIRE(gridsmith_session_new(json.dump().c_str(), &session) == GRIDSMITH_OK);
  }

  ~Handle() {
    gridsmith_outcomes_free(outcomes);
    gridsmith_session_free(session);
  }

  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  gridsmith_status run() { return gridsmith_session_run(session, &outcomes); }

  gridsmith_session* session = nullptr;
  gridsmith_outcomes* outcomes = nullptr;
};

std::string taken(char* text) {
  REQUIRE(text);
  std::string copy(text);
  gridsmith_free(text);
  return copy;
}

std::string refused(const std::string& json) {
  gridsmith_session* session = nullptr;
  CHECK(gridsmith_session_new(json.c_str(), &session) == GRIDSMITH_BAD_INPUT);
  CHECK(session == nullptr);
  return gridsmith_error();
}

/// What callbacks of one run saw.
struct Seen {
  std::thread::id thread = {};
  int polls = 0, steps = 0, stop_at = -1;
  std::vector<std::string> notes = {};
  std::string last = {};
};

gridsmith_listener listener_of(Seen& seen) {
  return {.user = &seen,
          .poll =
              [](void* user) {
                auto& to = *static_cast<Seen*>(user);
                to.thread = std::this_thread::get_id();
                ++to.polls;
                return 0;
              },
          .note =
              [](void* user, const char* line) {
                static_cast<Seen*>(user)->notes.emplace_back(line);
                return 0;
              },
          .progress =
              [](void* user, const char* json) {
                auto& to = *static_cast<Seen*>(user);
                to.last = json;
                return ++to.steps == to.stop_at ? 1 : 0;
              }};
}

/// Asks for every second configuration.
struct Every {
  const gridsmith_space* space = nullptr;
  std::uint64_t next = 0, step = 2, end = 40;
  std::vector<gridsmith_observation> heard = {};
  bool ended = false;
};

gridsmith_strategy strategy_of(Every& every) {
  return {.user = &every,
          .begin =
              [](void* user, const gridsmith_space* space) {
                static_cast<Every*>(user)->space = space;
                return 0;
              },
          .ask = [](void* user, std::size_t most, std::uint64_t* ids) -> std::size_t {
            auto& of = *static_cast<Every*>(user);
            if (of.step == 0)
              return SIZE_MAX;
            std::size_t count = 0;
            for (; count < most && of.next < of.end; of.next += of.step)
              ids[count++] = of.next;
            return count;
          },
          .tell =
              [](void* user, const gridsmith_observation* observations, std::size_t count) {
                auto& heard = static_cast<Every*>(user)->heard;
                heard.insert(heard.end(), observations, observations + count);
                return 0;
              },
          .end = [](void* user) { static_cast<Every*>(user)->ended = true; }};
}

} // namespace

TEST_CASE("a session in C gives an answer, texts and files") {
  CHECK(gridsmith_interface() == GRIDSMITH_INTERFACE);
  CHECK(std::string(gridsmith_version()).find('.') != std::string::npos);
  Handle handle;
  REQUIRE(handle.run() == GRIDSMITH_OK);
  REQUIRE(gridsmith_outcomes_count(handle.outcomes) == 1);
  char* text = nullptr;
  REQUIRE(gridsmith_outcomes_answer(handle.outcomes, 0, &text) == GRIDSMITH_OK);
  const Json answer = Json::parse(taken(text));
  CHECK(answer["kernel"] == "transpose");
  CHECK(answer["evaluations"] == 20);
  CHECK(answer["best"]["configuration"].contains("TILE"));
  REQUIRE(gridsmith_outcomes_text(handle.outcomes, 0, &text) == GRIDSMITH_OK);
  CHECK(taken(text).starts_with("Best on NVIDIA H200"));
  for (const char* format : {"csv", "t4", "header", "recording"}) {
    CAPTURE(format);
    REQUIRE(gridsmith_outcomes_export(handle.outcomes, SIZE_MAX, format, &text) == GRIDSMITH_OK);
    CHECK(taken(text).size() > 100);
  }
  if (has_report_page()) {
    REQUIRE(gridsmith_outcomes_export(handle.outcomes, 0, "report", &text) == GRIDSMITH_OK);
    CHECK(taken(text).starts_with("<!"));
  }
}

TEST_CASE("bad input is one line that names what, and nothing is handed out") {
  CHECK(refused("{\"kernel\": \"transpose\", \"evaluatons\": 3}")
            .find("did you mean 'evaluations'") != std::string::npos);
  CHECK(refused("[]") == "settings: is no JSON object");
  CHECK(refused(settings({{"regime", "hot"}}).dump())
            .starts_with("regime: unknown regime 'hot' (valid: cold"));
  CHECK(refused(settings({{"evaluations", -3}}).dump()).starts_with("evaluations: "));
  CHECK(refused(settings({{"evaluations", "many"}}).dump()).starts_with("evaluations: "));
  CHECK(refused(settings({{"sizes", {{1, "x"}}}}).dump()).starts_with("sizes: "));
  CHECK(
      refused(settings({{"only", {3}}}).dump()).starts_with("only: a configuration is an object"));
  CHECK(refused(settings({{"across", "all"}}).dump()).starts_with("across: unknown choice 'all'"));
  CHECK(gridsmith_session_new(nullptr, nullptr) == GRIDSMITH_BAD_INPUT);
  CHECK(std::string(gridsmith_error()) == "session: is NULL");
  Handle handle;
  CHECK(gridsmith_session_run(handle.session, nullptr) == GRIDSMITH_BAD_INPUT);
  REQUIRE(handle.run() == GRIDSMITH_OK);
  char* text = nullptr;
  CHECK(gridsmith_outcomes_answer(handle.outcomes, 1, &text) == GRIDSMITH_BAD_INPUT);
  CHECK(std::string(gridsmith_error()) == "outcome 1: there are 1");
  CHECK(gridsmith_outcomes_export(handle.outcomes, 0, "cvs", &text) == GRIDSMITH_BAD_INPUT);
  CHECK(std::string(gridsmith_error()).find("'csv'") != std::string::npos);
  CHECK(text == nullptr);
  std::thread([] {
    CHECK(std::string(gridsmith_error()).empty());
  }).join(); // each thread has its own
}

TEST_CASE("every setting that is described is read") {
  const Json described = described_settings()["tune"];
  const Json all = {{"metrics", nullptr},
                    {"definition", nullptr},
                    {"kernel", "k.json"},
                    {"sizes", {{64, 64}, "32x32"}},
                    {"across", "each"},
                    {"weights", {1, 2}},
                    {"include", {"a", "b"}},
                    {"devices", {0, 1}},
                    {"recording", "r.json"},
                    {"back_end", "gpu"},
                    {"objective", "bytes"},
                    {"only", {{{"A", 1}}}},
                    {"evaluations", 5},
                    {"seconds", 1.5},
                    {"strategy", "random"},
                    {"seed", 7},
                    {"repeatable", true},
                    {"finalists", 3},
                    {"finalists_within", 0.1},
                    {"calibrate", 4},
                    {"add", 2},
                    {"regime", "graph"},
                    {"every_regime", true},
                    {"clocks", {900, 1200}},
                    {"counters", "none"},
                    {"interval", 0.02},
                    {"samples", 9},
                    {"prune", false},
                    {"bitwise", true},
                    {"timeout", 2},
                    {"locked_clock_mhz", 900},
                    {"store", "s.db"},
                    {"reuse", false},
                    {"compile_timeout", 3},
                    {"compilers", 2},
                    {"nvrtc", "n.so"},
                    {"nvcc", "nvcc"},
                    {"cache", false},
                    {"confined", false},
                    {"share", true}};
  for (const auto& [name, summary] : described.items())
    CHECK(all.contains(name));
  CHECK(all.size() == described.size());
  const SessionSettings read = session_settings(all.dump());
  CHECK(read.kernel == "k.json");
  CHECK(read.problems == std::vector<ProblemSize>{{{64, 64}}, {{32, 32}}});
  CHECK(read.across == Across::each);
  CHECK(read.weights == std::vector<double>{1, 2});
  CHECK(read.include.size() == 2);
  CHECK(read.devices == std::vector{0, 1});
  CHECK(read.recording == "r.json");
  CHECK(read.only == std::vector<Configuration>{{{"A", std::int64_t{1}}}});
  CHECK(read.budget.evaluations == 5);
  CHECK(read.budget.seconds == 1.5);
  CHECK(read.seed == 7);
  CHECK(read.finals.most == 3);
  CHECK(read.conditions.regime == Regime::graph);
  CHECK(read.conditions.bitwise);
  CHECK(read.conditions.sampling.interval == 0.02);
  CHECK(read.store == "s.db");
  CHECK_FALSE(read.reuse);
  CHECK(read.compile_timeout.seconds == 3);
  CHECK_FALSE(read.compile_timeout.adapts);
  CHECK(read.helpers.compilers == 2);
  CHECK(read.helpers.share);
  CHECK_FALSE(session_settings(R"({"store": null})").store);
}

TEST_CASE("a check in C has settings of its own, and needs a GPU") {
  const Json described = described_settings()["check"];
  CHECK(described.contains("against"));
  const CheckSettings read = check_settings(
      R"({"baseline": "b.json", "kernels": ["a"], "sizes": ["64x64"], "effect": 0.05, "strict": true, "counters": "exact"})");
  CHECK(read.baseline == "b.json");
  CHECK(read.kernels == std::vector<std::string>{"a"});
  CHECK(read.session.problems == std::vector<ProblemSize>{{{64, 64}}});
  CHECK(read.pairs.least_effect == 0.05);
  CHECK(read.failures.strict);
  CHECK(read.counters == CounterUse::exact);
  gridsmith_check* check = nullptr;
  CHECK(gridsmith_check_run(R"({"baselin": "b"})", nullptr, &check) == GRIDSMITH_BAD_INPUT);
  CHECK(std::string(gridsmith_error()).find("did you mean 'baseline'") != std::string::npos);
  CHECK(gridsmith_check_run(R"({"baseline": "/no/such/file"})", nullptr, &check) ==
        GRIDSMITH_BAD_INPUT);
  CHECK(std::string(gridsmith_error()).find("/no/such/file") != std::string::npos);
  char* text = nullptr;
  CHECK(gridsmith_check_report(check, "json", &text) == GRIDSMITH_BAD_INPUT);
  CHECK(std::string(gridsmith_error()) == "check: is NULL");
  gridsmith_check_free(check);
}

TEST_CASE("a metric of the settings is an objective, as one of the definition is") {
  const Json metrics = {
      {{"Name", "bytes_per_thread"}, {"Formula", "dram_bytes / threads"}, {"Better", "lower"}}};
  CHECK(refused(settings({{"metrics", metrics}}).dump())
            .find("unknown counter or metric 'threads'") != std::string::npos);
  const Json good = {{{"Name", "written"},
                      {"Formula", "dram_bytes / time_ms"},
                      {"Unit", "B/ms"},
                      {"Better", "higher"}}};
  CHECK(refused(settings({{"objective", "written"}}).dump()).find("written") != std::string::npos);
  Handle handle(settings({{"metrics", good}, {"objective", "written"}}));
  REQUIRE(handle.run() == GRIDSMITH_OK);
  char* text = nullptr;
  REQUIRE(gridsmith_outcomes_answer(handle.outcomes, 0, &text) == GRIDSMITH_OK);
  const Json answer = Json::parse(taken(text));
  CHECK(answer["objective"] == "written");
  CHECK(answer["best"]["metrics"]["written"] > 0);
}

TEST_CASE("callbacks come in the thread that runs the session, and stop it") {
  Handle handle;
  Seen seen;
  const gridsmith_listener listener = listener_of(seen);
  gridsmith_session_listen(handle.session, &listener);
  REQUIRE(handle.run() == GRIDSMITH_OK);
  CHECK(seen.thread == std::this_thread::get_id());
  CHECK(seen.polls > 0);
  CHECK(seen.steps > 0);
  CHECK(Json::parse(seen.last)["done"] == 20);
  REQUIRE(seen.notes.size() >= 1);
  CHECK(seen.notes.front().find("replaying the recording of NVIDIA H200") != std::string::npos);
  gridsmith_outcomes_free(std::exchange(handle.outcomes, nullptr));
  seen = {.stop_at = 3};
  CHECK(handle.run() == GRIDSMITH_STOPPED); // the same session again
  CHECK(std::string(gridsmith_error()) == "stopped before the end");
  REQUIRE(gridsmith_outcomes_count(handle.outcomes) == 1);
  char* text = nullptr;
  REQUIRE(gridsmith_outcomes_answer(handle.outcomes, 0, &text) == GRIDSMITH_OK);
  CHECK(Json::parse(taken(text))["interrupted"] == true);
}

TEST_CASE(
    "a size that comes twice is one, and answers over all sizes name the common configuration") {
  Handle handle(settings({{"recording", nullptr},
                          {"across", "mean"},
                          {"sizes", {"8192x8192", "4096x4096", "8192x8192"}},
                          {"weights", {1, 2, 1}}}));
  REQUIRE(handle.run() == GRIDSMITH_OK);
  CHECK(gridsmith_outcomes_count(handle.outcomes) == 2);
  char* text = nullptr;
  REQUIRE(gridsmith_outcomes_text(handle.outcomes, 0, &text) == GRIDSMITH_OK);
  CHECK(taken(text).find("\n  for all sizes: VARIANT=") != std::string::npos);
}

TEST_CASE("JSON of callers is read as files are: no depth ends the stack, no member comes twice") {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  gridsmith_value value;
  CHECK(gridsmith_json_at(deep.c_str(), "", &value) == GRIDSMITH_BAD_INPUT);
  CHECK(refused("{\"sizes\":" + deep + "}").find("settings: nested too deeply") == 0);
  CHECK(refused(R"({"kernel": "transpose", "kernel": "gemv"})") ==
        "settings: 'kernel' appears twice");
  CHECK(refused("{\"kernel\": \"gemv\",}") == "settings: no valid JSON at line 1, column 19");
  CHECK(refused(R"({"kernel": "a\nb"})").find('\n') == std::string::npos);
  const auto compiled = [](const char* device) {
    gridsmith_code* code = nullptr;
    CHECK(gridsmith_compile(R"({"kernel": "transpose"})", "{}", device, &code) ==
          GRIDSMITH_BAD_INPUT);
    return std::string(gridsmith_error());
  };
  CHECK(compiled(R"({"compute_capability": "9.0"})") ==
        "device: has no compute_capability, such as 90");
  CHECK(compiled(R"({"compute_capability": 90, "sm_cuont": 5})")
            .find("device: unknown fact 'sm_cuont'") == 0);
}

TEST_CASE("a strategy in C searches in place of ours") {
  Handle handle;
  Every every;
  const gridsmith_strategy strategy = strategy_of(every);
  REQUIRE(gridsmith_session_search_by(handle.session, "every second", &strategy) == GRIDSMITH_OK);
  REQUIRE(handle.run() == GRIDSMITH_OK);
  CHECK(every.ended);
  REQUIRE(every.heard.size() == 20);
  for (const gridsmith_observation& one : every.heard) {
    CHECK(one.id % 2 == 0);
    CHECK((std::isnan(one.cost) || one.cost > 0));
  }
  char* text = nullptr;
  REQUIRE(gridsmith_outcomes_answer(handle.outcomes, 0, &text) == GRIDSMITH_OK);
  CHECK(Json::parse(taken(text))["strategy"] == "every second");
  gridsmith_outcomes_free(std::exchange(handle.outcomes, nullptr));
  every = {.next = std::uint64_t{1} << 40, .end = ~std::uint64_t{0}};
  CHECK(handle.run() == GRIDSMITH_BAD_INPUT); // not in the space
  CHECK(std::string(gridsmith_error()).find("the space has ") != std::string::npos);
  CHECK(every.ended);
  every = {.step = 0};
  CHECK(handle.run() == GRIDSMITH_STOPPED);
  gridsmith_strategy greedy = strategy_of(every);
  greedy.ask = [](void*, size_t most, uint64_t*) { return most + 1; };
  REQUIRE(gridsmith_session_search_by(handle.session, "greedy", &greedy) == GRIDSMITH_OK);
  CHECK(handle.run() == GRIDSMITH_BAD_INPUT);
  CHECK(std::string(gridsmith_error()) ==
        "the strategy asks for 21 configurations; at most 20 were wanted");
  Handle across(settings({{"recording", nullptr}, {"across", "each"}, {"sizes", {"8192x8192"}}}));
  CHECK(gridsmith_session_search_by(across.session, "mine", &strategy) == GRIDSMITH_BAD_INPUT);
}

TEST_CASE("a strategy in C looks around in the space") {
  struct Looked {
    std::uint64_t size = 0, found = 0;
    std::size_t around = 0;
    gridsmith_status absent = GRIDSMITH_OK;
  } looked;

  const gridsmith_strategy strategy{
      .user = &looked,
      .begin =
          [](void* user, const gridsmith_space* space) {
            auto& to = *static_cast<Looked*>(user);
            to.size = gridsmith_space_size(space);
            char* text = nullptr;
            if (gridsmith_space_at(space, to.size - 1, &text) != GRIDSMITH_OK)
              return 1;
            const std::string last = taken(text);
            gridsmith_space_find(space, last.c_str(), &to.found);
            to.absent = gridsmith_space_find(space, R"({"TILE": 7})", &to.found);
            std::uint64_t one = 0;
            gridsmith_space_neighbours(space, to.found, &one, 1, &to.around);
            return 0;
          },
      .ask = [](void*, std::size_t, std::uint64_t*) -> std::size_t { return 0; },
      .tell = nullptr,
      .end = nullptr};
  Handle handle;
  REQUIRE(gridsmith_session_search_by(handle.session, "looks", &strategy) == GRIDSMITH_OK);
  CHECK(handle.run() == GRIDSMITH_OK); // it asked for nothing
  CHECK(looked.size > 100);
  CHECK(looked.found == looked.size - 1);
  CHECK(looked.around > 1);
  CHECK(looked.absent == GRIDSMITH_BAD_INPUT);
}

TEST_CASE("a session is stopped from another thread") {
  Handle handle;
  Seen seen;
  gridsmith_listener listener = listener_of(seen);
  listener.poll = nullptr;
  listener.progress = [](void*, const char*) { // a replay is over before anybody stops it
    std::this_thread::sleep_for(100ms);
    return 0;
  };
  gridsmith_session_listen(handle.session, &listener);
  std::jthread other([&] {
    std::this_thread::sleep_for(50ms);
    gridsmith_session_stop(handle.session);
  });
  CHECK(handle.run() == GRIDSMITH_STOPPED);
  gridsmith_session_stop(handle.session); // no run: no effect
  gridsmith_outcomes_free(std::exchange(handle.outcomes, nullptr));
  gridsmith_session_listen(handle.session, nullptr);
  CHECK(handle.run() == GRIDSMITH_OK);
}

TEST_CASE("calls of the work run in the thread that waits for it, and its error is thrown there") {
  int idle = 0;
  CallerThread caller(5ms, [&] { ++idle; });
  std::thread::id worked, called;
  caller.run([&] {
    worked = std::this_thread::get_id();
    caller.call([&] { called = std::this_thread::get_id(); });
    std::this_thread::sleep_for(30ms);
  });
  CHECK(called == std::this_thread::get_id());
  CHECK(worked != called);
  CHECK(idle > 2);
  CHECK_THROWS_AS(caller.run([] { throw InputError("no"); }), InputError);
}

} // namespace embedding_test
