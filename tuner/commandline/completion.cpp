// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/commandline/completion.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/tuner/commandline/checks.hpp"
#include "gridsmith/tuner/commandline/help_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

namespace gridsmith {
namespace {

// The kernels are asked of the program when they are wanted: a catalogue grows without a rebuild.
constexpr const char* kernel_names = "gridsmith kernels 2>/dev/null | sed '1d; /^$/,$d; s/ .*//'";

struct Spelling {
  const CLI::Option* option;
  std::string text; ///< "--out"
};

/// Of the command and its own commands, each text once.
std::vector<Spelling> spellings(const CLI::App& command) {
  std::vector<Spelling> all;
  const auto add = [&](const CLI::Option* option, std::string text) {
    if (std::none_of(all.begin(), all.end(), [&](const Spelling& one) { return one.text == text; }))
      all.push_back({option, std::move(text)});
  };
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames())
      add(option, "--" + name);
    for (const std::string& name : option->get_snames())
      add(option, "-" + name);
  }
  if (command.get_parent()) // not all commands' for the program's own
    for (const CLI::App* own : commands_of(command))
      for (Spelling& one : spellings(*own))
        add(one.option, std::move(one.text));
  return all;
}

bool takes_value(const CLI::Option& option) {
  return !value_name(option).empty();
}

/// A kernel, or what may be one.
bool names_kernel(const CLI::Option& option) {
  return value_name(option) == "KERNEL" || value_name(option) == "WHAT";
}

/// For a value: its list, or the kernels; between double quotes in bash.
std::string value_words(const CLI::Option& option, const CLI::App& app) {
  if (names_kernel(option))
    return fmt::format("$({})", kernel_names);
  if (!value_name(option).starts_with("COMMAND"))
    return fmt::format("{}", fmt::join(words_of(option), " "));
  std::string commands;
  for (const CLI::App* command : commands_of(app))
    commands += (commands.empty() ? "" : " ") + command->get_name();
  return commands;
}

/// Words of the first positional, or a command's own commands.
std::string argument_words(const CLI::App& command, const CLI::App& app) {
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional())
      return value_words(*option, app);
  std::string own;
  for (const CLI::App* one : commands_of(command))
    own += (own.empty() ? "" : " ") + one->get_name();
  return own;
}

/// Commands of a command that take a kernel.
std::vector<std::string> own_with_kernels(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* own : commands_of(command))
    for (const CLI::Option* option : own->get_options())
      if (option->get_positional() && names_kernel(*option))
        names.push_back(own->get_name());
  return names;
}

std::string texts_of(const std::vector<Spelling>& options) {
  return fmt::format("{}", fmt::join(options | std::views::transform(&Spelling::text), " "));
}

/// A case per command that a command has: its options and arguments, and what 'help' takes next.
std::string bash_own_cases(const CLI::App& command) {
  const std::vector<std::string> with_kernels = own_with_kernels(command);
  std::string cases;
  for (const CLI::App* own : commands_of(command)) {
    const bool kernels = std::ranges::count(with_kernels, own->get_name()) > 0;
    cases += fmt::format("    '{} {}') options='{}'{} ;;\n", command.get_name(), own->get_name(),
                         texts_of(spellings(*own)),
                         kernels ? fmt::format("; words=\"$({})\"", kernel_names) : "");
  }
  if (!cases.empty())
    cases += fmt::format("    'help {}') words='{}' ;;\n", command.get_name(),
                         argument_words(command, command));
  return cases;
}

/// The same function for bash and zsh's bash mode: a case per command, a case per option's value.
std::string bash(const CLI::App& app) {
  std::string commands, values, words, own_words;
  for (const CLI::App* command : commands_of(app)) {
    own_words += bash_own_cases(*command);
    commands += (commands.empty() ? "" : " ") + command->get_name();
    const std::vector<Spelling> options = spellings(*command);
    for (const Spelling& one : options) {
      if (takes_value(*one.option))
        values += fmt::format("    '{} {}') words=\"{}\"; return 0 ;;\n", command->get_name(),
                              one.text, value_words(*one.option, app));
    }
    words += fmt::format("    {}) options='{}'; words=\"{}\" ;;\n", command->get_name(),
                         texts_of(options), argument_words(*command, app));
  }
  return fmt::format(R"(# bash completion for gridsmith; written by 'gridsmith completion bash'.
# Sets 'words' to the values of option $2 of command $1; fails where that takes none.
_gridsmith_values() {{
  case "$1 $2" in
{}    *) return 1 ;;
  esac
}}
_gridsmith() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local command='' options='' words='' at first=''
  for ((at = 1; at < COMP_CWORD; ++at)); do
    case ${{COMP_WORDS[at]}} in -*) ;; *) command=${{COMP_WORDS[at]}}; break ;; esac
  done
  case $command in
    '') options='{}'; words='{}' ;;
{}  esac
  local arguments=$words
  for ((++at; at < COMP_CWORD; ++at)); do
    case ${{COMP_WORDS[at]}} in
      -*) if _gridsmith_values "$command" "${{COMP_WORDS[at]}}"; then ((++at)); fi ;;
      *) first=${{first:-${{COMP_WORDS[at]}}}} ;;
    esac
  done
  words=$arguments
  if [[ $first ]]; then # words are of the first argument alone, but for a command's own command
    words=''
    case "$command $first" in
{}    esac
  fi
  if _gridsmith_values "$command" "$previous"; then :
  elif [[ $current == -* ]]; then words=$options
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}}
complete -o default -F _gridsmith gridsmith
)",
                     values, texts_of(spellings(app)), commands, words, own_words);
}

