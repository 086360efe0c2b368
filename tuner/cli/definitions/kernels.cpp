#include "gridsmith/base/error.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/base/text_table.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/presentation/terminal.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace gridsmith {
namespace {

/// One bad file does not hide the others.
std::vector<KernelDefinition> read_catalogue(const Installation& installation) {
  std::vector<KernelDefinition> definitions;
  for (const auto& file : catalogue(installation.catalogue)) {
    try {
      definitions.push_back(read_definition(file));
    } catch (const InputError& error) {
      note(error.what());
    }
  }
  return definitions;
}

std::string sizes_text(const KernelDefinition& definition) {
  std::string text;
  for (const ProblemSize& size : definition.problem_sizes)
    text += (text.empty() ? "" : ", ") + to_text(size);
  return text;
}

/// What each teaches, below the table: beside it there is no room.
void describe(const std::vector<KernelDefinition>& definitions) {
  constexpr std::size_t column = 20; // longer names have a line of their own
  const std::size_t width = terminal_of(STDOUT_FILENO).width;
  for (const KernelDefinition& definition : definitions)
    if (!definition.description.empty())
      print("\n" + two_columns(definition.name, printable(definition.description), column, width));
}

void list(const Installation& installation) {
  Table table({{"kernel", "", true}, {"parameters", ""}, {"problem sizes", "", true}});
  const std::vector<KernelDefinition> definitions = read_catalogue(installation);
  for (const KernelDefinition& definition : definitions)
    table.add(
        {definition.name, fmt::format("{}", definition.parameters.size()), sizes_text(definition)});
  print(table.text(terminal_of(STDOUT_FILENO).width));
  describe(definitions);
}

void list_json(const Installation& installation) {
  nlohmann::json all = nlohmann::json::array();
  for (const KernelDefinition& definition : read_catalogue(installation)) {
    nlohmann::json& json = all.emplace_back();
    json = {{"kernel", definition.name},
            {"definition", definition.file.string()},
            {"description", definition.description},
            {"language", definition.language},
            {"parameters", nlohmann::json::array()},
            {"problem_sizes", nlohmann::json::array()}};
    for (const Parameter& parameter : definition.parameters)
      json["parameters"].push_back(parameter.name);
    for (const ProblemSize& size : definition.problem_sizes)
      json["problem_sizes"].push_back(to_text(size));
  }
  print(json_text(all, 2) + "\n");
}

/// Empty where the program was copied away from what it was built or installed with.
void check_catalogue(const Installation& installation) {
  if (catalogue(installation.catalogue).empty())
    throw InputError("there is no catalogue of kernels beside the program or above it");
}

} // namespace

void add_kernels_command(CLI::App& app, const Installation& installation) {
  CLI::App* command = app.add_subcommand("kernels", "List the catalogue of kernels");
  command->footer(
      "Example:\n  gridsmith kernels\n\nA kernel is two files, NAME/NAME.cu and NAME/NAME.json (T1 format); adding "
      "one needs no rebuild. 'gridsmith init NAME' begins one.");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "As JSON");
  command->callback([json, &installation] {
    check_catalogue(installation);
    *json ? list_json(installation) : list(installation);
  });
}

} // namespace gridsmith
