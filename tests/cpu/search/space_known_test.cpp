// SPDX-License-Identifier: Apache-2.0
// Spaces of T1 files whose counts are known: those of tests/data, counted once by another program
// and here by brute force.
#include "gridsmith/base/expression/value_list.hpp"
#include "gridsmith/search/space/space.hpp"
#include "gridsmith/tests/catch.hpp"

#include <nlohmann/json.hpp>

#include <fstream>

namespace space_known_test {

using namespace gridsmith;

namespace {

using Json = nlohmann::json;

struct Known {
  const char* name;
  double product;
  std::uint64_t size;
};

constexpr Known known[] = {
    {"tiled_product", 9216, 3057}, {"halo_stencil", 4000, 948}, {"layouts", 13824, 2147}};

Json configuration_space(const std::string& name) {
  std::ifstream file(std::string(GRIDSMITH_SOURCE_DIR) + "/tests/data/spaces/" + name + ".json");
  REQUIRE(file);
  return Json::parse(file).at("ConfigurationSpace");
}

std::vector<Parameter> parameters_of(const Json& space) {
  std::vector<Parameter> parameters;
  for (const Json& parameter : space.at("TuningParameters"))
    parameters.push_back({parameter.at("Name").get<std::string>(),
                          parse_value_list(parameter.at("Values").get<std::string>())});
  return parameters;
}

std::vector<Constraint> constraints_of(const Json& space) {
  std::vector<Constraint> constraints;
  for (const Json& condition : space.at("Conditions")) {
    const auto text = condition.at("Expression").get<std::string>();
    constraints.push_back({Expression::parse(text), text});
  }
  return constraints;
}

/// How many rows of the product the constraints allow, one after the other.
std::uint64_t brute_force(const std::vector<Parameter>& parameters,
                          const std::vector<Constraint>& constraints) {
  std::vector<std::size_t> row(parameters.size());
  const Lookup lookup = [&](std::string_view name) -> const Value* {
    for (std::size_t i = 0; i < row.size(); ++i)
      if (parameters[i].name == name)
        return &parameters[i].values[row[i]];
    return nullptr;
  };
  const auto holds = [&](const Constraint& constraint) {
    try {
      return is_true(constraint.expression.evaluate(lookup));
    } catch (const EvaluationError&) {
      return false;
    }
  };
  for (std::uint64_t count = 0;;) {
    bool valid = true;
    for (const Constraint& constraint : constraints)
      valid = valid && holds(constraint);
    count += valid;
    std::size_t i = 0;
    while (i < row.size() && ++row[i] == parameters[i].values.size())
      row[i++] = 0;
    if (i == row.size())
      return count;
  }
}

} // namespace

TEST_CASE("spaces: known counts") {
  for (const auto& [name, product, size] : known) {
    INFO(name);
    const Json definition = configuration_space(name);
    const std::vector<Parameter> parameters = parameters_of(definition);
    const std::vector<Constraint> constraints = constraints_of(definition);
    const SearchSpace space = SearchSpace::build(parameters, constraints);
    CHECK(space.product() == product);
    CHECK(space.size() == size);
    CHECK(brute_force(parameters, constraints) == size);
    for (ConfigurationId id = 0; id < space.size(); id += 7)
      CHECK(space.find(space.at(id)) == id);
  }
}

} // namespace space_known_test
