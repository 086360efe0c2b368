// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/file.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/definitions/start_files.hpp"
#include "gridsmith/tuner/inspection/drafted_files.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

void check_name(const std::string& name) {
  if (!can_name_a_kernel(name))
    throw InputError("'" + name +
                     "' is not a valid kernel name: letters, digits and underscores, no digit "
                     "first, no keyword of C++ or CUDA");
}

void check_folder_is_there(const fs::path& folder) {
  std::error_code error;
  if (!folder.empty() && !fs::is_directory(folder, error))
    throw InputError(folder.string() + ": there is no such folder");
}

/// Another kernel of the same file has written the same.
bool is_there(const fs::path& file, const std::string& text) {
  std::error_code error;
  return fs::is_regular_file(file, error) && read_unpacked(file) == text;
}

nlohmann::json to_json(const DraftedFiles& files) {
  nlohmann::json json = {{"kernel", files.kernel},
                         {"source", files.source.lexically_normal().string()},
                         {"definition", files.definition.lexically_normal().string()},
                         {"left_out", files.left_out},
                         {"compiler", files.by_nvcc ? "nvcc" : "nvrtc"},
                         {"error", files.uncompiled},
                         {"guesses", nlohmann::json::array()}};
  for (const FieldGuess& guess : files.guesses)
    json["guesses"].push_back({{"field", guess.field}, {"guess", guess.text}});
  return json;
}

std::string text_of(const DraftedFiles& files, const fs::path& from) {
  const std::string name = files.definition.lexically_normal().string();
  std::string text = "Wrote " + name;
  if (!files.source_text.empty())
    text += fmt::format(" and {}, ", files.source.lexically_normal().string()) +
            (files.left_out == 0
                 ? "a copy of " + from.filename().string()
                 : fmt::format("{} without its host code ({} left out)", from.filename().string(),
                               counted(files.left_out, "declaration")));
  text += fmt::format(".\n{} to confirm: see Guesses in {}, or check-definition.\n",
                      counted(files.guesses.size(), "guessed field"), name);
  if (files.by_nvcc)
    text +=
        from.filename().string() + " is compiled by nvcc as it is, for NVRTC takes no host code.\n";
  if (!files.uncompiled.empty())
    text += "It does not compile yet: " + files.uncompiled + "\n";
  return text + fmt::format("\n  gridsmith check-definition {}\n", name);
}

class InitCommand final : public Command {
public:
  InitCommand(CLI::App& app, const Installation& installation);
  void run() override;

private:
  void write_from_source() const;

  std::string name_, folder_, from_, kernel_;
  std::vector<fs::path> include_;
  std::vector<std::string> macros_;
  bool json_ = false;
  HelperSettings helpers_ = {.installation = installation_};
};

InitCommand::InitCommand(CLI::App& app, const Installation& installation)
    : Command(app, installation, "init",
              "Write a definition to start from, for a new kernel or for one in a file") {
  line_.footer(
      "Example:\n"
      "  gridsmith init my_kernel\n"
      "  gridsmith init --from app.cu --kernel scale\n"
      "\n"
      "With --from, the arguments are read from the file. Sizes, values and the launch are guessed "
      "from names and use, and listed in Guesses of the definition. If the file has host code, a copy "
      "without it is written too.");
  line_.add_option("NAME", name_, "Name of the new kernel; with --from, of the definition")
      ->type_name("NAME");
  line_.add_option("--from", from_, "Source that has the kernel")->type_name("FILE");
  add_source_kernel_option(line_, kernel_);
  add_include_option(line_, include_);
  add_define_option(line_, macros_);
  line_
      .add_option("--folder", folder_,
                  "Folder for the files; default: this one, with --from that of FILE")
      ->type_name("DIR");
  add_unconfined_option(line_, helpers_, "Run the compiler without a sandbox");
  add_json_option(line_, json_);
}

void InitCommand::write_from_source() const {
  check_folder_is_there(folder_);
  if (!name_.empty())
    check_name(name_);
  const DraftedFiles files = draft_files({.file = from_,
                                          .kernel = kernel_,
                                          .name = name_,
                                          .folder = folder_,
                                          .include = include_,
                                          .helpers = helpers_,
                                          .macros = macros_});
  check_absent(files.definition);
  if (!files.source_text.empty() && !is_there(files.source, files.source_text)) {
    check_absent(files.source);
    write_packed(files.source, files.source_text);
  }
  write_packed(files.definition, files.definition_text);
  print(json_ ? json_text(to_json(files), 2) + "\n" : text_of(files, from_));
}

void InitCommand::run() {
  if (!from_.empty())
    return write_from_source();
  if (name_.empty())
    throw InputError("init needs the NAME of a new kernel, or --from FILE.cu with a kernel");
  if (!kernel_.empty() || !include_.empty() || !macros_.empty())
    throw InputError("--kernel, --include and --define are valid only with --from");
  check_name(name_);
  check_folder_is_there(folder_);
  const fs::path folder = folder_.empty() ? "." : folder_;
  const fs::path source = folder / (name_ + ".cu");
  const fs::path definition = folder / (name_ + ".json");
  for (const fs::path& file : {source, definition})
    check_absent(file);
  write_packed(source, start_source(name_));
  try {
    write_packed(definition, start_definition(name_));
  } catch (const Error&) {
    std::error_code error;
    fs::remove(source, error); // else the next attempt would be refused
    throw;
  }
  const std::string name = definition.lexically_normal().string();
  if (json_)
    return print(json_text(nlohmann::json{{"kernel", name_},
                                          {"source", source.lexically_normal().string()},
                                          {"definition", name}},
                           2) +
                 "\n");
  print(fmt::format("Wrote {} and {}.\n\n  gridsmith check-definition {}\n  gridsmith tune {}\n",
                    source.lexically_normal().string(), name, name, name));
}

} // namespace

extern const AddCommand add_init_command = add_command<InitCommand>;

} // namespace gridsmith
