// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/file.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/definitions/start_files.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

struct InitOptions {
  std::string name, folder = ".";
  bool json = false;
};

void check_name(const std::string& name) {
  if (!can_name_a_kernel(name))
    throw InputError("'" + name +
                     "' is not a valid kernel name: letters, digits and underscores, no digit "
                     "first, no keyword of C++ or CUDA");
}

void init(const InitOptions& options) {
  check_name(options.name);
  const fs::path folder = options.folder;
  const fs::path source = folder / (options.name + ".cu");
  const fs::path definition = folder / (options.name + ".json");
  std::error_code error;
  if (!fs::is_directory(folder, error))
    throw InputError(folder.string() + ": there is no such folder");
  for (const fs::path& file : {source, definition})
    if (fs::symlink_status(file, error).type() != fs::file_type::not_found)
      throw InputError(file.string() + ": exists, and is not replaced; choose another name");
  write_packed(source, start_source(options.name));
  try {
    write_packed(definition, start_definition(options.name));
  } catch (const Error&) {
    fs::remove(source, error); // else the next attempt would be refused
    throw;
  }
  const std::string name = definition.lexically_normal().string();
  if (options.json)
    return print(json_text(nlohmann::json{{"kernel", options.name},
                                          {"source", source.lexically_normal().string()},
                                          {"definition", name}},
                           2) +
                 "\n");
  print(fmt::format("Wrote {} and {}.\n\n  gridsmith check-definition {}\n  gridsmith tune {}\n",
                    source.lexically_normal().string(), name, name, name));
}

} // namespace

void add_init_command(CLI::App& app, const Installation&) {
  CLI::App* command =
      app.add_subcommand("init", "Write a new kernel and its definition to start from");
  command->footer("Example:\n  gridsmith init my_kernel");
  const auto options = std::make_shared<InitOptions>();
  command->add_option("name", options->name, "Name of the kernel's function")
      ->type_name("NAME")
      ->required();
  command->add_option("--folder", options->folder, "Folder for NAME.cu and NAME.json")
      ->type_name("DIR")
      ->capture_default_str();
  command->add_flag("--json", options->json, "As JSON");
  command->callback([options] { init(*options); });
}

} // namespace gridsmith
