// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/compile/terms.hpp"
#include "gridsmith/tests/catch.hpp"

#include <cmath>

namespace terms_test {

using namespace gridsmith::detail;

namespace {

struct Table : TermTable {
  TermId a = variable(0, TermType::integer, 1, 8);
  TermId b = variable(1, TermType::integer, 0, 4);
  TermId x = variable(2, TermType::real, 0.5, 2);
  TermId mode = variable(3, TermType::text, 0, 0);

  Word known(TermId id) const {
    REQUIRE(is_constant(id));
    return (*this)[id].word;
  }

  void check_range(TermId id, double low, double high) const {
    REQUIRE(id != no_term);
    CHECK((*this)[id].low == low);
    CHECK((*this)[id].high == high);
  }
};

} // namespace

TEST_CASE("terms: the same term is stored once, however it was written") {
  Table t;
  const TermId sum = t.add(t.a, t.add(t.b, t.integer(3)));
  const std::size_t size = t.size();
  CHECK(t.add(t.add(t.integer(3), t.a), t.b) == sum);
  CHECK(t.size() == size + 1); // the partial sum 3 + a
  CHECK(t[sum].op == TermOp::sum);
  CHECK(t.arguments(sum).size() == 3);
  CHECK(t.multiply(t.a, t.b) == t.multiply(t.b, t.a));
  CHECK(t.subtract(t.a, t.b) == t.add(t.a, t.multiply(t.b, t.integer(-1))));
}

TEST_CASE("terms: what is known is folded") {
  Table t;
  CHECK(t.known(t.power(t.integer(2), t.integer(10))) == 1024);
  CHECK(t.known(t.divide_whole(TermOp::floor_divide, t.integer(-7), t.integer(2))) == -4);
  CHECK(t.known(t.divide_whole(TermOp::modulo, t.integer(7), t.integer(0))) == undefined);
  CHECK(to_real(t.known(t.divide(t.integer(7), t.integer(2)))) == 3.5);
  CHECK(t.known(t.compare(TermOp::less, t.a, t.integer(9))) == 1);
  CHECK(t.known(t.compare(TermOp::equal, t.a, t.integer(0))) == 0);
  CHECK(t.known(t.compare(TermOp::less_equal, t.a, t.integer(0))) == 0);
  CHECK(t.known(t.compare(TermOp::equal, t.mode, t.a)) == 0); // a text never equals a number
  CHECK(t.add(t.a, t.integer(0)) == t.a);
  CHECK(t.logical(TermOp::logical_or, t.integer(0), t.b) == t.b);
  CHECK(t.logical(TermOp::logical_and, t.integer(0), t.b) == t.integer(0));
  CHECK(t.whole(TermOp::floor, t.a) == t.a);
}

TEST_CASE("terms: ranges follow from those of the operands") {
  Table t;
  t.check_range(t.add(t.a, t.b), 1, 12);
  t.check_range(t.subtract(t.b, t.a), -8, 3);
  t.check_range(t.multiply(t.subtract(t.b, t.a), t.a), -64, 24);
  t.check_range(t.divide_whole(TermOp::modulo, t.integer(100), t.a), 0, 8);
  t.check_range(t.divide_whole(TermOp::floor_divide, t.b, t.a), 0, 4);
  t.check_range(t.divide(t.a, t.x), 0.5, 16);
  t.check_range(t.extreme(TermOp::greatest, t.a, t.b), 1, 8);
  t.check_range(t.absolute(t.subtract(t.b, t.a)), 0, 8);
  t.check_range(t.log2(t.a), 0, 3);
  t.check_range(t.select(t.b, t.a, t.integer(-1)), -1, 8);
}

TEST_CASE("terms: what may be undefined is marked, and all that reads it") {
  Table t;
  const TermId rest = t.divide_whole(TermOp::modulo, t.a, t.b);
  CHECK(t[rest].fallible);
  CHECK(t[t.compare(TermOp::equal, rest, t.integer(0))].fallible);
  CHECK_FALSE(t[t.divide_whole(TermOp::modulo, t.b, t.a)].fallible);
  CHECK(t[t.log2(t.b)].fallible);
}

TEST_CASE("terms: what 64 bits may not hold is kept where it is only compared with less") {
  Table t;
  const TermId far = t.power(t.a, t.integer(60));
  CHECK_FALSE(t[far].fallible);
  t.check_range(far, 0, std::pow(8, 60));
  CHECK(t[t.multiply(far, t.b)].op == TermOp::multiply);
  CHECK(t[t.add(far, t.b)].op == TermOp::add);
  CHECK(t.compare(TermOp::less, far, t.b) != no_term);
  CHECK(t.compare(TermOp::less, far, t.add(far, t.b)) == no_term); // both at their end
  CHECK(t.subtract(far, t.power(t.b, t.integer(60))) == no_term);  // of either sign
  CHECK(t.divide_whole(TermOp::modulo, far, t.a) == no_term);
  CHECK(t.divide_whole(TermOp::modulo, t.a, far) == no_term);
  CHECK(t.add(far, t.x) == no_term); // a real would be rounded
  CHECK(t.multiply(far, far) != no_term);
  CHECK(t.power(t.a, t.integer(5000)) == no_term); // an error of the tree, by its bits
  CHECK(t.integer(undefined) != no_term);
}

TEST_CASE("terms: reals that Python holds as integers stay where both are exact") {
  Table t;
  const TermId either = t.variable(4, TermType::real, 0, 1e9, true);
  CHECK(t[t.add(either, t.a)].mixed);
  CHECK_FALSE(t[t.add(either, t.x)].mixed);
  CHECK_FALSE(t[t.divide(either, t.a)].mixed);
  CHECK(t.multiply(either, either) == no_term);
  CHECK(t.multiply(t.multiply(either, t.x), either) != no_term);
}

TEST_CASE("terms: what they cannot express is left to the tree") {
  Table t;
  CHECK(t.compare(TermOp::less, t.mode, t.text(1)) == no_term);
  CHECK(t.add(t.mode, t.a) == no_term);
  CHECK(t.power(t.subtract(t.a, t.integer(3)), t.x) == no_term); // roots of negative numbers
  CHECK(t.real(1e300 * 1e300) == no_term);
  CHECK(t.select(t.a, t.x, t.x) == no_term);
}

} // namespace terms_test
