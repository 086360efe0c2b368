// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/commandline/typed_words.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/tuner/commandline/help_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace gridsmith {
namespace {

using Words = std::span<const std::string>;

const CLI::Option* option_named(const CLI::App& command, const std::string& word) {
  return word.size() > 1 && word.front() == '-' ? command.get_option_no_throw(without_value(word))
                                                : nullptr;
}

const CLI::App* command_named(const CLI::App& app, const std::string& word) {
  for (const CLI::App* one : commands_of(app))
    if (one->get_name() == word)
      return one;
  return nullptr;
}

/// The first of the words that is a command.
const CLI::App* command_among(const CLI::App& app, Words words) {
  for (const std::string& word : words)
    if (const CLI::App* command = command_named(app, word))
      return command;
  return nullptr;
}

/// What editors and web pages make of hyphens.
bool starts_with_dash(const std::string& word) {
  constexpr std::array dashes{"\u2010", "\u2011", "\u2012", "\u2013", "\u2014", "\u2015", "\u2212"};
  return std::any_of(dashes.begin(), dashes.end(),
                     [&](const char* dash) { return word.starts_with(dash); });
}

bool has_hole(const std::string& list, char separator) {
  return list.front() == separator || list.back() == separator ||
         list.find(std::string(2, separator)) != std::string::npos;
}

/// The words behind a command, as CLI11 will take them.
class Arguments {
public:
  explicit Arguments(const CLI::App& command) : command_(command) {
    for (const CLI::Option* option : command.get_options())
      if (option->get_positional())
        places_.push_back(option);
  }

  std::string fault(Words words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (word == "--")
        return fault_behind_mark(words.subspan(i + 1));
      const CLI::Option* option = option_named(command_, word);
      if (option && option == command_.get_help_ptr())
        return ""; // whatever else was typed
      std::string found;
      if (option && option->get_expected_max() != 0) {
        found = fault_of_option(*option, words, i);
      } else if (option || (word.starts_with('-') && word.size() > 1)) {
        taker_ = nullptr; // a flag, or unknown
        found = option && without_value(word) != word ? option_title(*option) + " takes no value"
                                                      : fault_of_short(word);
      } else {
        found = taker_ ? fault_of_value(*taker_, word) : fault_of_argument(word, words);
      }
      if (!found.empty())
        return found;
    }
    return "";
  }

private:
  /// @param at of the option; moved to its value where that is a word of its own
  std::string fault_of_option(const CLI::Option& option, Words words, std::size_t& at) {
    const std::string& word = words[at];
    const std::size_t equals = word.find('=');
    const bool several = option.get_allow_extra_args() || option.get_expected_min() == 0;
    taker_ = several ? &option : nullptr;
    name_ = without_value(word);
    if (word.starts_with("--") && equals != std::string::npos)
      return fault_of_value(option, word.substr(equals + 1));
    if (option.get_expected_min() == 0)
      return "";
    if (at + 1 == words.size())
      return fmt::format("{} {} has no value: {}", name_, value_name(option), option_text(option));
    const std::string& value = words[++at];
    if (option_named(command_, value) || value == "--")
      return fmt::format("{} {} has no value ('{}' {})", name_, value_name(option),
                         without_value(value), value == "--" ? "ends the options" : "is an option");
    if (value.starts_with("--"))
      return fmt::format(
          "{0} {1} has no value ('{2}' looks like an option; if it is the value: {0}={2})", name_,
          value_name(option), value);
    return fault_of_value(option, value);
  }

  /// CLI11 takes "=FILE" of "-o=FILE" for the value.
  std::string fault_of_short(const std::string& word) const {
    const bool equals = word.size() > 2 && word[2] == '=';
    const CLI::Option* option = equals ? option_named(command_, word.substr(0, 2)) : nullptr;
    return option ? fmt::format("'{}': the value of {} follows a blank, not '='", word,
                                word.substr(0, 2))
                  : "";
  }