/// For a text in single quotes.
std::string single_quoted(const std::string& text) {
  std::string all;
  for (const char c : text)
    all += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return '\'' + all + '\'';
}

/// A message of _arguments: brackets and colons end it.
std::string zsh_text(const std::string& text) {
  std::string all;
  for (const char c : text)
    all +=
        (c == '[' || c == ']' || c == ':' || c == '\\') ? std::string{'\\', c} : std::string(1, c);
  return all;
}

std::string zsh_values(const CLI::Option& option, const CLI::App& app) {
  if (names_kernel(option))
    return "_gridsmith_kernels";
  const std::string words = value_words(option, app);
  return words.empty() ? "_files" : '(' + words + ')';
}

std::string zsh(const CLI::App& app) {
  std::string commands, cases;
  for (const CLI::App* command : commands_of(app)) {
    commands += fmt::format("    {}\n", single_quoted(command->get_name() + ":" +
                                                      zsh_text(command->get_description())));
    std::string specs;
    for (const Spelling& one : spellings(*command)) {
      std::string spec = fmt::format("*{}[{}]", one.text, zsh_text(option_text(*one.option)));
      if (takes_value(*one.option))
        spec += fmt::format(":{}:{}", value_name(*one.option), zsh_values(*one.option, app));
      specs += " \\\n        " + single_quoted(spec);
    }
    bool first = true; // of several arguments words are the first's, which others are not
    for (const CLI::Option* option : command->get_options())
      if (option->get_positional())
        specs +=
            " \\\n        " +
            single_quoted(fmt::format(
                "{}:{}:{}", std::exchange(first, false) && !words_of(*option).empty() ? "1" : "*",
                value_name(*option), zsh_values(*option, app)));
    if (first && !commands_of(*command).empty())
      specs += " \\\n        " +
               single_quoted(fmt::format("1:COMMAND:({})", argument_words(*command, app)));
    if (!own_with_kernels(*command).empty())
      specs += " \\\n        '*:KERNEL:_gridsmith_kernels'";
    cases += fmt::format("      {}) _arguments{} ;;\n", command->get_name(), specs);
  }
  return fmt::format(R"zsh(#compdef gridsmith
# zsh completion for gridsmith; written by 'gridsmith completion zsh'.
_gridsmith_kernels() {{
  compadd -- ${{(f)"$({})"}}
  _files
}}
_gridsmith() {{
  local -a commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
  else
    local command=$words[2]
    shift words
    (( CURRENT-- ))
    case $command in
{}    esac
  fi
}}
if [ "$funcstack[1]" = _gridsmith ]; then _gridsmith "$@"; else compdef _gridsmith gridsmith; fi
)zsh",
                     kernel_names, commands, cases);
}

/// In single quotes fish reads \ and ' only.
std::string fish_text(const std::string& text) {
  std::string all;
  for (const char c : text)
    all += (c == '\\' || c == '\'') ? std::string{'\\', c} : std::string(1, c);
  return '\'' + all + '\'';
}

std::string fish(const CLI::App& app) {
  std::string text = "# fish completion for gridsmith; written by 'gridsmith completion fish'.\n";
  for (const CLI::App* command : commands_of(app)) {
    text += fmt::format("complete -c gridsmith -n __fish_use_subcommand -f -a {} -d {}\n",
                        command->get_name(), fish_text(command->get_description()));
    const std::string within = fmt::format(
        "complete -c gridsmith -n '__fish_seen_subcommand_from {}'", command->get_name());
    for (const Spelling& one : spellings(*command)) {
      const bool is_long = one.text.starts_with("--");
      text += fmt::format("{} {} {} -d {}", within, is_long ? "-l" : "-s",
                          one.text.substr(is_long ? 2 : 1), fish_text(option_text(*one.option)));
      const std::string words = value_words(*one.option, app);
      if (!words.empty())
        text += " -x -a " + fish_text(words.starts_with("$(") ? words.substr(1) : words);
      else if (takes_value(*one.option))
        text += " -r";
      text += '\n';
    }
    if (const std::string words = argument_words(*command, app); !words.empty())
      text += fmt::format("{} -a {}\n", within,
                          fish_text(words.starts_with("$(") ? words.substr(1) : words));
    for (const std::string& name : own_with_kernels(*command))
      text += fmt::format("complete -c gridsmith -n '__fish_seen_subcommand_from {}; and "
                          "__fish_seen_subcommand_from {}' -a {}\n",
                          command->get_name(), name, fish_text(fmt::format("({})", kernel_names)));
  }
  return text;
}

} // namespace

std::vector<std::string> completion_shells() {
  return {"bash", "zsh", "fish"};
}

std::string completion_script(const CLI::App& app, const std::string& shell) {
  if (shell == "bash")
    return bash(app);
  if (shell == "zsh")
    return zsh(app);
  if (shell == "fish")
    return fish(app);
  const std::vector<std::string> shells = completion_shells();
  throw InputError(unknown_name("shell", shell, shells));
}

} // namespace gridsmith
