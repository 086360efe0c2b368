// SPDX-License-Identifier: Apache-2.0
// The names of options and positionals: what CLI11 2.1 takes, later versions may not.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/cli/program.hpp"
#include "gridsmith/tuner/commandline/help_page.hpp"

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

} // namespace

TEST_CASE("no positional has the name of an option: CLI11 from 2.4 on refuses such a command") {
  const Installation installation = find_installation();
  CLI::App app;
  add_commands(app, installation);
  REQUIRE(commands_of(app).size() > 20);
  check_names(app);
}

} // namespace option_names_test
