// SPDX-License-Identifier: Apache-2.0
// Axes, labels and what draws them.
#include "gridsmith/results/drawing/chart.hpp"
#include "gridsmith/results/drawing/draw.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/plots/written_scene.hpp"

namespace drawing_test {

using namespace gridsmith;
using test::ruled_width;

namespace {

std::string labels_of(const Axis& axis, int wanted = 5) {
  std::string text;
  for (const Tick& tick : axis.ticks(wanted))
    text += tick.label.empty() ? "" : (text.empty() ? "" : " ") + tick.label;
  return text;
}

Scene small_scene() {
  Scene scene{100, 50, "a <b> & c", "what \x1b is to be seen", {}};
  scene.parts = {
      Shape{.places = {{10, 40}, {90, 10}}, .pen = Pen{palette[0], 2, {4, 2}}},
      Shape{.places = {{10, 10}, {20, 10}, {20, 20}}, .closed = true, .fill = palette[1]},
      Mark{Symbol::diamond, {50, 25}, 8, Pen{}, paper},
      Text{.text = "10 µs → 5", .at = {50, 45}, .anchor = Anchor::middle, .halo = true}};
  return scene;
}

} // namespace

TEST_CASE("ticks are round and as many as can be read") {
  CHECK(labels_of(Axis(Scale::linear, 0, 167, 0, 1)) == "0 50 100 150");
  CHECK(labels_of(Axis(Scale::linear, 0, 100, 0, 1)) == "0 20 40 60 80 100");
  CHECK(labels_of(Axis(Scale::logarithmic, 1, 9, 0, 1)) == "1 2 5");
  CHECK(labels_of(Axis(Scale::logarithmic, 0.1, 1e5, 0, 1)) ==
        "0.1 1 10 100 1000 10\u202f000 100\u202f000");
  CHECK(labels_of(Axis(Scale::logarithmic, 100, 150, 0, 1)) == "100 110 120 130 140 150");
}

TEST_CASE("a value lies on its axis, one beyond at its end") {
  const Axis axis(Scale::logarithmic, 1, 100, 200, 0); // upwards
  CHECK(axis.at(1) == Approx(200));
  CHECK(axis.at(10) == Approx(100));
  CHECK(axis.at(1000) == Approx(0));
  CHECK(axis.at(0) == Approx(200));
}

TEST_CASE("labels of a column keep apart, in their order, and near to where they belong") {
  CHECK(spread({50}, 10, 0, 100) == std::vector<double>{50});
  CHECK(spread({50, 50}, 10, 0, 100) == std::vector<double>{45, 55});
  CHECK(spread({98, 99, 10}, 10, 0, 100) == std::vector<double>{90, 100, 10});
  CHECK(spread({0, 0, 0, 12}, 10, 0, 100) == std::vector<double>{0, 10, 20, 30});
}

TEST_CASE("a label takes a free place, and none where all are taken") {
  Chart chart(200, ruled_width);
  chart.head_and_foot({"title", "", "caption"}, 100);
  CHECK(chart.label({.text = "one", .at = {}}, {100, 60}, 6));
  CHECK(chart.label({.text = "two", .at = {}}, {100, 60}, 6));
  chart.keep_free({0, 0, 200, 200});
  CHECK_FALSE(chart.label({.text = "three", .at = {}}, {100, 60}, 6));
  const Scene scene = std::move(chart).finished();
  CHECK(test::clash_in(scene, ruled_width) == "");
  CHECK(test::written(scene).find("three") == std::string::npos);
}

TEST_CASE("a turned text covers what it covers") {
  const Text text{.text = "0123456789", .at = {50, 50}, .size = 10, .angle = 0.7853981633974483};
  const auto boxes = boxes_of(text, ruled_width);
  CHECK(boxes.size() > 3);
  const Box beside{80, 50, 90, 60}; // under the middle of the text, within the box of its ends
  CHECK(
      std::none_of(boxes.begin(), boxes.end(), [&](const Box& box) { return box.meets(beside); }));
}

TEST_CASE("a light ground takes ink, a dark one paper") {
  CHECK(readable_on(shade(0)).red == paper.red);
  CHECK(readable_on(shade(1)).red == ink.red);
  const auto light = [](const Colour& one) { return one.red + one.green + one.blue; };
  for (int i = 0; i < 20; ++i)
    CHECK(light(shade(i / 20.0)) < light(shade((i + 1) / 20.0)));
}

TEST_CASE("the same scene is the same SVG, however many were drawn before", "[.][needs:cairo]") {
  const Drawing drawing;
  const Scene scene = small_scene();
  const std::string svg = drawing.svg(scene);
  CHECK(svg == drawing.svg(scene));
  CHECK(svg == Drawing().svg(scene));
  CHECK_THAT(svg, contains_text("width=\"100"));
  CHECK_THAT(svg, contains_text("<title>a &lt;b&gt; &amp; c</title>"));
  CHECK_THAT(svg, contains_text("stroke-dasharray"));
  CHECK(svg.find('\x1b') == std::string::npos);
  CHECK(svg.ends_with("</svg>\n"));
}

TEST_CASE("a PNG has as many pixels as asked for", "[.][needs:cairo]") {
  const std::string png = Drawing().png(small_scene(), 3);
  REQUIRE(png.size() > 33);
  CHECK(png.starts_with("\x89PNG\r\n\x1a\n"));
  const auto number = [&](std::size_t at) {
    return (static_cast<unsigned char>(png[at + 2]) << 8) + static_cast<unsigned char>(png[at + 3]);
  };
  CHECK(number(16) == 300);
  CHECK(number(20) == 150);
}

TEST_CASE("letters are measured in the font that draws them", "[.][needs:cairo]") {
  const Drawing drawing;
  const TextWidth width_of = drawing.width_of();
  const auto wide = [&](const std::string& text, double size) {
    return width_of({.text = text, .at = {}, .size = size});
  };
  CHECK(wide("", 9) == 0);
  CHECK(wide("ii", 9) < wide("MM", 9));
  CHECK(wide("MM", 18) == Approx(2 * wide("MM", 9)));
}

} // namespace drawing_test
