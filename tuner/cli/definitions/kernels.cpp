// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/folder.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/listing.hpp"
#include "gridsmith/base/named.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/kernels/definition/automatic_shape.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/results/store/holdings.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/presentation/terminal.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <vector>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

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

std::vector<std::string> size_texts(const KernelDefinition& definition) {
  std::vector<std::string> texts;
  texts.reserve(definition.problem_sizes.size());
  for (const ProblemSize& size : definition.problem_sizes)
    texts.push_back(to_text(size));
  return texts;
}

std::string sizes_text(const KernelDefinition& definition) {
  return fmt::format("{}", fmt::join(size_texts(definition), ", "));
}

Listing<KernelDefinition> catalogue_listing() {
  using Row = KernelDefinition;
  return {{"definition", [](auto& one) { return one.file.string(); }},
          {"description", &Row::description},
          {"kernel", {"kernel", "", true}, &Row::name},
          {"language", &Row::language},
          {"parameters",
           {"parameters"},
           [](auto& one) {
             return Cell(std::to_string(one.parameters.size()), names_in(one.parameters));
           }},
          {"problem_sizes", {"problem sizes", "", true}, [](auto& one) {
             return Cell(sizes_text(one), size_texts(one));
           }}};
}

/// What each teaches, below the table: next to it lines would be too short.
void describe(const std::vector<KernelDefinition>& definitions) {
  constexpr std::size_t column = 20; // longer names have a line of their own
  const std::size_t width = terminal_of(STDOUT_FILENO).width;
  for (const KernelDefinition& definition : definitions)
    if (!definition.description.empty())
      print("\n" + two_columns(definition.name, printable(definition.description), column, width));
}

void list(const Installation& installation, bool json) {
  const std::vector<KernelDefinition> definitions = read_catalogue(installation);
  if (json)
    return print(json_text(catalogue_listing().json(definitions), 2) + "\n");
  print(catalogue_listing().table(definitions).text(terminal_of(STDOUT_FILENO).width));
  describe(definitions);
}

// ---- one kernel

/// The comment that its source begins with, which says what it teaches and what its parameters mean.
std::string lesson_of(const KernelDefinition& definition) {
  constexpr std::uint64_t longest = 1 << 14; // bytes
  const std::string source = read_start(definition.source, longest).value_or("");
  std::string lesson;
  for (std::size_t at = 0; source.compare(at, 2, "//") == 0;) {
    const std::size_t end = std::min(source.find('\n', at), source.size());
    const std::size_t text = at + (source.compare(at, 3, "// ") == 0 ? 3 : 2);
    lesson += source.substr(text, end - text) + "\n";
    at = std::min(end + 1, source.size());
  }
  return lesson;
}

std::string default_text(const KernelDefinition& definition, const std::string& parameter) {
  const Value* value = find_value(definition.defaults, parameter);
  return value ? to_text(*value) : "";
}

/// The best of each problem and device, of the recordings that lie next to the definition.
struct KnownBest {
  std::string problem, device, date;
  Measurement measurement;
};

std::vector<KnownBest> known_of(const KernelDefinition& definition) {
  const fs::path folder = definition.file.parent_path() / "recordings";
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : entries_of(folder, error))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<KnownBest> known;
  for (const fs::path& file : files)
    for (const Holding& holding : holdings_of(file))
      if (const Export held = holding.load(); has_best(held))
        known.push_back({holding.problem, holding.device, holding.date, best_of(held)});
  return known;
}

Listing<KnownBest> best_listing() {
  using Row = KnownBest;
  return {
      {"device", {"best known on", "", true}, &Row::device},
      {"problem", {"problem", "", true}, &Row::problem},
      {"date", &Row::date},
      {"time_ms", {"time", "ms"}, [](auto& one) { return cost_ms(one.measurement).value_or(0); }},
      {"configuration", {"configuration", "", true}, [](auto& one) {
         return one.measurement.configuration;
       }}};
}

