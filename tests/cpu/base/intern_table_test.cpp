// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/intern_table.hpp"
#include "gridsmith/base/random.hpp"
#include "gridsmith/tests/catch.hpp"

#include <map>

namespace intern_table_test {

using namespace gridsmith;

namespace {

/// Words by number, with a hash of our choice.
struct Words {
  explicit Words(std::uint64_t (*of_word)(std::uint64_t), std::size_t expected = 0)
      : hash(of_word), table(expected) {}

  std::uint32_t number(std::uint64_t word) {
    const auto same = [&](std::uint32_t i) { return stored[i] == word; };
    const auto stored_hash = [&](std::uint32_t i) { return hash(stored[i]); };
    const std::uint32_t found = table.intern(hash(word), same, stored_hash);
    if (found == stored.size())
      stored.push_back(word);
    return found;
  }

  std::optional<std::uint32_t> find(std::uint64_t word) const {
    return table.find(hash(word), [&](std::uint32_t i) { return stored[i] == word; });
  }

  std::uint64_t (*hash)(std::uint64_t);
  InternTable table;
  std::vector<std::uint64_t> stored;
};

void check_against_map(Words words, std::size_t draws) {
  std::map<std::uint64_t, std::uint32_t> known;
  Random random(3);
  for (std::size_t i = 0; i < draws; ++i) {
    const std::uint64_t word = below(random, draws / 2);
    CHECK(words.find(word).has_value() == known.contains(word));
    const auto next = static_cast<std::uint32_t>(known.size());
    CHECK(words.number(word) == known.try_emplace(word, next).first->second);
    CHECK(words.table.size() == known.size());
  }
  for (const auto& [word, number] : known)
    CHECK(words.find(word) == number);
}

} // namespace

TEST_CASE("equal things get the same number, new ones the next") {
  const auto spread = [](std::uint64_t word) { return mix(0, word); };
  check_against_map(Words(spread), 5000);
  check_against_map(Words(spread, 5000), 5000);
}

TEST_CASE("things of one hash are told apart") {
  check_against_map(Words([](std::uint64_t) { return std::uint64_t{7}; }), 300);
  check_against_map(Words([](std::uint64_t word) { return mix(0, word % 5); }), 300);
}

TEST_CASE("the order of what is mixed counts") {
  CHECK(mix(mix(0, 1), 2) != mix(mix(0, 2), 1));
  CHECK(mix(0, 1) != mix(0, 2));
}

} // namespace intern_table_test
