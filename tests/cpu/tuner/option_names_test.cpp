// SPDX-License-Identifier: Apache-2.0
// Every option of every command: its name, which later versions of CLI11 may not take, and an empty value.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/cli/command_table.hpp"
#include "gridsmith/tuner/cli/program.hpp"
#include "gridsmith/tuner/commandline/help_page.hpp"
#include "gridsmith/tuner/commandline/typed_words.hpp"

#include <string>
#include <vector>

namespace option_names_test {

using namespace gridsmith;

namespace {

void check_names(const CLI::App& command) {
  for (const CLI::Option* positional : command.get_options())
    if (positional->get_positional())
      for (const CLI::Option* option : command.get_options()) {
        INFO(path_of(command) << ": " << positional->get_name());
        CHECK((option == positional || !option->check_lname(positional->get_name())));
      }
  for (const CLI::App* one : commands_of(command))
    check_names(*one);
}

void check_sizes(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    INFO(path_of(command));
    CHECK(option->check_lname("size") == option->check_lname("problem"));
  }
  for (const CLI::App* one : commands_of(command))
    check_sizes(*one);
}

/// @param words those of the command
/// @return how many options with a value it has
std::size_t check_empty_values(const CLI::App& app, const CLI::App& command,
                               std::vector<std::string> words) {
  std::size_t count = 0;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) {
      if (option->get_expected_max() == 0) // a flag
        continue;
      const std::string typed = "--" + name, error = typed + " has an empty value";
      INFO(path_of(command) << " " << typed);
      std::vector<std::string> with = words;
      with.push_back(typed + "=");
      CHECK(fault_of_words(app, with) == error);
      with.back() = typed;
      with.emplace_back();
      CHECK(fault_of_words(app, with) == error);
      ++count;
    }
  for (const CLI::App* one : commands_of(command)) {
    std::vector<std::string> below = words;
    below.push_back(one->get_name());
    count += check_empty_values(app, *one, below);
  }
  return count;
}

} // namespace

TEST_CASE("an empty value is an error that names the option, for every option") {
  const Installation installation = find_installation();
  CLI::App app;
  add_commands(app, installation);
  CHECK(check_empty_values(app, app, {}) > 150);
}

TEST_CASE("every command that the build found is in a group") {
  const Installation installation = find_installation();
  CLI::App app;
  add_commands(app, installation);
  CHECK(commands_of(app).size() == command_table().size());
  CHECK(help_page(app, 80).find("\nCommands:") == std::string::npos);
}

TEST_CASE("--size and --problem are one option, in all commands that have either") {
  const Installation installation = find_installation();
  CLI::App app;
  add_commands(app, installation);
  check_sizes(app);
}

TEST_CASE("no positional has the name of an option: CLI11 from 2.4 on refuses such a command") {
  const Installation installation = find_installation();
  CLI::App app;
  add_commands(app, installation);
  REQUIRE(commands_of(app).size() > 20);
  check_names(app);
}

} // namespace option_names_test
