// SPDX-License-Identifier: Apache-2.0
// The counts of spaces that others have published. Their files lie beside the checkout, not in it;
// without them this test is shown as skipped.
#include "gridsmith/base/expression/expression.hpp"
#include "gridsmith/search/space/space.hpp"
#include "gridsmith/tests/catch.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace space_published_test {

using namespace gridsmith;

namespace {

using Json = nlohmann::ordered_json;

SearchSpace build(const Json& definition) {
  std::vector<Parameter> parameters;
  for (const auto& [name, values] : definition.at("params").items()) {
    parameters.push_back({name, {}});
    for (const Json& value : values)
      parameters.back().values.emplace_back(value.get<std::int64_t>());
  }
  std::vector<Constraint> constraints;
  const auto add = [&](const std::string& text) {
    constraints.push_back({Expression::parse(text), text});
  };
  for (const Json& text : definition.at("constraints"))
    add(text.get<std::string>());
  if (definition.contains("implicit") && definition.at("implicit").is_string())
    add(definition.at("implicit").get<std::string>());
  return SearchSpace::build(std::move(parameters), std::move(constraints));
}

constexpr const char* files[] = {"construction_spaces.json", "dev/spaces.json"};

std::ifstream open_or_skip(const std::string& name) {
  const std::string path = std::string(GRIDSMITH_SOURCE_DIR) + "/../shared/spaces/" + name;
  std::ifstream file(path);
  if (!file) {
    std::printf("skipped: %s is not here\n", path.c_str());
    std::exit(77); // CTest's word for skipped, as the build set it up
  }
  return file;
}

} // namespace

TEST_CASE("spaces: published counts") {
  for (const char* name : files) {
    std::ifstream file = open_or_skip(name);
    const Json document = Json::parse(file);
    for (const auto& [space_name, definition] : document.items()) {
      INFO(space_name);
      const SearchSpace space = build(definition);
      CHECK(space.size() == definition.at("valid").get<std::uint64_t>());
      CHECK(space.product() == definition.at("cartesian").get<double>());
      CHECK(space.report().size() >= definition.at("constraints").size());
      Random random(7);
      for (const ConfigurationId id : space.sample(200, random))
        CHECK(space.find(space.at(id)) == id);
    }
  }
}

} // namespace space_published_test
