// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/compile/relax.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/search/compiled.hpp"

namespace relax_test {

using namespace gridsmith::detail;

namespace {

/// a of 1 … 12 is known, b of 2 … 4 not yet.
class Half {
public:
  Slot a() const { return a_; }

  Slot b() const { return b_; }

  Slot constant(Word word) { return builder_.constant(word, false); }

  Slot of_both(TermOp op, Slot x, Slot y, Range range, bool fallible = false) {
    return builder_.operation(op, {x, y, x}, 1, range, fallible);
  }

  Slot product(Slot x, Slot y) { return builder_.combine(TermOp::product, x, y, 1); }

  Slot sum(Slot x, Slot y) { return builder_.combine(TermOp::sum, x, y, 1); }

  Slot holds(TermOp op, Slot x, Slot y) { return of_both(op, x, y, {0, 1}); }

  std::optional<Slot> relaxed(Slot slot) { return relax(builder_, slot, 0); }

  /// Which a the relaxation to what is known leaves.
  std::vector<Word> left(Slot slot) {
    const auto needed = relaxed(slot);
    REQUIRE(needed);
    CHECK(builder_[*needed].level == 0);
    builder_.require(*needed, 0);
    std::vector<Word> words = builder_.program.constants, kept;
    for (const Word word : builder_.program.levels[0].words) {
      words[a_] = word;
      if (run(builder_.program.levels[0].program, words))
        kept.push_back(word);
    }
    return kept;
  }

private:
  Slot variable(int level, Word first, Word last) {
    std::vector<Word> words;
    for (Word word = first; word <= last; ++word)
      words.push_back(word);
    return builder_.variable(level, static_cast<std::uint32_t>(level), false, {}, words);
  }

  ProgramBuilder builder_{2};
  Slot a_ = variable(0, 1, 12), b_ = variable(1, 2, 4);
};

using Words = std::vector<Word>;

} // namespace

TEST_CASE("relax: an order with the best that the unknown can be") {
  Half p;
  CHECK(p.left(p.holds(TermOp::less_equal, p.product(p.a(), p.b()), p.constant(10))) ==
        Words{1, 2, 3, 4, 5}); // a * 2 <= 10
  Half s;
  CHECK(s.left(s.holds(TermOp::less, s.constant(14), s.sum(s.a(), s.b()))) ==
        Words{11, 12}); // 14 < a + 4
  Half n;
  const Slot falling = n.product(n.constant(-1), n.b());
  CHECK(n.left(n.holds(TermOp::less_equal, n.constant(7), n.sum(n.a(), falling))) ==
        Words{9, 10, 11, 12}); // 7 <= a - 2
}

TEST_CASE("relax: equalities by order, by divisors") {
  Half s;
  CHECK(s.left(s.holds(TermOp::equal, s.sum(s.a(), s.b()), s.constant(6))) == Words{2, 3, 4});
  Half p;
  CHECK(p.left(p.holds(TermOp::equal, p.product(p.a(), p.b()), p.constant(20))) ==
        Words{1, 2, 4, 5, 10}); // 20 % a == 0
  Half m;
  const Slot rest = m.of_both(TermOp::modulo, m.constant(18), m.product(m.a(), m.b()), {0, 48});
  CHECK(m.left(m.holds(TermOp::equal, rest, m.constant(0))) == Words{1, 2, 3, 6, 9});
}

TEST_CASE("relax: logic where both sides are defined") {
  Half p;
  const Slot small = p.holds(TermOp::less_equal, p.product(p.a(), p.b()), p.constant(6));
  const Slot large = p.holds(TermOp::less, p.constant(14), p.sum(p.a(), p.b()));
  CHECK(p.left(p.holds(TermOp::logical_or, small, large)) == Words{1, 2, 3, 11, 12});
  Half u;
  const Slot known = u.holds(TermOp::less, u.a(), u.constant(3));
  const Slot open = u.of_both(TermOp::modulo, u.a(), u.b(), {0, 3});
  CHECK_FALSE(u.relaxed(u.holds(TermOp::logical_or, known, open)));
  CHECK(u.relaxed(u.holds(TermOp::logical_and, known, open)));
  const Slot fallible = u.of_both(TermOp::floor_divide, u.a(), u.b(), {0, 6}, true);
  CHECK_FALSE(u.relaxed(u.holds(TermOp::logical_and, known, fallible)));
}

TEST_CASE("relax: what is always so says nothing, what is known stays") {
  Half p;
  CHECK_FALSE(p.relaxed(p.holds(TermOp::less_equal, p.product(p.a(), p.b()), p.constant(24))));
  CHECK_FALSE(p.relaxed(p.holds(TermOp::not_equal, p.a(), p.b())));
  CHECK(p.relaxed(p.a()) == p.a());
}

TEST_CASE("relax: required at each earlier level that it reads") {
  ProgramBuilder builder(3);
  const Slot a = builder.variable(0, 0, false, {}, {1, 2, 3});
  builder.variable(1, 1, false, {}, {1, 2, 3});
  const Slot c = builder.variable(2, 2, false, {}, {1, 2, 3});
  const Slot product = builder.combine(TermOp::product, a, c, 2);
  const Slot limit = builder.constant(2, false);
  const Slot root = builder.operation(TermOp::less_equal, {product, limit, product}, 2, {0, 1});
  add_relaxations(builder, std::vector<Requirement>{{root, 2}});
  REQUIRE(!builder.program.levels[0].program.empty());
  CHECK(builder.program.levels[0].program.back().kind == Instruction::Kind::require);
  CHECK(builder.program.levels[1].program.empty()); // nothing new is known there
}

} // namespace relax_test
