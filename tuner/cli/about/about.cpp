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

class HelpCommand final : public Command {
public:
  HelpCommand(CLI::App& app, const Installation& installation)
      : Command(app, installation, "help", "Show the page of a command") {
    line_
        .add_option("COMMAND", names_,
                    "A command, with the one below it; without one, all of them are listed")
        ->type_name("COMMAND…");
    line_.footer("Example:\n  gridsmith help tune\n  gridsmith help baseline save");
  }

  void run() override {
    const CLI::App* shown = line_.get_parent();
    for (const std::string& name : names_)
      shown = &command_of(*shown, name);
    print(help_page(*shown, help_width()));
  }

private:
  std::vector<std::string> names_;
};

class VersionCommand final : public Command {
public:
  VersionCommand(CLI::App& app, const Installation& installation)
      : Command(app, installation, "version", "Show the version, and how Gridsmith was built") {
    line_.footer("Example:\n  gridsmith version");
    add_json_option(line_, json_);
  }

  void run() override {
    using namespace build_version;
    print(json_ ? json_text(nlohmann::ordered_json{{"gridsmith", version()},
                                                   {"commit", or_null(commit)},
                                                   {"compiler", or_null(compiler)},
                                                   {"build_type", or_null(build_type)},
                                                   {"toolkit", or_null(toolkit)}},
                            2) +
                      "\n"
                : version_text() + "\n");
  }

private:
  bool json_ = false;
};

class CompletionCommand final : public Command {
public:
  CompletionCommand(CLI::App& app, const Installation& installation)
      : Command(app, installation, "completion", "Print the completion script of a shell") {
    line_.add_option("SHELL", shell_, "bash, zsh or fish")
        ->type_name("SHELL")
        ->required()
        ->check(one_of("shell", completion_shells()));
    line_.footer("Example:\n"
                 "  source <(gridsmith completion bash)\n"
                 "\n"
                 "An installed Gridsmith has all three in the folders that the shells search.");
  }

  void run() override { print(completion_script(*line_.get_parent(), shell_)); }

private:
  std::string shell_;
};

class ManCommand final : public Command {
public:
  ManCommand(CLI::App& app, const Installation& installation)
      : Command(app, installation, "man", "Print the manual page (roff)") {
    line_.footer("Example:\n  gridsmith man | man -l -");
  }

  void run() override { print(manual_page(*line_.get_parent(), std::string(version()))); }
};

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

extern const AddCommand add_help_command = add_command<HelpCommand>;
extern const AddCommand add_version_command = add_command<VersionCommand>;
extern const AddCommand add_completion_command = add_command<CompletionCommand>;
extern const AddCommand add_man_command = add_command<ManCommand>;

} // namespace gridsmith
