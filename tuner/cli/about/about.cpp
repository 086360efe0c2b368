// SPDX-License-Identifier: Apache-2.0
// Commands about the program itself: help, version, completion, man.
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/version.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/commandline/completion.hpp"
#include "gridsmith/tuner/commandline/help_page.hpp"
#include "gridsmith/tuner/commandline/manual.hpp"
#include "gridsmith/tuner/presentation/terminal.hpp"

#include "gridsmith_build/build_version.hpp"
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace gridsmith {
namespace {

constexpr std::size_t readable_width = 100; // longer lines of text are hard to follow

/// @throws InputError
const CLI::App& command_of(const CLI::App& app, const std::string& name) {
  std::vector<std::string> names;
  for (const CLI::App* one : commands_of(app)) {
    if (one->get_name() == name)
      return *one;
    names.push_back(one->get_name());
  }
  if (names.empty())
    throw InputError("'" + path_of(app) + "' has no commands of its own, so no '" + name + "'");
  throw InputError(unknown_name("command", name, names));
}

void add_help(CLI::App& app) {
  CLI::App* command = app.add_subcommand("help", "Show the page of a command");
  const auto names = std::make_shared<std::vector<std::string>>();
  command
      ->add_option("COMMAND", *names,
                   "A command, with the one below it; without one, all of them are listed")
      ->type_name("COMMAND…");
  command->footer("Example:\n  gridsmith help tune\n  gridsmith help baseline save");
  command->callback([&app, names] {
    const CLI::App* shown = &app;
    for (const std::string& name : *names)
      shown = &command_of(*shown, name);
    print(help_page(*shown, help_width()));
  });
}

void add_version(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("version", "Show the version, and how Gridsmith was built");
  command->footer("Example:\n  gridsmith version");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "As JSON");
  command->callback([json] {
    using namespace build_version;
    const auto known = [](std::string_view text) {
      return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
    };
    print(*json ? json_text(nlohmann::ordered_json{{"gridsmith", version()},
                                                   {"commit", known(commit)},
                                                   {"compiler", known(compiler)},
                                                   {"build_type", known(build_type)},
                                                   {"toolkit", known(toolkit)}},
                            2) +
                      "\n"
                : version_text() + "\n");
  });
}

void add_completion(CLI::App& app) {
  CLI::App* command = app.add_subcommand("completion", "Print the completion script of a shell");
  const auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->type_name("SHELL")
      ->required()
      ->check(one_of("shell", completion_shells()));
  command->footer("Example:\n"
                  "  source <(gridsmith completion bash)\n"
                  "\n"
                  "An installed Gridsmith has all three in the folders that the shells search.");
  command->callback([&app, shell] { print(completion_script(app, *shell)); });
}

void add_man(CLI::App& app) {
  CLI::App* command = app.add_subcommand("man", "Print the manual page (roff)");
  command->footer("Example:\n  gridsmith man | man -l -");
  command->callback([&app] { print(manual_page(app, std::string(version()))); });
}

} // namespace

std::size_t help_width() {
  return std::min(terminal_of(STDOUT_FILENO).width, readable_width);
}

std::string version_text() {
  using namespace build_version;
  std::string text = fmt::format("gridsmith {}\n", version());
  if (!commit.empty())
    text += fmt::format("commit    {}, when the build was configured\n", commit);
  text += fmt::format("compiler  {}, build type {}\n", compiler,
                      build_type.empty() ? "not set" : build_type);
  return text + (toolkit.empty() ? "toolkit   none when it was built: tuning runs on recordings"
                                 : fmt::format("toolkit   CUDA {} when it was built", toolkit));
}

void add_reference_commands(CLI::App& app) {
  add_help(app);
  add_version(app);
  add_completion(app);
  add_man(app);
}

} // namespace gridsmith
