// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/commandline/usage_error.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/tuner/commandline/help_page.hpp"
#include "gridsmith/tuner/commandline/typed_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace gridsmith {
namespace {

bool is_option(const std::string& word) {
  return word.size() > 1 && word.front() == '-';
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames())
      names.push_back("--" + name);
    for (const std::string& name : option->get_snames())
      names.push_back("-" + name);
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app))
    names.push_back(command->get_name());
  return names;
}

/// A list of thirty names helps nobody where one is meant.
std::string unknown_option(const CLI::App& command, const std::string& word) {
  constexpr std::size_t most_listed = 12;
  const std::vector<std::string> names = option_names(command);
  const std::string bare = word.substr(std::min(word.find_first_not_of('-'), word.size()));
  const std::string near = bare.size() > 1 ? nearest_name("--" + bare, names) : "";
  const std::string meant = near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
  const std::string choices = near.empty() && names.size() <= most_listed
                                  ? fmt::format("valid: {}", fmt::join(names, ", "))
                                  : fmt::format("'{} --help' lists all", path_of(command));
  return fmt::format("unknown option '{}' of '{}'{} ({})", word, path_of(command), meant, choices);
}

/// No command was among the words.
std::string without_command(const CLI::App& app, const std::vector<std::string>& words) {
  const std::vector<std::string> commands = command_names(app), options = option_names(app);
  for (const std::string& word : words) {
    const std::string name = without_value(word);
    const std::string bare = name.substr(std::min(name.find_first_not_of('-'), name.size()));
    if (std::find(commands.begin(), commands.end(), bare) != commands.end())
      return fmt::format("unknown option '{}'; did you mean '{} {}'?", name, app.get_name(), bare);
    if (std::find(options.begin(), options.end(), name) == options.end())
      return unknown_option(app, name);
  }
  return unknown_name("command", "", commands);
}

std::string surplus(const CLI::App& command, const CLI::App& app) {
  const std::vector<std::string> words = app.remaining(true);
  for (const std::string& word : words)
    if (is_option(word))
      return unknown_option(command, without_value(word));
  const std::string word = words.empty() ? "" : words.front();
  const std::vector<std::string> names = option_names(command);
  const bool size = !word.empty() && word.find_first_not_of("0123456789x") == std::string::npos &&
                    std::find(names.begin(), names.end(), "--size") != names.end();
  return fmt::format("'{}' is one argument too many{}; usage: {}", word,
                     size ? "; did you mean '--size " + word + "'?" : "", usage_of(command));
}

/// The option that CLI11's text is about: one of its words is the name, in some without dashes.
const CLI::Option* option_in(const std::string& text, const CLI::App& command) {
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    word.erase(word.find_last_not_of(":,") + 1);
    for (const CLI::Option* option : command.get_options())
      if (word == option->get_name() || option->check_name(word) || option->check_lname(word))
        return option;
  }
  return nullptr;
}

/// As people name it, by CLI11's name of it.
std::string called(const std::string& name, const CLI::App& command) {
  for (const CLI::Option* option : command.get_options())
    if (option->get_name() == name && option->get_positional())
      return value_name(*option);
  return name;
}

/// CLI11 says "kernel excludes --all".
std::string together(const CLI::App& command, const std::string& text) {
  const std::string word = " excludes ";
  const std::size_t at = text.find(word);
  if (at == std::string::npos)
    return text;
  return fmt::format("give {} or {}, not both", called(text.substr(0, at), command),
                     called(text.substr(at + word.size()), command));
}

std::string missing_argument(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options())
    if (option->get_required() && option->count() == 0)
      return fmt::format("{} is missing: {}; usage: {}", option_title(*option),
                         option_text(*option), usage_of(command));
  std::vector<std::string> names;
  for (const CLI::App* one : commands_of(command))
    names.push_back(one->get_name());
  return fmt::format("COMMAND is missing: {}; usage: {}", fmt::join(names, ", "),
                     usage_of(command));
}

std::string wrong_count(const CLI::App& command, const std::string& text) {
  const CLI::Option* option = option_in(text, command);
  if (!option)
    return text;
  if (value_name(*option).empty())
    return option_title(*option) + " takes no value";
  return fmt::format("{} is given {} times; it takes one value", option->get_name(),
                     option->count());
}

std::string not_converted(const CLI::App& command, const std::string& text) {
  const CLI::Option* option = option_in(text, command);
  if (!option)
    return text;
  if (value_name(*option).empty())
    return option_title(*option) + " takes no value";
  return fmt::format("{}: '{}' is not {}", option->get_name(), fmt::join(option->results(), ","),
                     value_name(*option) == "N" ? "a number within its range"
                                                : "a " + value_name(*option));
}

} // namespace

std::string usage_error(const CLI::App& app, const CLI::ParseError& error,
                        const std::vector<std::string>& words) {
  if (app.get_subcommands().empty())
    return without_command(app, words);
  const CLI::App* deepest = app.get_subcommands().front();
  while (!deepest->get_subcommands().empty())
    deepest = deepest->get_subcommands().front();
  const CLI::App& command = *deepest;
  std::string text = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error))
    return surplus(command, app);
  if (dynamic_cast<const CLI::RequiredError*>(&error))
    return missing_argument(command);
  if (dynamic_cast<const CLI::ExcludesError*>(&error))
    return together(command, text);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error))
    return wrong_count(command, text);
  if (dynamic_cast<const CLI::ConversionError*>(&error) ||
      dynamic_cast<const CLI::InvalidError*>(&error))
    return not_converted(command, text);
  // Of a positional people know the place, not the name.
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional() && text.starts_with(option->get_name() + ": "))
      return text.substr(option->get_name().size() + 2);
  return text;
}

} // namespace gridsmith
