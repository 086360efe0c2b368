// SPDX-License-Identifier: Apache-2.0
// Words of the command line that are more than a name or a number.
#include "gridsmith/tuner/cli/words.hpp"

#include "gridsmith/kernels/definition/problem_size.hpp"
#include "gridsmith/tests/fuzz/fuzz.hpp"

namespace gridsmith::fuzz::words {

namespace {

const std::vector<Parameter> parameters = {
    {"TILE", {std::int64_t{16}, std::int64_t{32}}}, {"PAD", {true, false}}, {"S", {0.5, 1.0}}};

void check_problem(std::string_view text) {
  const ProblemSize size = problem_size_from_text(text);
  require(!size.extents.empty() && size.extents.size() <= 3, "a problem of no or many extents");
  for (const std::int64_t extent : size.extents)
    require(extent > 0, "an extent below 1");
  require(problem_size_from_text(to_text(size)) == size, "a problem's text means another problem");
}

} // namespace

void run(const std::uint8_t* bytes, std::size_t count) {
  const std::string_view text = text_of(bytes, count);
  extents_of(text);
  answered([&] { check_problem(text); });
  answered([&] { require(!write_from_text(std::string(text)).file.empty(), "no file's name"); });
  answered([&] { require(capability_from_text(std::string(text)) >= 0, "a capability below 0"); });
  answered([&] { fixed_values_of_text(std::string(text), parameters); });
}

} // namespace gridsmith::fuzz::words
