// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/compile/order.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/search/compiled.hpp"

#include <algorithm>

namespace order_test {

using namespace gridsmith;
using namespace gridsmith::detail;

namespace {

/// Names of the parameters in the order chosen.
std::vector<std::string> ordered(const std::vector<Parameter>& parameters,
                                 const std::vector<std::string>& texts) {
  Compiled all(parameters, texts);
  std::vector<std::uint32_t> domain(all.compiler.terms().size());
  for (const TermId id : all.group.variables)
    domain[id] = static_cast<std::uint32_t>(all.values[id].size());
  choose_order(all.compiler.terms(), all.group, domain);
  std::vector<std::string> names;
  for (const TermId id : all.group.variables)
    names.push_back(parameters[static_cast<std::size_t>(all.compiler.terms()[id].word)].name);
  return names;
}

} // namespace

TEST_CASE("order: two variables stay as they are") {
  CHECK(ordered({{"a", integers(1, 9)}, {"b", integers(1, 3)}}, {"a % b == 0"}) ==
        std::vector<std::string>{"a", "b"});
}

TEST_CASE("order: what ties the others together does not come last") {
  const auto names = ordered(
      {{"a", integers(1, 20)}, {"c", integers(1, 20)}, {"b", integers(1, 20)}}, {"a < b", "b < c"});
  CHECK(names.back() != "b");
}

TEST_CASE("order: a chain of many is followed from link to link") {
  std::vector<Parameter> parameters;
  std::vector<std::string> texts;
  for (const char name : std::string("ahbicjdkelfmgn")) // more than are ordered exactly
    parameters.push_back({std::string(1, name), integers(1, 6)});
  for (char name = 'a'; name < 'n'; ++name)
    texts.push_back(std::string(1, name) + " <= " + static_cast<char>(name + 1));
  const auto names = ordered(parameters, texts);
  REQUIRE(names.size() == 14);
  std::string assigned;
  std::size_t open = 0; // the most variables that later ones still compare with
  for (const std::string& name : names) {
    assigned += name;
    open = std::max(open, static_cast<std::size_t>(std::ranges::count_if(assigned, [&](char c) {
                      const auto is_out = [&](char other) {
                        return other >= 'a' && other <= 'n' &&
                               assigned.find(other) == std::string::npos;
                      };
                      return is_out(static_cast<char>(c - 1)) || is_out(static_cast<char>(c + 1));
                    })));
  }
  CHECK(open <= 2); // 7 in the order given
}

} // namespace order_test
