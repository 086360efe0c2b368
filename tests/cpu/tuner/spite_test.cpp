// SPDX-License-Identifier: Apache-2.0
// Other data of the catalogue's kernels, filled on the host as the worker fills it: it is what its word says, and
// every definition can be opened with it.
#include "gridsmith/kernels/definition/filling.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/guard/spite.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

namespace spite_test {

using namespace gridsmith;

namespace {

struct Seen {
  std::uint64_t nan = 0, zero = 0, elements = 0;
  double largest = 0;
};

/// The first elements of all real vectors that a kernel reads and that no file fills.
Seen seen_in(const KernelDefinition& definition) {
  constexpr std::uint64_t most = 2048;
  const KernelInstance instance =
      instantiate(definition, definition.default_problem(), device_of_capability(90));
  const std::vector<ArgumentSpec> specs = argument_specs(instance);
  Seen seen;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (!specs[i].buffer || !is_real(specs[i].buffer->type) ||
        specs[i].buffer->type == ElementType::float16 || specs[i].buffer->fill == Fill::file ||
        definition.arguments[i].access == Access::write_only)
      continue;
    const FilledBuffer buffer(specs, DataSeed{1}, i);
    for (std::uint64_t k = 0; k < std::min(most, specs[i].buffer->elements); ++k) {
      const double value = buffer.value(k);
      ++seen.elements;
      seen.nan += std::isnan(value) ? 1 : 0;
      seen.zero += value == 0 ? 1 : 0;
      if (!std::isnan(value))
        seen.largest = std::max(seen.largest, std::abs(value));
    }
  }
  return seen;
}

} // namespace

TEST_CASE("in place of a permutation come numbers of its range, some of them twice") {
  const KernelDefinition sort =
      read_definition(GRIDSMITH_SOURCE_DIR "/kernels/catalogue/merge_sort/merge_sort.json", {});
  const std::vector<OtherData> others = other_data(sort);
  const auto drawn = std::find_if(others.begin(), others.end(), [](const OtherData& one) {
    return one.word == "numbers drawn at random";
  });
  REQUIRE(drawn != others.end());
  const std::uint64_t n = 1'000'003, step = 4294967295 / n;
  const auto specs = argument_specs(
      instantiate(drawn->definition, {{static_cast<std::int64_t>(n)}}, device_of_capability(90)));
  const FilledBuffer keys(specs, DataSeed{1}, 0);
  std::set<double> seen;
  int off = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const double key = keys.value(i);
    off += std::fmod(key, static_cast<double>(step)) != 0 ? 1 : 0;
    seen.insert(key);
  }
  CHECK(*seen.begin() >= 0);
  CHECK(*seen.rbegin() <= static_cast<double>((n - 1) * step));
  CHECK(off > 990'000);
  CHECK(seen.size() < n);
}

TEST_CASE("other data is what its word says, for every kernel of the catalogue") {
  std::map<std::string, int> kernels; // by the word
  for (const auto& file : catalogue(GRIDSMITH_SOURCE_DIR "/kernels/catalogue")) {
    for (const OtherData& one : other_data(read_definition(file, {}))) {
      INFO(file << ": " << one.word);
      const Seen seen = seen_in(one.definition);
      ++kernels[one.word];
      if (one.word == "zeros")
        CHECK(seen.zero == seen.elements);
      if (one.word == "small numbers")
        CHECK(seen.largest <= 1e-3);
      if (one.word == "large numbers")
        CHECK((seen.largest > 500 && seen.largest <= 1e3));
      if (one.word == "huge numbers")
        CHECK(seen.largest > 5e14);
      if (one.word == "denormal numbers")
        CHECK((seen.largest > 0 && seen.largest < 1.2e-38));
      if (one.word == "some NaN") {
        CHECK(seen.nan > 0);
        CHECK(seen.nan < seen.elements / 400);
        CHECK(seen.largest > 0.9);
        CHECK(seen.largest <= 1);
      } else {
        CHECK(seen.nan == 0);
      }
    }
  }
  CHECK(kernels.at("numbers drawn at random") == 2); // two sorts
  for (const auto& [word, count] : kernels)
    INFO(word << ": " << count);
  CHECK(kernels.at("some NaN") > 25);
  CHECK(kernels.at("largest integers") >= 3);
  CHECK(kernels.at("uneven rows") >= 1);
  CHECK(kernels.at("other constants") > 5);
}

} // namespace spite_test
