// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/base/text_table.hpp"
#include "gridsmith/kernels/definition/first_guesses.hpp"
#include "gridsmith/kernels/definition/unused_parameters.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/definitions/named_instance.hpp"
#include "gridsmith/tuner/cli/definitions/partial.hpp"
#include "gridsmith/tuner/cli/definitions/value_examples.hpp"
#include "gridsmith/tuner/presentation/progress.hpp"
#include "gridsmith/tuner/presentation/shown_file.hpp"
#include "gridsmith/tuner/presentation/terminal.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>

namespace gridsmith {
namespace {

std::string constraint_table(const SearchSpace& space) {
  Table table({{"removes", ""}, {"", "", true}, {"constraint", "", true}});
  for (const ConstraintReport& report : space.report())
    // Each for itself, of the whole product: what two exclude counts twice.
    table.add({number_text(report.removed),
               report.never_true         ? "never holds"
               : report.always_true      ? "always holds"
               : report.division_by_zero ? "divides by zero for some values"
                                         : "",
               report.text});
  return table.text(terminal_of(STDOUT_FILENO).width);
}

/// What every JSON of this command begins with.
nlohmann::json json_head(const KernelInstance& instance) {
  return {{"kernel", instance.definition.name},
          {"definition", instance.definition.file.string()},
          {"problem", to_text(instance.problem)}};
}

void show_json(const KernelInstance& instance, const SearchSpace& space, double build_ms) {
  nlohmann::json json = json_head(instance);
  json["size"] = space.size();
  json["product"] = count_json(space.product());
  json["build_ms"] = build_ms;
  for (const Parameter& parameter : space.parameters())
    for (const Value& value : parameter.values)
      json["parameters"][parameter.name].push_back(to_text(value));
  for (const ConstraintReport& report : space.report())
    json["constraints"].push_back({{"text", report.text},
                                   {"removed", count_json(report.removed)},
                                   {"always_holds", report.always_true},
                                   {"never_holds", report.never_true},
                                   {"division_by_zero", report.division_by_zero}});
  json["unused_parameters"] = unused_parameters(instance);
  json["in_no_configuration"] = grouped_json(absent_values(instance, space));
  json["conflict_set"] = space.conflict_set();
  print(json_text(json, 2) + "\n");
}

/// Written as they come: a list may be longer than memory.
class ConfigurationWriter {
public:
  ConfigurationWriter(const KernelInstance& instance, const SearchSpace& space, bool json)
      : space_(space), json_(json) {
    if (!json_)
      return;
    nlohmann::json head = json_head(instance);
    head["size"] = space.size();
    std::string text = json_text(head);
    text.pop_back(); // its brace
    print(text + ", \"configurations\": [");
  }

  void write(ConfigurationId id) {
    const Configuration configuration = space_.at(id);
    if (!json_)
      return print_line(to_text(configuration));
    print((first_ ? "\n" : ",\n") + json_text(object_of(configuration)));
    first_ = false;
  }

