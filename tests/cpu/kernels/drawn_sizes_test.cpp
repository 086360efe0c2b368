// SPDX-License-Identifier: Apache-2.0
// Sizes that nobody asked for: where they lie, and what they look like.
#include "gridsmith/kernels/definition/drawn_sizes.hpp"
#include "gridsmith/tests/catch.hpp"

#include <bit>
#include <limits>
#include <set>

namespace drawn_sizes_test {

using namespace gridsmith;

namespace {

using Sizes = std::vector<std::vector<std::int64_t>>;

bool any(const std::vector<std::int64_t>&) {
  return true;
}

} // namespace

TEST_CASE("Drawn sizes lie around those asked for, in four forms, each once") {
  const Sizes asked = {{256, 4096}, {1024, 1024}, {4096, 64}};
  const Sizes drawn = drawn_sizes(asked, 200, 1, any);
  REQUIRE(drawn.size() == 200);
  std::set<std::vector<std::int64_t>> once(asked.begin(), asked.end());
  std::size_t powers = 0, multiples = 0, odd = 0, twice_odd = 0, below = 0;
  for (const auto& size : drawn) {
    CHECK(once.insert(size).second);
    REQUIRE(size.size() == 2);
    CHECK((size[0] >= 181 && size[0] <= 5792));
    CHECK((size[1] >= 45 && size[1] <= 5792));
    for (const std::int64_t extent : size) {
      powers += std::has_single_bit(static_cast<std::uint64_t>(extent));
      multiples += extent % 32 == 0;
      odd += extent % 2 == 1;
      twice_odd += extent % 4 == 2;
      below += extent < 512;
    }
  }
  CHECK((powers > 60 && multiples > 120 && odd > 60 && twice_odd > 60));
  CHECK((below > 80 && below < 320)); // log-uniform
  CHECK(drawn_sizes(asked, 200, 1, any) == drawn);
  CHECK(drawn_sizes(asked, 200, 2, any) != drawn);
}

TEST_CASE("What is the same at all sizes asked for stays the same") {
  for (const auto& size : drawn_sizes({{512, 512, 3}, {2048, 2048, 3}}, 50, 1, any)) {
    CHECK(size[0] == size[1]);
    CHECK(size[2] == 3);
  }
  std::set<std::int64_t> first, second;
  for (const auto& size : drawn_sizes({{512, 512}}, 50, 1, any)) {
    first.insert(size[0]);
    second.insert(size[1]);
  }
  CHECK((first.size() > 5 && second.size() > 5)); // one size says nothing of what goes together
}

TEST_CASE("Only sizes that are accepted are drawn, and at most as many as there are") {
  const auto multiples = [](const std::vector<std::int64_t>& size) { return size[0] % 128 == 0; };
  const Sizes some = drawn_sizes({{256}, {8192}}, 10, 1, multiples);
  CHECK(some.size() == 10);
  for (const auto& size : some)
    CHECK(size[0] % 128 == 0);
  CHECK(drawn_sizes({{2}}, 20, 1, any).size() <= 2); // 1 and 3 … of 2, half a doubling around
  CHECK(drawn_sizes({{64}, {128}}, 20, 1, [](const auto&) { return false; }).empty());
  CHECK(drawn_sizes({{64}, {128}}, 0, 1, any).empty());
  const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t least : {std::int64_t{1}, largest - 1})
    for (const auto& size : drawn_sizes({{least}, {largest}}, 50, 1, any))
      CHECK((size[0] >= 1 && size[0] < std::int64_t{1} << 62));
}

} // namespace drawn_sizes_test
