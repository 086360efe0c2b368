// SPDX-License-Identifier: Apache-2.0
// Where the time of a session went: what its spans say, and the file that is made of them.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"
#include "gridsmith/tests/cpu/tuner/fake_script.hpp"
#include "gridsmith/tuner/session/session.hpp"
#include "gridsmith/tuner/session/trace.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

namespace trace_test {

using namespace gridsmith;
using namespace std::chrono_literals;
using Json = nlohmann::json;

namespace {

/// Spans by the name of their row, in the file's order. Each row's are one after the other.
std::map<std::string, std::vector<Json>> rows_of(const Trace& trace) {
  const Json document = Json::parse(trace.text());
  std::map<int, std::string> names;
  std::map<std::string, std::vector<Json>> rows;
  std::map<std::string, double> last;
  for (const Json& event : document.at("traceEvents")) {
    const int number = event.at("tid");
    if (event.at("ph") == "M") {
      names[number] = event.at("args").at("name");
      continue;
    }
    REQUIRE(event.at("ph") == "X"); // begin and end in one: balanced by its form
    const std::string& row = names.at(number);
    const double begin = event.at("ts"), length = event.at("dur");
    CHECK(length >= 0);
    CHECK(begin >= last[row] - 1e-3); // microseconds with three digits
    last[row] = begin + length;
    rows[row].push_back(event);
  }
  return rows;
}

using Names = std::set<std::string>;

Names names_in(const std::vector<Json>& spans) {
  Names names;
  for (const Json& span : spans)
    names.insert(span.at("name"));
  return names;
}

struct House {
  House() {
    test::install_fakes(folder.path());
    test::script(folder.path(), {{"real_time", true}});
    settings.kernel = test::write_kernel(folder.path(), "good", 8).string();
    settings.helpers.compilers = 2;
    settings.helpers.cache = false;
    settings.helpers.installation.programs = folder.path();
  }

  /// Every span, as it was told.
  std::vector<Span> run() {
    std::vector<Span> spans;
    Listener listener;
    listener.span = [&](const Span& span) {
      spans.push_back(span);
      trace.add(span);
    };
    CHECK_FALSE(Session(settings).run({}, listener).empty());
    return spans;
  }

  test::Folder folder;
  SessionSettings settings;
  Trace trace;
};

/// No two of a row were at the same time, but for what two clocks may differ on a busy machine.
void check_apart(std::vector<Span> spans) {
  std::stable_sort(spans.begin(), spans.end(),
                   [](const Span& a, const Span& b) { return a.begin < b.begin; });
  std::map<std::string, Span> before;
  for (const Span& span : spans) {
    INFO(span.row << " " << span.name << " " << span.detail);
    CHECK(span.begin <= span.end);
    if (const auto last = before.find(span.row); last != before.end())
      CHECK(last->second.end <= span.begin + 5ms);
    before[span.row] = span;
  }
}

} // namespace

TEST_CASE("a tuning says what each of its processes was at") {
  House house;
  house.settings.strategy = "exhaustive";
  check_apart(house.run());
  const auto rows = rows_of(house.trace);
  // "store" too is told where nothing is kept: what is looked up is the same.
  CHECK(names_in(rows.at("session")) ==
        Names{"devices", "space", "our turn", "processes", "store"});
  CHECK(names_in(rows.at("strategy")).contains("ask"));
  CHECK(names_in(rows.at("worker")) == Names{"start", "open", "verify"});
  CHECK(names_in(rows.at("GPU")) == Names{"launch"});
  CHECK(rows.at("GPU").size() >= 8 * 7);
  Names compiled;
  for (const auto& [row, spans] : rows)
    if (row.starts_with("compiler "))
      for (const Json& span : spans)
        compiled.insert(span.at("args").at("of"));
  for (int x = 0; x < 8; ++x)
    CHECK(std::any_of(compiled.begin(), compiled.end(), [&](const std::string& options) {
      return options.find("-DX=" + std::to_string(x)) != std::string::npos;
    }));
}

TEST_CASE("a search over sizes and a worker that dies leave whole spans") {
  House house;
  house.settings.problems = {{{32}}, {{64}}};
  house.settings.across = Across::each;
  test::script(house.folder.path(), {{"die_at", 4}});
  check_apart(house.run());
  const auto rows = rows_of(house.trace);
  Names strategy = names_in(rows.at("strategy"));
  strategy.erase("guess"); // only where a compiler has nothing else to do
  CHECK(strategy == Names{"ask", "learn"});
  const auto& worker = rows.at("worker");
  CHECK(std::count_if(worker.begin(), worker.end(),
                      [](const Json& span) { return span.at("name") == "start"; }) == 2);
}

TEST_CASE("spans that two clocks put over each other come one after the other") {
  Trace trace;
  const auto now = std::chrono::steady_clock::now();
  trace.add({"GPU", "second", "", now + 9ms, now + 20ms});
  trace.add({"GPU", "first", "\xff\n", now, now + 10ms});
  trace.add({"compiler 10", "k", "", now, now + 1ms});
  trace.add({"compiler 9", "k", "", now, now + 1ms});
  const auto rows = rows_of(trace);
  CHECK(rows.at("GPU")[0].at("name") == "first");
  CHECK(rows.at("GPU")[1].at("dur").get<double>() == Approx(10'000));
  CHECK(rows.at("compiler 9")[0].at("tid") < rows.at("compiler 10")[0].at("tid"));
  CHECK(rows_of(Trace{}).empty());
}

} // namespace trace_test
