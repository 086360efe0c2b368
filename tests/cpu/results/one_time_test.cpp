// SPDX-License-Identifier: Apache-2.0
// A time is one number wherever it stands: in the answer, the page, pictures, tables, headers and lists. Of every
// recording that ships, and of a Kernel Tuner cache whose "time", a mean, names another best than the medians.
#include "gridsmith/base/error.hpp"
#include "gridsmith/results/formats/answer_json.hpp"
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/results/header/read_header.hpp"
#include "gridsmith/results/plots/roofline_plot.hpp"
#include "gridsmith/results/plots/tiling.hpp"
#include "gridsmith/results/report/columns.hpp"
#include "gridsmith/results/report/model.hpp"
#include "gridsmith/results/store/holdings.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/files.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

namespace one_time_test {

using namespace gridsmith;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

/// The middle of the samples, found anew.
double middle_of(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const std::size_t half = times.size() / 2;
  return times.size() % 2 == 1 ? times[half] : (times[half - 1] + times[half]) / 2;
}

/// The field of the only row of a CSV.
std::string field_of(const std::string& csv, const std::string& title) {
  std::istringstream lines(csv);
  std::string head, row;
  std::getline(lines, head);
  std::getline(lines, row);
  const auto cells = [](const std::string& line) {
    std::vector<std::string> list(1);
    bool quoted = false;
    for (const char c : line)
      if (c == '"')
        quoted = !quoted;
      else if (c == ',' && !quoted)
        list.emplace_back();
      else
        list.back() += c;
    return list;
  };
  const auto titles = cells(head), fields = cells(row);
  const auto found = std::find(titles.begin(), titles.end(), title);
  REQUIRE(found != titles.end());
  return fields.at(static_cast<std::size_t>(found - titles.begin()));
}

double csv_time(const Export& exported, const Measurement& row) {
  Export one = exported;
  one.recording.measurements = {row};
  return std::stod(field_of(export_text(export_format("csv"), {&one, 1}), "median_ms"));
}

void check_page(const Export& exported, std::size_t row, double ms) {
  ReportSource source;
  source.exported = exported;
  const Json set = report_model({&source, 1}).at("sets").at(0);
  const Json& answer = set.at("answer");
  CHECK(answer.at("row") == row);
  CHECK(answer.at("time_ms") == ms);
  CHECK(answer.at("time_words") ==
        time_words(time_of(exported.recording.measurements[row]).value()));
  CHECK(answer.at("ranking").at(0).at("time_ms") == ms);
  for (const ReportColumn& column : report_columns(exported.recording))
    if (column.name == "time_ms" && column.kind == "time")
      CHECK(column.numbers.at(row) == ms);
}

/// A picture is not of every recording: of a single parameter there is no map, without ceilings no roofline.
template <typename Text>
Json drawn(const Text& text) {
  try {
    return Json::parse(text());
  } catch (const InputError&) {
    return nullptr;
  }
}

void check_pictures(const Export& exported, const Measurement& best, double ms) {
  const Recording& of = exported.recording;
  if (const Json roofs = drawn([&] { return roofline_json(of, {&best, nullptr}); });
      !roofs.is_null())
    CHECK(roofs.at("configurations").at(roofs.at("best").get<std::size_t>()).at("time_ms") == ms);
  const Json map = drawn([&] { return tiling_json(of, {}, &best); });
  if (map.is_null())
    return;
  const auto text = [&](const Json& name) {
    return to_text(*find_value(best.configuration, name.get<std::string>()));
  };
  const auto same = [](const Json& value, const std::string& wanted) {
    return (value.is_string() ? value.get<std::string>() : value.dump()) == wanted;
  };
  bool found = false;
  for (const Json& square : map.at("squares"))
    if (same(square.at("across"), text(map.at("across"))) &&
        same(square.at("up"), text(map.at("up")))) {
      CHECK(square.at("time_ms") == ms);
      found = true;
    }
  CHECK(found);
}

/// What it ships may be another one, of a tie; its time is that one's. Six digits.
void check_header(const Export& exported) {
  const std::string text = export_text(export_format("header"), {&exported, 1});
  for (const Shipment& shipment : read_header(text))
    for (const Recording& shipped : recordings_of(shipment)) {
      const Measurement* row =
          row_of(exported.recording, shipped.measurements.front().configuration);
      REQUIRE(row);
      CHECK(cost_ms(shipped.measurements.front()).value() ==
            Approx(cost_ms(*row).value()).epsilon(1e-5));
    }
}

void check_all(const Export& exported) {
  const Measurement& best = best_of(exported);
  const double ms = cost_ms(best).value();
  CHECK(ms == Approx(middle_of(best.times_ms)).epsilon(1e-12));
  const Json answer = answer_json(exported);
  CHECK(answer.at("best").at("time_ms").at("median") == ms);
  const Measurement* row = row_of(exported.recording, best.configuration);
  REQUIRE(row);
  check_page(exported, static_cast<std::size_t>(row - exported.recording.measurements.data()), ms);
  check_pictures(exported, *row, ms);
  CHECK(csv_time(exported, *row) == ms);
  check_header(exported);
}

/// "1,1" has the lowest mean, "2,2" the lowest median.
const std::string skewed =
    R"({"device_name": "GPU", "kernel_name": "skewed", "problem_size": [64, 32],
"tune_params_keys": ["x", "y"], "tune_params": {"x": [1, 2], "y": [1, 2]},
"cache": {
"1,1": {"x": 1, "y": 1, "time": 1.1, "times": [1.1, 1.11, 1.09, 1.1, 1.1, 1.1, 1.1, 1.1]},
"1,2": {"x": 1, "y": 2, "time": 3.5, "times": [3, 3, 3, 3, 3, 3, 3, 7]},
"2,1": {"x": 2, "y": 1, "time": 4.0, "times": [4, 4, 4, 4, 4, 4, 4, 4]},
"2,2": {"x": 2, "y": 2, "time": 1.5, "times": [1, 1, 1, 1, 1, 1, 1, 5]}}})";

} // namespace