  std::string fault_of_value(const CLI::Option& option, const std::string& value) const {
    if (value.empty())
      return name_ + " has an empty value";
    if (option.get_delimiter() != '\0' && has_hole(value, option.get_delimiter()))
      return fmt::format("{}: '{}' has an empty element", name_, value);
    return "";
  }

  std::string fault_of_argument(const std::string& word, Words words) {
    if (word == "help" && words.size() == 1 && command_.get_name() != word)
      return fmt::format("'help' is no option; '{} --help' shows the page of {}{}",
                         path_of(command_), command_.get_name(),
                         places_.empty()
                             ? ""
                             : fmt::format("; '{} -- help' takes it for {}", path_of(command_),
                                           option_title(*places_.front())));
    if (starts_with_dash(word)) {
      const std::size_t name = word.find_first_not_of("-\xe2\x80\x90\x91\x92\x93\x94\x95\x88");
      const std::string meant = "--" + (name == std::string::npos ? "" : word.substr(name));
      return fmt::format(
          "'{}' begins with a dash that is no hyphen; options begin with two hyphens{}", word,
          option_named(command_, meant) ? ": " + meant : "");
    }
    const CLI::Option* place = next_place();
    return place && word.empty() ? empty_argument(*place) : "";
  }

  static std::string empty_argument(const CLI::Option& place) {
    return fmt::format("{} is empty: {}", option_title(place), place.get_description());
  }

  std::string fault_behind_mark(Words words) {
    for (const std::string& word : words) {
      const CLI::Option* place = next_place();
      if (!place && option_named(command_, word))
        return fmt::format("'{}' is behind '--', where no word is an option", word);
      if (place && word.empty())
        return empty_argument(*place);
    }
    return "";
  }

  /// Of the next argument; null: there is none more.
  const CLI::Option* next_place() {
    if (place_ == places_.size())
      return nullptr;
    const CLI::Option* place = places_[place_];
    if (!place->get_allow_extra_args()) // else it takes all that follow
      ++place_;
    return place;
  }

  const CLI::App& command_;
  std::vector<const CLI::Option*> places_;
  std::size_t place_ = 0;
  const CLI::Option* taker_ = nullptr; ///< an option that takes the next words too
  std::string name_;                   ///< of the last option, as it was typed
};

std::string no_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* one : commands_of(app))
    names.push_back(one->get_name());
  const std::string of = app.get_parent() ? " of '" + path_of(app) + "'" : "";
  if (word.empty() || word.front() == '-')
    return fmt::format("{} needs a command: {}; usage: {}", path_of(app), fmt::join(names, ", "),
                       usage_of(app));
  return unknown_name("command" + of, word, names);
}

/// The first of the words is no command.
std::string misplaced(const CLI::App& app, Words words) {
  const std::string word = words.empty() ? "" : words.front();
  if (option_named(app, word))
    return ""; // --help, --version
  const CLI::App* later = words.empty() ? nullptr : command_among(app, words.subspan(1));
  const bool option = word.starts_with('-');
  if (later && option)
    return fmt::format("'{}': options come after the command: '{} {} …'", word, path_of(*later),
                       word);
  const std::string unknown =
      (!words.empty() && word.empty() ? "the first word is empty: " : "") + no_command(app, word);
  if (later && unknown.find("did you mean") == std::string::npos)
    return fmt::format("the command comes first; did you mean '{} {}'?", path_of(*later), word);
  return option && !app.get_parent() ? "" : unknown; // which option, the parse says
}

} // namespace

std::string without_value(const std::string& word) {
  return word.starts_with("--") ? word.substr(0, word.find('=')) : word;
}

std::string fault_of_words(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  Words left = words;
  while (!commands_of(*command).empty()) {
    const CLI::App* next = left.empty() ? nullptr : command_named(*command, left.front());
    if (!next)
      return misplaced(*command, left);
    command = next;
    left = left.subspan(1);
  }
  return Arguments(*command).fault(left);
}

} // namespace gridsmith
