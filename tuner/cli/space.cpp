#include "gridsmith/base/error.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/text_table.hpp"
#include "gridsmith/kernels/definition/instance.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/results/measurement/recording.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/interrupts.hpp"
#include "gridsmith/tuner/cli/words.hpp"
#include "gridsmith/tuner/presentation/progress.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <memory>

namespace gridsmith {
namespace {

struct SpaceOptions {
  std::vector<std::filesystem::path> include;
  std::string kernel, size, capability = "9.0", why;
  std::size_t sample = 0;
  std::uint64_t seed = 1;
  bool list = false, json = false;
};

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
  print(json_text(json, 2) + "\n");
}

void show_some(const SearchSpace& space, const SpaceOptions& options) {
  if (options.list)
    for (ConfigurationId id = 0; id < space.size(); ++id)
      print_line(to_text(space.at(id)));
  Random random(options.seed);
  if (options.sample > 0)
    for (const ConfigurationId id : space.sample(options.sample, random))
      print_line(to_text(space.at(id)));
}

void show(const SpaceOptions& options, const Installation& installation) {
  end_when_interrupted(); // a hard space may take for ever
  const KernelDefinition definition =
      read_definition(find_definition(options.kernel, installation.catalogue), options.include);
  const KernelInstance instance = instantiate(definition, problem_of(definition, options.size),
                                              device_of_text(options.capability));
  const auto start = std::chrono::steady_clock::now();
  ProgressLine line(stderr_is_terminal());
  const SearchSpace space =
      build_space(instance, [&](const SpaceProgress& progress) { return line.show(progress); });
  line.clear();
  const double ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();

  if (!options.why.empty()) {
    const auto reasons = space.why_not(configuration_from_text(options.why, space.parameters()));
    for (const std::string& reason : reasons)
      print_line(reason);
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
  add_include_option(*command, options->include);
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
