// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/definitions/open_definition.hpp"
#include "gridsmith/tuner/inspection/exported_inputs.hpp"

#include <fmt/format.h>

#include <memory>

namespace gridsmith {
namespace {

struct InputsOptions {
  std::vector<std::filesystem::path> include;
  std::string kernel, size, capability = "9.0", folder;
  std::uint64_t seconds = 5;
  InputExport how;
};

void write_inputs(const InputsOptions& options, const Installation& installation) {
  const KernelDefinition definition =
      open_definition(options.kernel, options.include, installation);
  const KernelInstance instance = instantiate(definition, problem_of(definition, options.size),
                                              device_of_text(options.capability));
  InputExport how = options.how;
  how.formula_time = std::chrono::seconds(options.seconds);
  const ExportedInputs written = export_inputs(instance, options.folder, how);
  std::string text = fmt::format("Wrote {} of {} {}:\n", counted(written.files.size(), "file"),
                                 definition.name, to_text(instance.problem));
  for (const std::filesystem::path& file : written.files)
    text += "  " + file.lexically_normal().string() + '\n';
  print(text);
  for (const std::string& output : written.too_slow)
    note(fmt::format("'{}' has no file of expected elements: its Reference.Element takes more than "
                     "{} s here; --seconds gives it more",
                     output, options.seconds));
}

} // namespace

void add_inputs_command(CLI::App& app, const Installation& installation) {
  CLI::App* command = app.add_subcommand(
      "inputs", "Write the data of a kernel to files, to compute a reference elsewhere");
  command->footer(
      "Example:\n"
      "  gridsmith inputs transpose --size 1000x3000 -o data\n"
      "\n"
      "For each vector that is filled, NAME.npy is written; for each output with a Reference.Element "
      "or Reference.File, NAME.expected.npy; and inputs.json with all arguments in their order. These "
      "are the data that a tuning with the same seed uses.");
  const auto options = std::make_shared<InputsOptions>();
  command->add_option("KERNEL", options->kernel, "Name of the catalogue or a T1 JSON file")
      ->type_name("KERNEL")
      ->required();
  add_include_option(*command, options->include);
  command
      ->add_option("--size,--problem", options->size,
                   "Problem size; default: the definition's first")
      ->type_name("SIZE");
  command->add_option("--capability", options->capability, "Compute capability whose limits apply")
      ->type_name("X.Y")
      ->capture_default_str();
  command->add_option("-o,--out", options->folder, "Folder for the files; created if missing")
      ->type_name("DIR")
      ->required();
  command->add_option("--seed", options->how.seed, "Seed of the data")
      ->capture_default_str()
      ->check(count_from(0));
  constexpr std::uint64_t most_seconds = 10'000'000; // some months
  command
      ->add_option("--seconds", options->seconds,
                   "Compute expected outputs by Reference.Element for so many seconds")
      ->capture_default_str()
      ->check(count_from(1, most_seconds));
  command->add_flag("--force", options->how.replace, "Replace files of these names");
  command->callback([options, &installation] { write_inputs(*options, installation); });
}

} // namespace gridsmith