void show_best(const KernelDefinition& definition, std::size_t width) {
  const std::vector<KnownBest> known = known_of(definition);
  print("\n" + (known.empty() ? "No recording of this kernel is shipped.\n"
                              : best_listing().table(known).text(width)));
}

/// Each of its lines broken, with the blanks that it begins with.
std::string narrowed(const std::string& text, std::size_t width) {
  std::istringstream lines(text);
  std::string all;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    all += wrapped(line, width, std::min(blanks, width / 2)) + '\n';
  }
  return all;
}

void show(const KernelDefinition& definition) {
  const std::size_t width = terminal_of(STDOUT_FILENO).width;
  const std::string lesson = lesson_of(definition);
  print(printable(definition.name) + ": " + definition.source.string() + "\n\n" +
        narrowed(lesson.empty() ? definition.description : lesson, width));
  Table table({{"parameter", "", true}, {"default", ""}, {"values", "", true}});
  for (const Parameter& parameter : definition.parameters)
    table.add(
        {parameter.name, default_text(definition, parameter.name), values_text(parameter.values)});
  for (const std::string& name : automatic_names(definition.automatic))
    table.add({name, "", "left to Gridsmith"});
  print("\n" + table.text(width));
  if (!definition.constraints.empty())
    print("\nConstraints\n");
  for (const Constraint& constraint : definition.constraints)
    print(wrapped("  " + printable(constraint.text), width, 4) + "\n");
  print("\n" + wrapped("Problem sizes: " + sizes_text(definition), width, 2) + "\n");
  show_best(definition, width);
}

void show_json(const KernelDefinition& definition) {
  nlohmann::json json = {{"kernel", definition.name},
                         {"definition", definition.file.string()},
                         {"source", definition.source.string()},
                         {"description", definition.description},
                         {"lesson", lesson_of(definition)},
                         {"parameters", nlohmann::json::array()},
                         {"constraints", nlohmann::json::array()},
                         {"problem_sizes", size_texts(definition)},
                         {"best", best_listing().json(known_of(definition))}};
  for (const Parameter& parameter : definition.parameters) {
    nlohmann::json& one = json["parameters"].emplace_back();
    one = {{"name", parameter.name}, {"values", nlohmann::json::array()}};
    for (const Value& value : parameter.values)
      one["values"].push_back(gridsmith::json_of(value));
    if (const Value* value = find_value(definition.defaults, parameter.name))
      one["default"] = gridsmith::json_of(*value);
  }
  for (const Constraint& constraint : definition.constraints)
    json["constraints"].push_back(constraint.text);
  print(json_text(json, 2) + "\n");
}

class KernelsCommand final : public Command {
public:
  KernelsCommand(CLI::App& app, const Installation& installation);
  void run() override;

private:
  std::string kernel_;
  bool json_ = false;
};

KernelsCommand::KernelsCommand(CLI::App& app, const Installation& installation)
    : Command(app, installation, "kernels", "List the catalogue of kernels, or show one") {
  line_.footer(
      "Example:\n"
      "  gridsmith kernels\n"
      "  gridsmith kernels transpose\n"
      "\n"
      "A kernel is two files, NAME/NAME.cu and NAME/NAME.json (T1 format); adding one needs no "
      "rebuild. 'gridsmith init NAME' creates one.");
  line_
      .add_option("KERNEL", kernel_,
                  "Show this kernel: what it demonstrates, its parameters and constraints, and its "
                  "best known configuration")
      ->type_name("KERNEL");
  add_json_option(line_, json_);
}

void KernelsCommand::run() {
  if (!kernel_.empty()) {
    const KernelDefinition definition =
        read_definition(find_definition(kernel_, installation_.catalogue));
    return json_ ? show_json(definition) : show(definition);
  }
  if (catalogue(installation_.catalogue).empty()) // the program was copied away from it
    throw InputError("no catalogue of kernels found next to the program or above it");
  list(installation_, json_);
}

} // namespace

extern const AddCommand add_kernels_command = add_command<KernelsCommand>;

} // namespace gridsmith
