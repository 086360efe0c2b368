// SPDX-License-Identifier: Apache-2.0
// Parameters of which no value changed a launch.
#include "gridsmith/results/influence/no_effect.hpp"
#include "gridsmith/tests/catch.hpp"

namespace no_effect_test {

using namespace gridsmith;

namespace {

Value integer(int value) {
  return std::int64_t{value};
}

const std::vector<Parameter> parameters{{"BX", {integer(32), integer(64)}},
                                        {"TILE", {integer(1), integer(2), integer(4)}}};

/// Each configuration measured, `of(bx, tile)` the one whose machine code it has.
template <typename Twin>
std::vector<Measurement> measured(const Twin& twin_of) {
  std::vector<Measurement> all;
  for (const int bx : {32, 64})
    for (const int tile : {1, 2, 4}) {
      Measurement& one = all.emplace_back();
      one.status = Status::correct;
      one.configuration = {{"BX", integer(bx)}, {"TILE", integer(tile)}};
      const Configuration twin = {{"BX", integer(bx)}, {"TILE", integer(twin_of(bx, tile))}};
      if (to_text(twin) != to_text(one.configuration))
        one.same_code_as = to_text(twin);
    }
  return all;
}

std::string said(std::span<const Measurement> measurements) {
  std::string text;
  for (const NoEffect& one : without_effect(parameters, measurements))
    text += to_text(one) + "|";
  return text;
}

} // namespace

TEST_CASE("a parameter has no effect where every pair that differs in it alone is one launch") {
  std::vector<Measurement> all = measured([](int, int) { return 1; });
  CHECK(said(all) ==
        "TILE has no effect: all 6 pairs of launched configurations that differ in it alone have "
        "the same machine code and launch.|");
  // Nothing of what was not seen: each value needs a pair.
  all.resize(2);
  CHECK(said(all) == "");
  // One that nobody measured takes no pair from the others.
  all = measured([](int, int) { return 1; });
  all.pop_back();
  CHECK(said(all).starts_with("TILE has no effect: all 4 pairs"));
}

TEST_CASE("one pair that differs is an effect") {
  CHECK(said(measured([](int bx, int tile) { return bx == 64 && tile == 4 ? 4 : 1; })) == "");
  CHECK(said(measured([](int, int tile) { return tile; })) == "");
  std::vector<Measurement> all = measured([](int, int) { return 1; });
  all[4].status = Status::compile; // the value decides whether it compiles
  all[4].same_code_as.clear();
  CHECK(said(all) == "");
}

TEST_CASE("values of which none compiles take no part") {
  std::vector<Measurement> all = measured([](int, int) { return 1; });
  for (Measurement& one : all)
    if (std::get<std::int64_t>(*find_value(one.configuration, "BX")) == 64) {
      one.status = Status::compile;
      one.same_code_as.clear();
    }
  CHECK(said(all).starts_with("TILE has no effect: all 3 pairs"));
}

TEST_CASE("what is not known of a launch is no launch that is the same") {
  std::vector<Launched> launched;
  for (const int tile : {1, 2, 4})
    launched.push_back({{{"BX", integer(32)}, {"TILE", integer(tile)}}, "a"});
  CHECK(without_effect(parameters, launched).size() == 1);
  launched[1].as = "";
  CHECK(without_effect(parameters, launched).empty());
  for (Launched& one : launched)
    one.as = "";
  CHECK(without_effect(parameters, launched).empty());
}

} // namespace no_effect_test