TEST_CASE("of every recording that ships one time is told everywhere") {
  std::size_t count = 0;
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(GRIDSMITH_SOURCE_DIR) / "kernels/catalogue"))
    if (entry.path().string().ends_with(".json.gz")) {
      INFO(entry.path().filename().string() << " of " << entry.path().parent_path().parent_path());
      check_all({read_recording(entry.path())});
      ++count;
    }
  CHECK(count > 50);
}

TEST_CASE(
    "of a Kernel Tuner cache the medians are compared, and its own time goes on to its tools") {
  const test::Folder folder;
  test::write(folder / "cache.json", skewed);
  const Export exported{read_recording(folder / "cache.json")};
  CHECK(to_text(best_of(exported).configuration) == "x=2 y=2");
  CHECK(cost_ms(best_of(exported)) == 1.0);
  check_all(exported);
  CHECK(holdings_of(folder / "cache.json").at(0).best_ms == 1.0);
  const Json t4 = Json::parse(export_text(export_format("t4"), {&exported, 1}));
  CHECK(t4.at("results").at(3).at("measurements").at(0).at("value") == 1.5);
  const Json again = Json::parse(export_text(export_format("kernel-tuner"), {&exported, 1}));
  CHECK(again.at("cache").at("2,2").at("time") == 1.5);
}

TEST_CASE("a time that a file states alone is called that") {
  const test::Folder folder;
  test::write(folder / "cache.json",
              R"({"device_name": "GPU", "kernel_name": "stated", "problem_size": [64],
"tune_params_keys": ["x"], "tune_params": {"x": [1, 2]},
"cache": {"1": {"x": 1, "time": 2.5}, "2": {"x": 2, "time": 0.5}}})");
  const Export exported{read_recording(folder / "cache.json")};
  CHECK(cost_ms(best_of(exported)) == 0.5);
  CHECK(time_words(time_of(best_of(exported)).value()) == "as the file states");
  check_page(exported, 1, 0.5);
  CHECK(field_of(export_text(export_format("csv"), {&exported, 1}), "samples") == "0");
}

TEST_CASE("who was measured again has in every row the samples that the answer has") {
  Export exported{read_recording(fs::path(GRIDSMITH_SOURCE_DIR) /
                                 "kernels/catalogue/transpose/recordings/4096x4096__h200.json.gz")};
  const Answer raced = answer_of(exported);
  Measurement final = raced.ranking.front().measurement;
  for (double& ms : final.times_ms)
    ms *= 1.01;
  exported.answer = raced;
  exported.answer->ranking = rank({final});
  exported.recording.measurements =
      as_ranked(exported.recording.measurements, exported.answer->ranking);
  check_all(exported);
  CHECK(cost_ms(best_of(exported)) == cost_ms(final));
}

} // namespace one_time_test
