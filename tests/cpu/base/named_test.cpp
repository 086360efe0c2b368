// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/named.hpp"
#include "gridsmith/tests/catch.hpp"

namespace named_test {

using namespace gridsmith;

struct Entry {
  std::string name;
  int value;
};

TEST_CASE("an entry is found by its name, the first of two") {
  const std::vector<Entry> list = {{"one", 1}, {"two", 2}, {"two", 3}};
  CHECK(names_in(list) == std::vector<std::string>{"one", "two", "two"});
  CHECK(find_named("two", list) == &list[1]);
  CHECK(find_named("three", list) == nullptr);
  CHECK(entry_named("one", list, "number").value == 1);
  CHECK_THROWS_WITH(entry_named("tow", list, "number"),
                    "unknown number 'tow'; did you mean 'two'? (valid: one, two, two)");
}

} // namespace named_test
