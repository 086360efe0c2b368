// SPDX-License-Identifier: Apache-2.0
// Candidates of tests/planted/candidates that no fake can play, judged by the program: each depends on a launch before it,
// or on the data that its definition has.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/processes/child_process.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <string>

namespace judge_test {

using namespace gridsmith;
using Json = nlohmann::json;

namespace {

/// The verdict of `gridsmith judge`.
Json judged(const std::string& candidate, const std::string& definition) {
  const std::string file = GRIDSMITH_SOURCE_DIR "/tests/planted/candidates/" + candidate;
  const ProgramOutput output = run_program(
      GRIDSMITH_PROGRAM,
      {"judge", file, "--definition", definition, "--json", "--no-sanitizer", "--quiet"},
      std::chrono::minutes(2));
  INFO(candidate << ": " << output.text);
  REQUIRE(Json::accept(output.text));
  return Json::parse(output.text);
}

/// Of the gate that did not pass; "": all did.
std::string code_of(const Json& verdict) {
  for (const Json& gate : verdict.at("gates"))
    if (gate.at("state") != "passed" && gate.at("state") != "not_run")
      return gate.at("code");
  return "";
}

} // namespace

TEST_CASE("what an earlier launch spares a kernel is found out") {
  for (const auto& [candidate, definition] :
       {std::pair{"fourth/copy_wide.cu", "copy"}, // chunks whose ends look done
        {"fifth/scan_places.cu", "scan"},         // sums of the launch before, in scratch memory
        {"second/c4_softmax.cu", "softmax"}}) {   // a launch within 60 us of the last
    const Json verdict = judged(candidate, definition);
    CHECK(verdict.at("ruling") == "rejected");
    CHECK(code_of(verdict) == "wrong_on_other_data");
    CHECK_THAT(verdict.dump(), contains_text("right behind another launch"));
  }
}

TEST_CASE(
    "what is wrong only at tiny sizes or where vectors are aligned no further needs a person") {
  CHECK(code_of(judged("fifth/stencil_time_ring.cu", "stencil_time")) == "wrong_at_tiny_sizes");
  CHECK(code_of(judged("fifth/layer_norm_vectors.cu", "layer_norm")) == "needs_alignment");
}

TEST_CASE("a sort that is fast for the definition's own keys alone needs a person") {
  const Json verdict = judged("fourth/sort_dense.cu", "merge_sort");
  CHECK(verdict.at("ruling") == "suspicious");
  CHECK(code_of(verdict) == "slower_on_other_data");
}

TEST_CASE("what is right and faster is accepted") {
  for (const auto& [candidate, definition] : {std::pair{"honest/layer_norm_b.cu", "layer_norm"},
                                              {"fourth/stencil_column.cu", "stencil"}}) {
    const Json verdict = judged(candidate, definition);
    CHECK(verdict.at("ruling") == "accepted");
    CHECK(code_of(verdict) == "");
  }
}

} // namespace judge_test
