// SPDX-License-Identifier: Apache-2.0
// What a report shows, of shipped recordings and of hostile ones: that rows, columns and answer are those of
// the measurements, and that nothing of a recording's text becomes markup or script.
#include "gridsmith/base/content_hash.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/results/formats/header.hpp"
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/results/influence/importance.hpp"
#include "gridsmith/results/report/columns.hpp"
#include "gridsmith/results/report/model.hpp"
#include "gridsmith/results/report/page.hpp"
#include "gridsmith/results/report/page_text.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/sample.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>

namespace report_test {

using namespace gridsmith;
using Json = nlohmann::ordered_json;

namespace {

ReportSource source_of(Recording recording) {
  ReportSource source;
  source.exported.recording = std::move(recording);
  source.origin = "/home/somebody/secret/file.json";
  source.sentences = {"It is the best."};
  source.command = "gridsmith tune /home/somebody/secret/kernel.json";
  return source;
}

Recording shipped(const std::string& name) {
  return read_recording(std::filesystem::path(GRIDSMITH_SOURCE_DIR) / "kernels/catalogue" / name);
}

Json model_of(const ReportSource& source, const ReportSettings& settings = {}) {
  return report_model({&source, 1}, settings);
}

const Json& column(const Json& set, const std::string& name) {
  const auto& all = set.at("columns");
  return *std::find_if(all.begin(), all.end(),
                       [&](const Json& one) { return one.at("name") == name; });
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

/// Three parameters, of which the time is a product but for what `pair` adds.
Recording crossed(double pair) {
  Recording recording;
  recording.kernel = "crossed";
  recording.device = sample_device();
  const std::vector<Value> values{std::int64_t{1}, std::int64_t{2}, std::int64_t{4}};
  recording.parameters = {{"a", values}, {"b", values}, {"c", values}};
  for (const Value& a : values)
    for (const Value& b : values)
      for (const Value& c : values) {
        Measurement row;
        row.configuration = {{"a", a}, {"b", b}, {"c", c}};
        row.status = Status::correct;
        const bool same = same_value(a, b);
        row.times_ms = {
            std::exp(std::log2(to_number(a)) + (same ? pair : 0) + 0.01 * to_number(c))};
        recording.measurements.push_back(row);
      }
  return recording;
}

} // namespace

TEST_CASE("lines for a user's code are options and constants of the best, without a comment") {
  const ReportSource source = source_of(shipped("transpose/recordings/8192x8192__h200.json.gz"));
  const Json answer = model_of(source).at("sets").at(0).at("answer");
  const std::string options = answer.at("options"), constants = answer.at("constants");
  const Configuration best = best_of(source.exported).configuration;
  std::string wanted_options, wanted_constants = "struct transpose_8192x8192 {\n";
  for (const auto& [name, value] : best) {
    wanted_options += (wanted_options.empty() ? "-D" : " -D") + name + "=" + to_text(value);
    const bool text = std::holds_alternative<std::string>(value);
    wanted_constants += std::string("  static constexpr ") + (text ? "const char* " : "int ") +
                        name + " = " + (text ? "\"" + to_text(value) + "\"" : to_text(value)) +
                        ";\n";
  }
  CHECK(options == wanted_options);
  CHECK(constants == wanted_constants + "};\n");
}

TEST_CASE("a report's rows, columns and answer are those of the recording") {
  const Recording recording = shipped("transpose/recordings/8192x8192__h200.json.gz");
  const Json set = model_of(source_of(recording)).at("sets").at(0);
  REQUIRE(set.at("rows") == recording.measurements.size());
  for (const Json& one : set.at("columns")) {
    const Json& values = one.at("values");
    CHECK((values.is_array() ? values : values.at("codes")).size() ==
          recording.measurements.size());
  }
  const Json& times = column(set, "time_ms").at("values");
  for (std::size_t row = 0; row < times.size(); ++row)
    CHECK(times[row] == (cost_ms(recording.measurements[row])
                             ? Json(*cost_ms(recording.measurements[row]))
                             : Json(nullptr)));
  const auto ranking = rank_as_measured(recording.measurements);
  const Json& answer = set.at("answer");
  const std::size_t best = answer.at("row");
  CHECK(recording.measurements[best].configuration == ranking.front().measurement.configuration);
  CHECK(answer.at("interval_ms").at(0) == ranking.front().time.low_ms);
  CHECK(set.at("samples").at(std::to_string(best)) == recording.measurements[best].times_ms);
  CHECK(set.at("importance").at("mains").size() > 0);
}

TEST_CASE("long columns are packed and hold the same numbers") {
  std::vector<double> numbers(3000);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = 0.5 * static_cast<double>(i);
  numbers[7] = std::nan("");
  CHECK(numbers_json({1.5, std::nan("")}).dump() == "[1.5,null]");
  const std::string packed = numbers_json(numbers).at("f32");
  std::string bytes(numbers.size() * sizeof(float), '\0');
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto number = static_cast<float>(numbers[i]);
    std::memcpy(bytes.data() + i * sizeof number, &number, sizeof number);
  }
  CHECK(packed == base64_of(bytes));
  for (double& one : numbers)
    one = std::isnan(one) ? one : std::fmod(one, 2);
  const Json coded = numbers_json(numbers);
  CHECK(coded.at("words") == Json({0.0, 0.5, 1.0, 1.5}));
  const std::string codes = coded.at("codes").at("u8");
  CHECK(codes.starts_with("AAECAwABAgQ")); // 0 1 2 3 0 1 2, then one that is not known
}

TEST_CASE("base64 is that of RFC 4648") {
  CHECK(base64_of("") == "");
  CHECK(base64_of("f") == "Zg==");
  CHECK(base64_of("fo") == "Zm8=");
  CHECK(base64_of("foo") == "Zm9v");
  CHECK(base64_of("foob") == "Zm9vYg==");
  CHECK(policy_hash("") == "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
}

TEST_CASE("importance tells single parameters from pairs") {
  const auto of = [](const Recording& recording) {
    return importance(recording, influence(recording));
  };
  const Importance alone = of(crossed(0));
  REQUIRE(alone.mains.size() == 3);
  CHECK(alone.mains.front().parameter == "a");
  CHECK(alone.mains.front().share > 0.95);
  CHECK(alone.pairs.empty());
  CHECK(alone.explained > 0.99);
  const Importance paired = of(crossed(2));
  REQUIRE(!paired.pairs.empty());
  CHECK(paired.pairs.front().a == "a");
  CHECK(paired.pairs.front().b == "b");
  CHECK(paired.pairs.front().share > 0.3);
  CHECK(paired.explained > 0.8); // less what chance would show in 27 rows
}

TEST_CASE("what was looked on is the timeline, with the rows that it names") {
  ReportSource source = source_of(crossed(0));
  CHECK(model_of(source).at("sets").at(0).at("timeline").empty()); // rows say no seconds
  const std::string second = to_text(source.exported.recording.measurements[1].configuration);
  source.timeline = {{"strategy", "ask", "", 0, 0.5}, {"worker", "time", second, 1, 2}};
  const Json two = model_of(source).at("sets").at(0).at("timeline");
  CHECK(two == Json::parse(R"([
    {"lane": "strategy", "from_s": 0.0, "to_s": 0.5, "what": "ask", "row": null},
    {"lane": "worker", "from_s": 1.0, "to_s": 2.0, "what": "time", "row": 1}])"));
  for (int i = 0; i < 20'000; ++i)
    source.timeline.push_back({"GPU", "launch", second, i * 1.0, i * 1.0 + 0.01 + 1e-6 * i});
  const Json most = model_of(source).at("sets").at(0).at("timeline");
  CHECK(most.size() <= 5000);
  CHECK(most.at(1) == two.at(1)); // the longest stay, in their order
}

TEST_CASE("seconds beside the line of time are those of its spans, counting that came later too") {
  for (const char* name : {"transpose/recordings/8192x8192__h200.json.gz",
                           "gemv/recordings/8192x8192__h200.json.gz"}) {
    const Recording recording = shipped(name);
    const Json set = model_of(source_of(recording)).at("sets").at(0);
    std::map<std::string, double> sums;
    double end = 0, counted = 0;
    for (const Json& span : set.at("timeline")) {
      const double from = span.at("from_s"), to = span.at("to_s");
      sums[span.at("what")] += to - from;
      end = std::max(end, to);
    }
    for (const Measurement& row : recording.measurements)
      counted += row.spent.count_ms / 1000;
    const Json& spent = set.at("spent");
    CHECK(spent.at("count_s").get<double>() == Approx(sums.at("count")));
    CHECK(spent.at("time_s").get<double>() == Approx(sums.at("time")));
    CHECK(spent.at("verify_s").get<double>() == Approx(sums.at("verify")));
    CHECK(sums.at("count") == Approx(counted).epsilon(0.01));
    CHECK(sums.at("count") + sums.at("time") + sums.at("verify") <= end * (1 + 1e-9));
  }
}

TEST_CASE("how busy a unit is has one number, and evaluations are counted from 1") {
  const Json set =
      model_of(source_of(shipped("transpose/recordings/8192x8192__h200.json.gz"))).at("sets").at(0);
  const Json& answer = set.at("answer");
  const std::size_t best = answer.at("row");
  REQUIRE(answer.at("busy").contains("L2"));
  CHECK(column(set, "busy_l2").at("values").at(best) == answer.at("busy").at("L2"));
  CHECK(column(set, "busy_dram").at("values").at(best) == answer.at("busy").at("DRAM"));
  CHECK(column(set, "order").at("values").at(0) == 1.0);
}

TEST_CASE("checks that have measured are the points of a history") {
  ReportSource source = source_of(crossed(0));
  PastCheck same, missing, slower;
  same.verdict = CheckVerdict::same;
  missing.verdict = CheckVerdict::missing;
  slower.verdict = CheckVerdict::slower;
  same.old_ms = slower.old_ms = 1;
  slower.ratio = 1.1;
  slower.high = std::numeric_limits<double>::infinity();
  source.checks = {same, missing, slower};
  const Json checks = Json::parse(json_text(model_of(source))).at("sets").at(0).at("checks");
  REQUIRE(checks.size() == 2);
  CHECK(checks[0].at("verdict") == "same");
  CHECK(checks[1].at("ratio") == 1.1);
  CHECK(checks[1].at("high").is_null());
}

TEST_CASE("several sizes of a kernel are a family, several tunings of one are runs") {
  const ReportSource large = source_of(shipped("transpose/recordings/8192x8192__h200.json.gz"));
  const ReportSource middle = source_of(shipped("transpose/recordings/4096x4096__h200.json.gz"));
  const std::vector<ReportSource> sources{large, middle, large};
  const Json model = report_model(sources);
  CHECK(model.at("sets").size() == 2);
  CHECK(model.at("sets").at(0).at("runs").size() == 2);
  REQUIRE(model.at("families").size() == 1);
  const Json& family = model.at("families").at(0);
  CHECK(family.at("problems").size() == 2);
  for (std::size_t problem = 0; problem < 2; ++problem) {
    const Json& losses = family.at("loss").at(problem);
    double least = 10;
    for (const Json& one : losses)
      least = one.is_null() ? least : std::min(least, one.get<double>());
    CHECK(least == 1);
  }
}

TEST_CASE("a report shows the set that the header of the same answers ships") {
  std::vector<ReportSource> sources{
      source_of(shipped("transpose/recordings/8192x8192__h200.json.gz")),
      source_of(shipped("transpose/recordings/4096x4096__h200.json.gz"))};
  for (ReportSource& source : sources) { // measured again, another than the fastest won
    std::vector<Measurement> again;
    for (const Ranked& one : rank_as_measured(source.exported.recording.measurements, {}))
      again.push_back(one.measurement);
    REQUIRE(again.size() > 2);
    for (std::size_t i = 0; i < again.size(); ++i)
      for (double& time : again[i].times_ms)
        time *= i == 2 ? 1 : 2;
    source.exported.answer = Answer{"2026-11-29T12:00:00Z", rank(again)};
  }
  const auto set_of = [](const std::vector<ReportSource>& all) {
    const Json model = report_model(all);
    const Json& family = model.at("families").at(0);
    CHECK(family.at("objective") == "time");
    std::set<std::string> shown;
    for (const Json& place : family.at("chosen"))
      shown.insert(family.at("configurations").at(place.get<std::size_t>()));
    return shown;
  };
  std::set<std::string> sent;
  const std::vector<Export> exports{sources[0].exported, sources[1].exported};
  for (const Shipment& one : shipments_of(exports))
    for (const PreviousChoice& choice : one.choices)
      sent.insert(to_text(choice.configuration));
  CHECK(set_of(sources) == sent);
  for (ReportSource& source : sources)
    source.exported.answer.reset();
  CHECK(set_of(sources) != sent); // of the first measurements alone
}

TEST_CASE("without source a report names no file, log or command") {
  Recording recording = crossed(0);
  recording.measurements.front().status = Status::compile;
  recording.measurements.front().reason = "/home/somebody/secret/kernel.cu(3): error";
  const std::string shown = json_text(model_of(source_of(recording)));
  CHECK(shown.find("kernel.cu(3)") != shown.npos);
  const std::string hidden =
      json_text(model_of(source_of(recording),
                         {.command = "gridsmith report /home/somebody/secret", .source = false}));
  CHECK(hidden.find("secret") == hidden.npos);
  CHECK(hidden.find("somebody") == hidden.npos);
}

TEST_CASE("a recording in which nothing is correct, or of nothing, has a report too") {
  Recording recording = crossed(0);
  for (Measurement& one : recording.measurements) {
    one.status = Status::runtime;
    one.times_ms.clear();
  }
  const Json failed = model_of(source_of(recording)).at("sets").at(0);
  CHECK(failed.at("answer").at("row").is_null());
  CHECK(failed.at("answer").at("ranking").empty());
  recording.measurements.clear();
  CHECK(model_of(source_of(recording)).at("sets").at(0).at("rows") == 0);
  CHECK_THROWS_AS(report_model({}), InputError);
}

TEST_CASE("a log of megabytes does not make a report of megabytes") {
  Recording recording = crossed(0);
  recording.measurements.front().status = Status::compile;
  recording.measurements.front().reason = std::string(5'000'000, 'x');
  CHECK(json_text(model_of(source_of(recording))).size() < 100'000);
}

TEST_CASE("no text of a recording becomes markup or script") {
  if (!has_report_page()) {
    WARN("this build has no report page");
    return;
  }
  const std::string hostile =
      "</script><script>window.hacked=1</script><!--<img src=x onerror='window.hacked=1'>\"><a href=javascript:hacked>{{data}}";
  Recording recording = crossed(0);
  recording.kernel = hostile;
  recording.problem = hostile;
  recording.device.name = hostile;
  recording.measurements.front().status = Status::compile;
  recording.measurements.front().reason = hostile;
  ReportSource source = source_of(recording);
  source.sentences = {hostile};
  const std::string page = report_page(model_of(source));
  CHECK(page.find("window.hacked") != page.npos); // it is shown, as text
  CHECK(page.find("<script>window.hacked") == page.npos);
  CHECK(page.find("<img src=x") == page.npos);
  CHECK(page.find("<a href=javascript") == page.npos);
  CHECK(count_of(page, "<script>") == 1);
  CHECK(count_of(page, "</script>") == 3); // data, notices and ours
  CHECK(count_of(page, "{{data}}") > 0);   // not filled in a second time
}

TEST_CASE("a page may run its own script alone and asks no network") {
  if (!has_report_page()) {
    WARN("this build has no report page");
    return;
  }
  const std::string page = report_page(model_of(source_of(crossed(0))));
  CHECK(page.size() < 2'000'000);
  const std::string policy = report_policy(false);
  CHECK(policy.starts_with("default-src 'none'; script-src 'sha256-"));
  CHECK(policy.find(policy_hash(page_text().script)) != policy.npos);
  CHECK(policy.find("connect-src 'none'") != policy.npos);
  CHECK(policy.find("http") == policy.npos);
  CHECK(page.find("<script>" + std::string(page_text().script) + "</script>") != page.npos);
  CHECK(report_policy(true).find("connect-src 'self'") != std::string::npos);
}

TEST_CASE("devices at one size are compared by what each loses with the other's best") {
  Recording one = crossed(0), other = crossed(0);
  other.device.name = "another device";
  std::reverse(other.parameters.front().values.begin(), other.parameters.front().values.end());
  for (Measurement& row : other.measurements)
    row.times_ms = {10 / row.times_ms.front()};
  const std::vector<ReportSource> sources{source_of(one), source_of(other)};
  const Json model = report_model(sources);
  REQUIRE(model.at("families").size() == 1);
  const Json& loss = model.at("families").at(0).at("loss");
  CHECK(loss.at(0).at(0) == 1);
  CHECK(loss.at(1).at(1) == 1);
  CHECK(loss.at(0).at(1).get<double>() > 4);
  CHECK(loss.at(1).at(0).get<double>() > 4);
}

} // namespace report_test
