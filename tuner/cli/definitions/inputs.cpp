// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/definitions/named_instance.hpp"
#include "gridsmith/tuner/inspection/exported_inputs.hpp"

#include <fmt/format.h>

namespace gridsmith {
namespace {

class InputsCommand final : public Command {
public:
  InputsCommand(CLI::App& app, const Installation& installation);
  void run() override;

private:
  void add_output_options();

  NamedInstance named_;
  std::string folder_;
  std::uint64_t seconds_ = 5;
  InputExport how_;
};

InputsCommand::InputsCommand(CLI::App& app, const Installation& installation)
    : Command(app, installation, "inputs",
              "Write the data of a kernel to files, to compute a reference elsewhere") {
  line_.footer(
      "Example:\n"
      "  gridsmith inputs transpose --size 1000x3000 -o data\n"
      "\n"
      "For each vector that is filled, NAME.npy is written; for each output with a Reference.Element "
      "or Reference.File, NAME.expected.npy; and inputs.json with all arguments in their order. These "
      "are the data that a tuning with the same seed uses.");
  add_instance_options(line_, named_);
  add_output_options();
}

void InputsCommand::add_output_options() {
  line_.add_option("-o,--out", folder_, "Folder for the files; created if missing")
      ->type_name("DIR")
      ->required();
  add_seed_option(line_, how_.seed, "Seed of the data")->capture_default_str();
  constexpr std::uint64_t most_seconds = 10'000'000; // some months
  line_
      .add_option("--seconds", seconds_,
                  "Compute expected outputs by Reference.Element for so many seconds")
      ->capture_default_str()
      ->check(count_from(1, most_seconds));
  line_.add_flag("--force", how_.replace, "Replace files of these names");
}

void InputsCommand::run() {
  const KernelInstance instance = open_instance(named_, installation_);
  how_.formula_time = std::chrono::seconds(seconds_);
  const ExportedInputs written = export_inputs(instance, folder_, how_);
  std::string text = fmt::format("Wrote {} of {} {}:\n", counted(written.files.size(), "file"),
                                 instance.definition.name, to_text(instance.problem));
  for (const std::filesystem::path& file : written.files)
    text += "  " + file.lexically_normal().string() + '\n';
  print(text);
  for (const std::string& output : written.too_slow)
    note(fmt::format("'{}' has no file of expected elements: its Reference.Element takes more than "
                     "{} s here; --seconds gives it more",
                     output, seconds_));
}

} // namespace

extern const AddCommand add_inputs_command = add_command<InputsCommand>;

} // namespace gridsmith
