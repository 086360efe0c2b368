#include "gridsmith/base/error.hpp"
#include "gridsmith/base/text_table.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/tuner/cli/command.hpp"

#include <fmt/format.h>

namespace gridsmith {
namespace {

std::string sizes_text(const KernelDefinition& definition) {
  std::string text;
  for (const ProblemSize& size : definition.problem_sizes)
    text += (text.empty() ? "" : ", ") + to_text(size);
  return text;
}

void list(const Installation& installation) {
  Table table({{"kernel", "", true},
               {"language", "", true},
               {"parameters", ""},
               {"problem sizes", "", true}});
  for (const auto& file : catalogue(installation.catalogue)) {
    try {
      const KernelDefinition definition = read_definition(file);
      table.add({definition.name, definition.language,
                 fmt::format("{}", definition.parameters.size()), sizes_text(definition)});
    } catch (const InputError& error) { // one bad file does not hide the others
      note(error.what());
    }
  }
  print(table.text());
}

} // namespace

void add_kernels_command(CLI::App& app, const Installation& installation) {
  CLI::App* command = app.add_subcommand("kernels", "List the catalogue of kernels");
  command->footer("\nA kernel is two files, NAME/NAME.cu and NAME/NAME.json (T1 format); adding "
                  "one needs no rebuild.");
  command->callback([&installation] { list(installation); });
}

} // namespace gridsmith
