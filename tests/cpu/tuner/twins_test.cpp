// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/gpu/twins.hpp"

namespace twins_test {

using namespace gridsmith;

using Turn = Twins::Turn;
using Numbers = std::vector<Twins::Number>;

namespace {

Measurement measured(const std::string& name) {
  Measurement one;
  one.configuration = {{"X", name}};
  return one;
}

} // namespace

TEST_CASE("one of equal launches is measured, those that come meanwhile wait, later ones share") {
  Twins twins;
  CHECK(twins.join(1, "a") == Turn::measure);
  CHECK(twins.join(2, "a") == Turn::wait);
  CHECK(twins.join(3, "b") == Turn::measure);
  CHECK(twins.measured(1, measured("first")) == Numbers{2});
  CHECK(to_text(twins.answer(2).configuration) == "X=first");
  CHECK(twins.join(4, "a") == Turn::share);
  CHECK(to_text(twins.answer(4).configuration) == "X=first");
  CHECK(twins.measured(3, measured("other")).empty());
  CHECK(twins.measured(99, measured("none of them")).empty());
}

TEST_CASE("code of which nothing is known has no twins") {
  Twins twins;
  CHECK(twins.join(1, "") == Turn::measure);
  CHECK(twins.join(2, "") == Turn::measure);
  CHECK(twins.measured(1, measured("first")).empty());
}

TEST_CASE("when the one that is measured leaves, the next is measured in its place") {
  Twins twins;
  for (const Twins::Number number : {1, 2, 3, 4})
    twins.join(number, "a");
  CHECK_FALSE(twins.left(3)); // it waited
  CHECK(twins.left(1) == Twins::Number{2});
  CHECK(twins.measured(2, measured("second")) == Numbers{4});
  CHECK(twins.join(5, "b") == Turn::measure);
  CHECK_FALSE(twins.left(5));
  CHECK(twins.join(6, "b") == Turn::measure); // as if it had never been
}

TEST_CASE("equal launches have equal code, geometry and shared memory") {
  CodeObject code;
  code.kernel = "k";
  CHECK(launch_key(code, {}).empty()); // it did not compile
  code.cubin = std::make_shared<const Bytes>(Bytes{1});
  CHECK(launch_key(code, {}).empty()); // of another compiler, say
  code.code_hash = "abc";
  const std::string key = launch_key(code, {});
  Geometry other;
  other.dynamic_shared_bytes = 16;
  CHECK(launch_key(code, other) != key);
  other = {};
  other.block[1] = 2;
  CHECK(launch_key(code, other) != key);
  CodeObject kernel = code;
  kernel.kernel = "another"; // of the same bytes, which may hold both
  CHECK(launch_key(kernel, {}) != key);
  kernel = code;
  kernel.command = "nvcc -DX=2";
  CHECK(launch_key(kernel, {}) == key);
}

} // namespace twins_test
