// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/compile/monotone.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/search/compiled.hpp"

#include <algorithm>
#include <numeric>

namespace monotone_test {

using namespace gridsmith::detail;

namespace {

/// a of 1 … 5 at level 0; b of 1 … 40, or downwards, at level 1.
struct Long {
  explicit Long(bool downwards = false) {
    a = builder.variable(0, 0, false, {}, {1, 2, 3, 4, 5});
    std::vector<Word> words(40);
    std::iota(words.begin(), words.end(), 1);
    if (downwards)
      std::ranges::reverse(words);
    b = builder.variable(1, 1, false, {}, words);
  }

  Slot both(TermOp op, Slot x, Slot y, Range range = {0, 1}) {
    return builder.operation(op, {x, y, x}, 1, range);
  }

  Slot product(Slot x, Slot y) { return builder.combine(TermOp::product, x, y, 1); }

  Slot constant(Word word) { return builder.constant(word, false); }

  Direction direction(Slot slot) const { return direction_of(builder, slot, 1); }

  const std::vector<Bisection>& bisections_of(Slot compared) {
    builder.require(compared, 1);
    add_bisections(builder, 1);
    return builder.program.levels[1].bisections;
  }

  ProgramBuilder builder{2};
  Slot a = 0, b = 0;
};

} // namespace

TEST_CASE("monotone: directions follow the operations") {
  Long p;
  const Slot falling = p.product(p.constant(-2), p.b);
  CHECK(p.direction(p.a) == Direction::constant);
  CHECK(p.direction(p.b) == Direction::rising);
  CHECK(p.direction(falling) == Direction::falling);
  CHECK(p.direction(p.product(p.a, p.b)) == Direction::rising);
  CHECK(p.direction(p.builder.combine(TermOp::sum, p.a, falling, 1)) == Direction::falling);
  CHECK(p.direction(p.builder.combine(TermOp::sum, p.b, falling, 1)) == Direction::unknown);
  CHECK(p.direction(p.both(TermOp::floor_divide, p.b, p.a, {0, 40})) == Direction::rising);
  CHECK(p.direction(p.both(TermOp::floor_divide, p.a, p.b, {0, 5})) == Direction::unknown);
  CHECK(p.direction(p.both(TermOp::modulo, p.b, p.a, {0, 4})) == Direction::unknown);
  CHECK(p.direction(p.product(falling, p.b)) == Direction::unknown);
}

TEST_CASE("monotone: a comparison that turns once is bisected") {
  Long p;
  const Slot product = p.product(p.a, p.b);
  const auto& found = p.bisections_of(p.both(TermOp::less_equal, product, p.constant(60)));
  REQUIRE(found.size() == 1);
  CHECK(found[0].grows);
  CHECK(found[0].left == product);
  REQUIRE(found[0].program.size() == 1); // the product; the comparison is the bisection's
  CHECK(found[0].program[0].op == TermOp::product);
  Long q;
  const auto& other = q.bisections_of(q.both(TermOp::less, q.constant(60), q.product(q.a, q.b)));
  REQUIRE(other.size() == 1);
  CHECK_FALSE(other[0].grows);
}

TEST_CASE("monotone: what may turn more than once is not bisected") {
  Long rest;
  const Slot modulo = rest.both(TermOp::modulo, rest.b, rest.a, {0, 4});
  CHECK(rest.bisections_of(rest.both(TermOp::less, modulo, rest.constant(2))).empty());
  Long sides;
  CHECK(sides.bisections_of(sides.both(TermOp::less, sides.product(sides.a, sides.b), sides.b))
            .empty());
  Long other;
  CHECK(other.bisections_of(other.both(TermOp::not_equal, other.b, other.constant(3))).empty());
}

TEST_CASE("monotone: lists that do not ascend are not bisected") {
  Long p(true);
  CHECK(p.bisections_of(p.both(TermOp::less, p.b, p.constant(7))).empty());
}

} // namespace monotone_test
