// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/random.hpp"
#include "gridsmith/tests/catch.hpp"

#include <cstdlib>
#include <set>
#include <vector>

namespace random_test {

using namespace gridsmith;

TEST_CASE("draws are the same everywhere") {
  Random random(42);
  CHECK(below(random, 1000) == 755);
  CHECK(below(random, 1000) == 639);
  for (int i = 0; i < 1000; ++i) {
    const double drawn = unit(random);
    CHECK((drawn >= 0 && drawn < 1));
    CHECK(below(random, 1) == 0);
  }
}

TEST_CASE("a shuffle that remembers what moved is uniform and repeats nothing") {
  std::vector<int> first(5, 0);
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    Random random(seed);
    LazyShuffle shuffle(5);
    std::set<std::uint64_t> drawn;
    ++first[shuffle.draw(random)];
    while (shuffle.left() > 0)
      drawn.insert(shuffle.draw(random));
    CHECK(drawn.size() == 4);
  }
  for (const int count : first)
    CHECK(std::abs(count - 1000) < 130); // 4.6 standard deviations
  LazyShuffle huge(std::uint64_t{1} << 62);
  Random random(1);
  CHECK(huge.draw(random) != huge.draw(random));
}

TEST_CASE("what is taken leaves its place to the last") {
  LazyShuffle shuffle(4);
  CHECK(shuffle.take(1) == 1);
  CHECK(shuffle.take(1) == 3);
  CHECK(shuffle.take(1) == 2);
  CHECK(shuffle.take(0) == 0);
  CHECK(shuffle.left() == 0);
}

} // namespace random_test