  void end() const {
    if (json_)
      print("]}\n");
  }

private:
  const SearchSpace& space_;
  bool json_, first_ = true;
};

void show_partial(const KernelInstance& instance, const std::string& why, bool as_json,
                  const SpaceWatch& watch) {
  const PartialAnswer answer =
      ask_partial(instance, fixed_values_of_text(why, instance.parameters), watch);
  if (as_json) {
    nlohmann::json json = json_head(instance);
    json.update(to_json(answer));
    print(json_text(json, 2) + "\n");
  } else {
    print(to_text(answer));
  }
  if (answer.configurations == 0)
    throw CommandFailed(exit_failed, "");
}

/// @param file as a person names it
void show_text(const KernelInstance& instance, const std::string& file, const SearchSpace& space,
               double build_ms) {
  print(wrapped(fmt::format("{}: {} {}, {} of a product of {}, built in {} ms", file,
                            instance.definition.name, to_text(instance.problem),
                            counted(space.size(), "configuration"), number_text(space.product()),
                            number_text(build_ms)),
                terminal_of(STDOUT_FILENO).width, 2) +
        "\n\n");
  Table table({{"parameter", "", true}, {"values", "", true}});
  for (const Parameter& parameter : space.parameters())
    table.add({parameter.name, values_text(parameter.values)});
  print(table.text(terminal_of(STDOUT_FILENO).width) + "\n");
  if (const auto absent = absent_values(instance, space); !absent.empty() && space.size() > 0)
    print(wrapped("In no configuration: " + grouped_text(absent), terminal_of(STDOUT_FILENO).width,
                  2) +
          "\n\n");
  print(constraint_table(space));
  const auto removes = [](const ConstraintReport& report) { return report.removed > 0; };
  if (std::count_if(space.report().begin(), space.report().end(), removes) > 1)
    print(wrapped("A configuration counts under each constraint that excludes it.",
                  terminal_of(STDOUT_FILENO).width, 2) +
          "\n");
  for (const std::string& name : unused_parameters(instance))
    print(wrapped("note: " + unused_text(instance, name), terminal_of(STDOUT_FILENO).width, 2) +
          "\n");
  refuse_empty(space);
}

class SpaceCommand final : public Command {
public:
  SpaceCommand(CLI::App& app, const Installation& installation);
  void run() override;

private:
  void add_output_options();
  void show_some(const KernelInstance& instance, const SearchSpace& space) const;

  NamedInstance named_;
  std::optional<std::string> why_;
  std::size_t sample_ = 0;
  std::uint64_t seed_ = 1;
  bool list_ = false, json_ = false;
};

SpaceCommand::SpaceCommand(CLI::App& app, const Installation& installation)
    : Command(app, installation, "space", "Show a search space: size, constraints, samples") {
  line_.footer("Example:\n  gridsmith space transpose --sample 5");
  add_instance_options(line_, named_);
  add_output_options();
}

void SpaceCommand::add_output_options() {
  CLI::Option* list = line_.add_flag("--list", list_, "Print every configuration, one per line");
  CLI::Option* sample =
      line_.add_option("--sample", sample_, "Draw so many configurations uniformly")
          ->check(count_from(1))
          ->excludes(list);
  add_seed_option(line_, seed_, "Seed of the sample")->capture_default_str();
  line_
      .add_option("--why-not", why_,
                  "Count the configurations with these values (\"A=1,B=2\"), or say why there is "
                  "none, with exit code 1")
      ->type_name("CONFIG")
      ->excludes(list)
      ->excludes(sample);
  add_json_option(line_, json_);
}

void SpaceCommand::show_some(const KernelInstance& instance, const SearchSpace& space) const {
  ConfigurationWriter writer(instance, space, json_);
  if (list_)
    for (ConfigurationId id = 0; id < space.size(); ++id)
      writer.write(id);
  Random random(seed_);
  if (sample_ > 0)
    for (const ConfigurationId id : space.sample(sample_, random))
      writer.write(id);
  writer.end();
}

void SpaceCommand::run() {
  const KernelInstance instance = open_instance(named_, installation_);
  ProgressLine progress_line(stderr_is_terminal());
  const SpaceWatch watch = [&](const SpaceProgress& progress) {
    return progress_line.show(progress);
  };
  if (why_)
    return show_partial(instance, *why_, json_, watch);
  const auto start = std::chrono::steady_clock::now();
  const SearchSpace space = build_space(instance, watch);
  progress_line.clear();
  const double ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (list_ || sample_ > 0)
    return show_some(instance, space);
  if (instance.definition.runnable())
    check_geometry(instance, space);
  if (json_)
    return show_json(instance, space, ms);
  show_text(instance, shown_file(instance.definition.file, installation_.catalogue), space, ms);
}

} // namespace

extern const AddCommand add_space_command = add_command<SpaceCommand>;

} // namespace gridsmith
