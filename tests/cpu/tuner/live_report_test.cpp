// SPDX-License-Identifier: Apache-2.0
// What browsers that follow a tuning are told, and that none of them keeps it waiting; for the thread sanitizer
// too. The server is apart: its library is not compiled for that.
#include "gridsmith/results/report/page.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/watch/live_report.hpp"

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

namespace live_report_test {

using namespace gridsmith;
using namespace std::chrono_literals;

namespace {

Subject subject() {
  Subject of;
  of.kernel = "watched";
  of.problem = "32";
  of.parameters = {{"X", {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}}}};
  return of;
}

Measurement measured(int x) {
  Measurement one;
  one.configuration = {{"X", std::int64_t{x}}};
  one.status = Status::correct;
  one.times_ms = {1.0 + x};
  return one;
}

std::string next_of(EventStream& stream) {
  std::string text;
  stream.next(text);
  return text;
}

} // namespace

TEST_CASE("a browser is told the model, then each point once, then the end") {
  LiveReport report;
  const auto stream = report.site().events();
  report.begin(subject());
  CHECK(next_of(*stream).starts_with("event: model\ndata: H4sI")); // gzip, in base64
  const std::vector<Measurement> two{measured(0), measured(1)};
  report.tell(two);
  const std::string points = next_of(*stream);
  CHECK(points.find("event: point\ndata: {\"set\":0,\"row\":{\"X\":0") == 0);
  CHECK_THAT(points, contains_text("\"time_ms\":1.0"));
  CHECK_THAT(points, contains_text("\"order\":2"));
  report.tell(std::vector{measured(2)});
  CHECK_THAT(next_of(*stream), contains_text("\"X\":2"));
  const auto late = report.site().events();
  std::string all = next_of(*late);
  all += next_of(*late);
  CHECK(all.starts_with("event: model"));
  CHECK_THAT(all, contains_text("\"X\":0"));
  CHECK_THAT(all, contains_text("\"X\":2"));
  Outcome outcome;
  outcome.subject = subject();
  outcome.result.measurements = {measured(0), measured(1), measured(2)};
  report.finish({&outcome, 1});
  const std::string after = next_of(*report.site().events()); // served until the user has seen it
  CHECK(after.starts_with("event: model"));
  CHECK(after.ends_with("event: end\ndata: {}\n\n"));
  report.end();
  std::string last;
  CHECK_FALSE(stream->next(last));
  CHECK(last.starts_with("event: model"));
  CHECK(last.ends_with("event: end\ndata: {}\n\n"));
}

TEST_CASE("spans are the lanes of a report where a worker measured") {
  const Span::Time zero{};
  const std::vector<Span> spans{
      {"strategy", "ask", "", zero, zero + 500ms},
      {"compiler 2", "watched", "-O3 -DX=1 -Dkernel_tuner=1", zero + 1s, zero + 2s},
      {"worker", "verify", "X=1", zero + 2s, zero + 3s}};
  ReportSource source;
  add_timeline(source, std::span(spans).first(2), zero); // a replay, or all was stored
  CHECK(source.timeline.empty());
  add_timeline(source, spans, zero);
  REQUIRE(source.timeline.size() == 3);
  CHECK(source.timeline[0].to_s == 0.5);
  CHECK(source.timeline[1].what == "compile");
  CHECK(source.timeline[1].configuration.empty()); // of none that was measured
  CHECK(source.timeline[2].lane == "worker");
  CHECK(source.timeline[2].configuration == "X=1");
  source.exported.recording.parameters = subject().parameters;
  source.exported.recording.measurements = {measured(0), measured(1)};
  add_timeline(source, spans, zero);
  CHECK(source.timeline.back().configuration == "X=1");
  CHECK(source.timeline[4].configuration == to_text(measured(1).configuration));
}

TEST_CASE("of sizes that are tuned together each has its rows") {
  LiveReport report;
  Subject other = subject();
  other.problem = "64";
  report.begin(subject());
  report.begin(other);
  const auto stream = report.site().events();
  CHECK(next_of(*stream).starts_with("event: model"));
  report.tell(std::vector{measured(0), measured(1)}, 1);
  CHECK_THAT(next_of(*stream), contains_text("{\"set\":1,\"row\":{\"X\":1"));
  report.tell(std::vector{measured(2)}, 0);
  const std::string first = next_of(*stream);
  CHECK_THAT(first, contains_text("{\"set\":0,\"row\":{\"X\":2"));
  CHECK_THAT(first, contains_text("\"order\":1"));
  if (has_report_page())
    for (const char* heading : {"<h2>watched 32", "<h2>watched 64"})
      CHECK_THAT(report.site().page().value(), contains_text(heading));
  Outcome outcome;
  outcome.subject = other;
  outcome.result.measurements = {measured(0), measured(1)};
  report.finish({&outcome, 1}); // the first was not reached
  CHECK(next_of(*stream).starts_with("event: model"));
}

TEST_CASE(
    "a browser that comes when all is measured is told so at once, while the page is still served") {
  LiveReport report;
  report.begin(subject());
  report.tell(std::vector{measured(0)});
  Outcome outcome;
  outcome.subject = subject();
  outcome.result.measurements = {measured(0)};
  report.finish({&outcome, 1});
  const auto late = report.site().events();
  std::string text;
  CHECK(late->next(text)); // it goes on
  CHECK(text.starts_with("event: model"));
  CHECK(text.ends_with("event: end\ndata: {}\n\n"));
  LiveReport empty; // nothing was right
  empty.begin(subject());
  empty.finish({});
  CHECK_THAT(next_of(*empty.site().events()), contains_text("event: end"));
}

TEST_CASE("outcomes of several kernels of one size are each its own") {
  if (!has_report_page())
    return;
  LiveReport report;
  Subject other = subject();
  other.kernel = "second";
  report.begin(subject());
  report.begin(other);
  Outcome first, second;
  first.subject = subject();
  first.result.measurements = {measured(0)};
  first.answer.ranking = rank(first.result.measurements);
  second.subject = other;
  second.result.measurements = {measured(2)};
  second.answer.ranking = rank(second.result.measurements);
  report.finish(std::vector{first, second});
  const std::string page = report.site().page().value();
  CHECK_THAT(page, contains_text("<h2>watched 32"));
  const auto heading = page.find("<h2>second 32");
  REQUIRE(heading != page.npos);
  CHECK(page.find("<td>3</td>", heading) != page.npos); // ms
}

TEST_CASE("telling does not wait for browsers") {
  LiveReport report;
  report.begin(subject());
  constexpr int looking = 4;
  std::vector<std::jthread> browsers;
  browsers.reserve(looking);
  for (int i = 0; i < looking; ++i)
    browsers.emplace_back([stream = std::shared_ptr(report.site().events())] {
      for (std::string text; stream->next(text); text.clear()) {
      }
    });
  constexpr int rows = 200;
  const auto begun = std::chrono::steady_clock::now();
  for (int row = 0; row < rows; ++row)
    report.tell(std::vector{measured(row)});
  CHECK(std::chrono::steady_clock::now() - begun < 1s); // models take longer each
  report.end();
}

} // namespace live_report_test
