// SPDX-License-Identifier: Apache-2.0
// The pictures of recordings: what they show of a small one, part by part, and that in those of the
// shipped ones no text runs into another.
#include "gridsmith/base/error.hpp"
#include "gridsmith/results/drawing/draw.hpp"
#include "gridsmith/results/formats/answer_json.hpp"
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/results/plots/convergence.hpp"
#include "gridsmith/results/plots/heading.hpp"
#include "gridsmith/results/plots/importance.hpp"
#include "gridsmith/results/plots/roofline_plot.hpp"
#include "gridsmith/results/plots/tiling.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/plots/written_scene.hpp"
#include "gridsmith/tests/cpu/results/sample.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <limits>

namespace plots_test {

using namespace gridsmith;
using test::ruled_width;

namespace {

/// 16 configurations over two parameters that multiply, one of which failed.
Recording small_recording(double flops) {
  Recording recording = sample_recording();
  recording.measurements.clear();
  recording.parameters = {
      {"TILE", {std::int64_t{64}, std::int64_t{32}, std::int64_t{16}, std::int64_t{8}}},
      {"MODE", {std::string("plain"), std::string("wide")}},
      {"BAND", {std::int64_t{1}, std::int64_t{2}}}};
  recording.workload = {1e8, flops};
  recording.peaks = {{"copy", 4000, "GB/s", "", "", "GPU-1"},
                     {"fp32_fma", 60000, "GFLOP/s", "", "", "GPU-1"}};
  for (const std::int64_t tile : {8, 16, 32, 64})
    for (const char* mode : {"plain", "wide"})
      for (const std::int64_t band : {1, 2}) {
        const bool wide = std::string(mode) == "wide";
        const double ms = 0.03 * (64.0 / static_cast<double>(tile)) * (wide && tile == 64 ? 2 : 1) *
                          (band == 2 ? 1.02 : 1);
        Measurement row = sample_measurement(tile, false, ms);
        row.times_ms = {ms};
        row.configuration = {{"TILE", tile}, {"MODE", std::string(mode)}, {"BAND", band}};
        row.counters = {{"dram__bytes_read.sum", 6e7},
                        {"dram__bytes_write.sum", 5e7},
                        {"gpu__time_duration.sum", 1e6 * ms}};
        if (tile == 8 && wide) {
          row.status = Status::runtime;
          row.times_ms.clear();
        }
        recording.measurements.push_back(row);
      }
  return recording;
}

const Measurement* best_row(const Recording& recording) {
  const Export exported{recording};
  return has_best(exported) ? row_of(recording, best_of(exported).configuration) : nullptr;
}

/// Compares with a file of tests/golden; run with GRIDSMITH_WRITE_GOLDEN=1 to accept a change.
void check_golden(const std::string& name, const Scene& scene) {
  const std::filesystem::path file =
      std::filesystem::path(GRIDSMITH_SOURCE_DIR) / "tests" / "golden" / "plots" / name;
  const std::string text = test::written(scene);
  if (std::getenv("GRIDSMITH_WRITE_GOLDEN"))
    test::write(file, text);
  CHECK(test::read_file(file) == text);
  CHECK(test::clash_in(scene, ruled_width) == "");
}

constexpr double never = std::numeric_limits<double>::infinity();

const Course found_soon{"soon", {never, 3, 1.5, 1.005, 1, 1}};
const Course found_late{"late", {8, 8, 8, 4, 4, 1.2}, {2, 2, 2, 2, 1.1, 1}, {9, 9, 9, 9, 9, 2}};

std::string shown(const Scene& scene) {
  return test::written(scene);
}

} // namespace

TEST_CASE("convergence: excess on a logarithmic axis, 0 below it") {
  check_golden("convergence.txt", convergence_plot({found_soon, found_late},
                                                   {"title", "finding.", "caption"}, ruled_width));
}

TEST_CASE("roofline: the path from the default to the best below measured ceilings") {
  const Recording recording = small_recording(5e8);
  check_golden(
      "roofline.txt",
      roofline_plot(recording, {best_row(recording), &recording.measurements[4]}, ruled_width));
}

TEST_CASE("without FLOPs each level of the memory has a row") {
  const Recording recording = small_recording(0);
  check_golden(
      "rates.txt",
      roofline_plot(recording, {best_row(recording), &recording.measurements[4]}, ruled_width));
}

TEST_CASE("tiling: numbers in their order, the lowest framed, failures hatched") {
  const Recording tiled = small_recording(0);
  check_golden("tiling.txt",
               tiling_plot(tiled, {"TILE", "MODE", CellValue::best}, best_row(tiled), ruled_width));
}

TEST_CASE(
    "in a tiling plot times near the best have shades of their own beside one that takes long") {
  Recording recording = small_recording(0);
  std::erase_if(recording.measurements, [](const Measurement& row) {
    return to_number(*find_value(row.configuration, "BAND")) > 1 ||
           to_text(*find_value(row.configuration, "MODE")) != "plain";
  });
  const double times_ms[] = {109, 70, 69, 68.1};
  for (std::size_t i = 0; i < recording.measurements.size(); ++i)
    recording.measurements[i].times_ms = {times_ms[i]};
  const Scene scene =
      tiling_plot(recording, {"TILE", "BAND", CellValue::best}, best_row(recording), ruled_width);
  std::vector<int> reds; // of the squares, which are edged
  for (const Part& part : scene.parts)
    if (const auto* shape = std::get_if<Shape>(&part); shape && shape->fill && shape->pen)
      reds.push_back(shape->fill->red);
  REQUIRE(reds.size() == 4);
  CHECK(reds[3] + 10 < reds[2]); // 68.1, 69
  CHECK(reds[2] + 5 < reds[1]);  // 70
  CHECK(reds[1] + 50 < reds[0]); // 109
}

TEST_CASE(
    "in a roofline every symbol between the axes is a launch, those of the legend stand above") {
  const Recording recording =
      read_recording(std::filesystem::path(GRIDSMITH_SOURCE_DIR) /
                     "kernels/catalogue/matmul/recordings/1024x1024x1024__h200.json.gz");
  const Scene scene =
      roofline_plot(recording, {best_row(recording), &recording.measurements.front()}, ruled_width);
  double legend = 0, launches = 1e9;
  std::size_t named = 0;
  for (const Part& part : scene.parts)
    if (const auto* mark = std::get_if<Mark>(&part)) {
      const bool of_launch =
          mark->size == 3 || mark->size == 7; // of the cloud, of best and default
      named += of_launch ? 0 : 1;
      (of_launch ? launches : legend) =
          of_launch ? std::min(launches, mark->at.y) : std::max(legend, mark->at.y);
    }
  CHECK(named > 1);
  CHECK(legend < launches);
}

TEST_CASE("importance: parameters, pairs and what chance would show") {
  check_golden("importance.txt", importance_plot(small_recording(0), ruled_width));
}

TEST_CASE("a median is not the best, and parameters that are not named are found") {
  const Recording recording = small_recording(0);
  const std::string median =
      shown(tiling_plot(recording, {"", "", CellValue::median}, best_row(recording), ruled_width));
  CHECK_THAT(median, contains_text(": TILE\n"));
  CHECK_THAT(median, contains_text(": MODE\n"));
  CHECK_THAT(median, contains_text("the lowest, 30.3, is framed")); // of 30 and 30.6 µs
  CHECK_THAT(shown(tiling_plot(recording, {"BAND", "", CellValue::best}, best_row(recording),
                               ruled_width)),
             contains_text(": TILE\n"));
}

TEST_CASE("courses follow the order of measuring, and failures cost an evaluation") {
  Recording recording = small_recording(0);
  recording.measurements.resize(4);
  const Course course = course_of("name", recording, 0.12);
  CHECK(course.ratio.size() == 4);
  CHECK(course.ratio.front() == Approx(2));
  CHECK(course.ratio.back() == Approx(2)); // the two of mode wide failed
  recording.measurements.front().when = "2027-01-01T00:00:00Z";
  CHECK(course_of("name", recording, 0.12).ratio.front() == Approx(2 * 1.02));
}

TEST_CASE("what cannot be drawn says why") {
  const Recording recording = small_recording(0);
  const auto tiling = [&](const Tiling& wanted) {
    return message_of([&] { tiling_plot(recording, wanted, best_row(recording), ruled_width); });
  };
  CHECK_THAT(tiling({"TIEL", ""}), contains_text("unknown parameter 'TIEL'; did you mean 'TILE'?"));
  CHECK_THAT(tiling({"TILE", "TILE"}), contains_text("not 'TILE' twice"));
  Recording poor = recording;
  poor.measurements.resize(2);
  CHECK_THAT(message_of([&] { importance_plot(poor, ruled_width); }),
             contains_text("2 correct configurations are too few; 12 are needed"));
  for (Measurement& row : poor.measurements)
    row.counters.clear();
  poor.peaks.clear();
  poor.workload = {};
  CHECK_THAT(message_of([&] { roofline_plot(poor, {best_row(poor), nullptr}, ruled_width); }),
             contains_text("neither a ceiling of the device nor a counter"));
  for (Measurement& row : poor.measurements)
    row.status = Status::runtime;
  CHECK_THAT(message_of([&] { roofline_plot(poor, {best_row(poor), nullptr}, ruled_width); }),
             contains_text("no configuration is correct"));
  CHECK_THAT(message_of([&] { tiling_plot(poor, {}, best_row(poor), ruled_width); }),
             contains_text("no configuration is correct"));
}

TEST_CASE("of shipped recordings no text runs into another or off the page", "[.][needs:cairo]") {
  const Drawing drawing;
  const TextWidth width_of = drawing.width_of();
  for (const char* name :
       {"transpose/recordings/8192x8192", "matmul/recordings/1024x1024x1024",
        "matmul/recordings/513x257x1025", "divergence/recordings/4194304x256",
        "vector_add/recordings/67108864", "histogram_bench/recordings/16777216"}) {
    INFO(name);
    const Recording recording =
        read_recording(std::filesystem::path(GRIDSMITH_SOURCE_DIR) / "kernels" / "catalogue" /
                       (std::string(name) + "__h200.json.gz"));
    const Course course =
        course_of("in the order measured", recording, *cost_ms(*best_row(recording)));
    CHECK(
        test::clash_in(convergence_plot({course, found_soon, found_late},
                                        {title_of(recording), "", caption_of(recording)}, width_of),
                       width_of) == "");
    CHECK(test::clash_in(roofline_plot(recording,
                                       {best_row(recording), &recording.measurements.front()},
                                       width_of),
                         width_of) == "");
    CHECK(test::clash_in(tiling_plot(recording, {}, best_row(recording), width_of), width_of) ==
          "");
    CHECK(test::clash_in(importance_plot(recording, width_of), width_of) == "");
  }
}

TEST_CASE(
    "the square that is framed is the best's, with its time, where another of a tie is lower") {
  Recording recording = small_recording(0);
  Measurement* best = nullptr;
  for (Measurement& row : recording.measurements)
    if (cost_ms(row) == 0.03 * 1.02) // band 2 of the square with the lowest time
      best = &row;
  REQUIRE(best);
  const Tiling wanted{"TILE", "BAND", CellValue::best};
  CHECK_THAT(shown(tiling_plot(recording, wanted, best, ruled_width)),
             contains_text("the best, 30.6, is framed"));
  CHECK_THAT(shown(tiling_plot(recording, wanted, best_row(recording), ruled_width)),
             contains_text("the lowest, 30.0, is framed"));
}

TEST_CASE("the numbers of a picture are those of the recording") {
  using Json = nlohmann::ordered_json;
  const Recording recording = small_recording(0);
  const auto map =
      Json::parse(tiling_json(recording, {.across = "TILE", .up = "MODE"}, best_row(recording)));
  REQUIRE(map.at("squares").size() == 8);
  const auto& failed = map.at("squares").at(1); // TILE 8, wide
  CHECK(failed.at("time_ms").is_null());
  CHECK(failed.at("failed") == 2);
  CHECK(map.at("squares").at(6).at("time_ms") == 0.03); // TILE 64, plain: the best of two bands
  const auto roofs =
      Json::parse(roofline_json(recording, {best_row(recording), &recording.measurements.front()}));
  const auto& rows = roofs.at("configurations");
  CHECK(rows.size() == 14); // what failed stands nowhere
  CHECK(rows.at(roofs.at("best").get<std::size_t>()).at("time_ms") == 0.03);
  CHECK(roofs.at("default") == 0);
  CHECK(rows.at(0).at("limits").at(0).at("peak") == 4000);
  const Course course{"one", {std::numeric_limits<double>::infinity(), 1.5, 1.005}};
  const auto line = Json::parse(convergence_json({course})).at("courses").at(0);
  CHECK(line.at("ratio") == Json({nullptr, 1.5, 1.005}));
  CHECK(line.at("within_1_percent_after") == 3);
  CHECK(Json::parse(importance_json(recording)).at("mains").at(0).at("parameter") == "TILE");
}

} // namespace plots_test
