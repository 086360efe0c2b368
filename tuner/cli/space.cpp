#include "gridsmith/base/error.hpp"
#include "gridsmith/base/text_table.hpp"
#include "gridsmith/kernels/definition/instance.hpp"
#include "gridsmith/kernels/definition/read_definition.hpp"
#include "gridsmith/results/measurement/recording.hpp"
#include "gridsmith/tuner/cli/command.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <sstream>

namespace gridsmith {
namespace {

struct SpaceOptions {
  std::string kernel, size, capability = "9.0", why;
  std::size_t sample = 0;
  std::uint64_t seed = 1;
  bool list = false, json = false;
};

/// "A=1,B=2" or "A=1 B=2", values matched to those of the parameters.
Configuration configuration_from_text(const std::string& text, const SearchSpace& space) {
  std::string spaced = text;
  std::replace(spaced.begin(), spaced.end(), ',', ' ');
  std::istringstream words(spaced);
  std::vector<std::string> names;
  for (const Parameter& parameter : space.parameters())
    names.push_back(parameter.name);
  Configuration configuration;
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const auto found = std::find(names.begin(), names.end(), name);
    if (equals == std::string::npos || found == names.end())
      throw InputError("--why-not: " + unknown_name("parameter", name, names));
    const std::string value = word.substr(equals + 1);
    const auto& values = space.parameters()[static_cast<std::size_t>(found - names.begin())].values;
    const auto same = std::find_if(values.begin(), values.end(),
                                   [&](const Value& v) { return to_text(v) == value; });
    if (same == values.end()) {
      std::vector<std::string> valid;
      for (const Value& one : values)
        valid.push_back(to_text(one));
      throw InputError("--why-not: " + unknown_name("value of " + name, value, valid));
    }
    configuration.emplace_back(name, *same);
  }
  return configuration;
}

std::string constraint_table(const SearchSpace& space) {
  Table table({{"removed", ""}, {"constraint", "", true}, {"", "", true}});
  for (const ConstraintReport& report : space.report())
    table.add({number_text(report.removed), report.text,
               report.never_true         ? "never holds"
               : report.always_true      ? "always holds"
               : report.division_by_zero ? "divides by zero for some values"
                                         : ""});
  return table.text();
}

void show_json(const SearchSpace& space, double build_ms) {
  nlohmann::json json = {
      {"size", space.size()}, {"product", space.product()}, {"build_ms", build_ms}};
  for (const Parameter& parameter : space.parameters())
    for (const Value& value : parameter.values)
      json["parameters"][parameter.name].push_back(to_text(value));
  for (const ConstraintReport& report : space.report())
    json["constraints"].push_back({{"text", report.text},
                                   {"removed", report.removed},
                                   {"always_holds", report.always_true},
                                   {"never_holds", report.never_true},
                                   {"division_by_zero", report.division_by_zero}});
  json["conflict_set"] = space.conflict_set();
  print(json.dump(2) + "\n");
}

void show_some(const SearchSpace& space, const SpaceOptions& options) {
  if (options.list)
    for (ConfigurationId id = 0; id < space.size(); ++id)
      print(to_text(space.at(id)) + "\n");
  Random random(options.seed);
  if (options.sample > 0)
    for (const ConfigurationId id : space.sample(options.sample, random))
      print(to_text(space.at(id)) + "\n");
}

void show(const SpaceOptions& options, const Installation& installation) {
  const KernelDefinition definition =
      read_definition(find_definition(options.kernel, installation.catalogue));
  const KernelInstance instance = instantiate(definition, problem_of(definition, options.size),
                                              device_of_text(options.capability));
  const auto start = std::chrono::steady_clock::now();
  const SearchSpace space = build_space(instance);
  const double ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();

  if (!options.why.empty()) {
    const auto reasons = space.why_not(configuration_from_text(options.why, space));
    for (const std::string& reason : reasons)
      print(reason + "\n");
    return print(reasons.empty() ? "it is in the space\n" : "");
  }
  if (options.json)
    return show_json(space, ms);
  if (options.list || options.sample > 0)
    return show_some(space, options);
  print(fmt::format("{} {}: {} configurations of a product of {}, built in {} ms\n\n",
                    definition.name, to_text(instance.problem), space.size(),
                    number_text(space.product()), number_text(ms)));
  Table table({{"parameter", "", true}, {"values", "", true}});
  for (const Parameter& parameter : space.parameters()) {
    std::string values;
    for (const Value& value : parameter.values)
      values += (values.empty() ? "" : ", ") + to_text(value);
    table.add({parameter.name, values});
  }
  print(table.text() + "\n" + constraint_table(space));
  refuse_empty(space);
}

} // namespace

void add_space_command(CLI::App& app, const Installation& installation) {
  CLI::App* command =
      app.add_subcommand("space", "Show a search space: size, constraints, samples");
  const auto options = std::make_shared<SpaceOptions>();
  command->add_option("kernel", options->kernel, "Name of the catalogue or a T1 JSON file")
      ->type_name("KERNEL")
      ->required();
  command->add_option("--size", options->size, "Problem size; default: the definition's first");
  command->add_option("--capability", options->capability, "Compute capability whose limits count")
      ->capture_default_str();
  command->add_flag("--list", options->list, "Every configuration, one per line");
  command->add_option("--sample", options->sample, "So many configurations, uniformly drawn");
  command->add_option("--seed", options->seed, "Seed of the sample")->capture_default_str();
  command->add_option("--why-not", options->why,
                      "Why this configuration is not in the space: \"A=1,B=2\"");
  command->add_flag("--json", options->json, "As JSON");
  command->callback([options, &installation] { show(*options, installation); });
}

} // namespace gridsmith
