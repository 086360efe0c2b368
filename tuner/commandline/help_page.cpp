// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/commandline/help_page.hpp"

#include "gridsmith/tuner/presentation/terminal.hpp"

#include <algorithm>
#include <memory>
#include <sstream>

namespace gridsmith {
namespace {

constexpr std::size_t widest_title = 24; // a longer one has a line of its own
constexpr const char* unnamed_group = "Options";

using Rows = std::vector<std::pair<std::string, std::string>>;

std::size_t column_of(const Rows& rows) {
  std::size_t column = 0;
  for (const auto& [title, text] : rows)
    if (width_of(title) <= widest_title)
      column = std::max(column, width_of(title));
  return column + 2;
}

std::string section(const std::string& title, const Rows& rows, std::size_t column,
                    std::size_t width) {
  std::string text = '\n' + title + ":\n";
  for (const auto& [left, right] : rows)
    text += two_columns(left, right, column, width);
  return text;
}

/// Where the second column of "  csv    comma-separated" begins, or where its first word does.
std::size_t second_column(const std::string& line) {
  const std::size_t first = line.find_first_not_of(' ');
  const std::size_t gap = line.find("  ", first);
  const std::size_t second = gap == std::string::npos ? gap : line.find_first_not_of(' ', gap);
  return second == std::string::npos ? first : second;
}

/// Lines that belong together are one paragraph; a line that begins with blanks stays one.
std::string flowed(const std::string& text, std::size_t width) {
  std::string all, paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty())
      all += wrapped(paragraph, width, 0) + '\n';
    paragraph.clear();
  };
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.front() != ' ') {
      paragraph += (paragraph.empty() ? "" : " ") + line;
      continue;
    }
    end_paragraph();
    const std::size_t column = line.empty() ? 0 : second_column(line);
    all += line.empty() ? "\n"
                        : two_columns(line.substr(0, line.find_last_not_of(' ', column - 1) + 1),
                                      line.substr(column), column, width);
  }
  end_paragraph();
  return all;
}

std::string without_blank_lines_around(const std::string& text) {
  const std::size_t begin = text.find_first_not_of('\n');
  return begin == std::string::npos ? ""
                                    : text.substr(begin, text.find_last_not_of('\n') + 1 - begin);
}

class Pages : public CLI::FormatterBase {
public:
  explicit Pages(std::size_t width) : width_(width) {}

  std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const override {
    return help_page(*app, width_);
  }

private:
  std::size_t width_;
};

} // namespace

std::string path_of(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return (parent ? path_of(*parent) + " " : "") + command.get_name();
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string value_name(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::string name = type.substr(0, type.find(':'));
  const bool number = name == "UINT" || name == "INT" || name == "FLOAT";
  if (option.get_expected_max() == 0) // a flag
    return "";
  return number ? "N" : name;
}

std::string option_title(const CLI::Option& option) {
  if (option.get_positional())
    return value_name(option);
  std::string title;
  for (const std::string& name : option.get_snames())
    title += (title.empty() ? "-" : ", -") + name;
  for (const std::string& name : option.get_lnames())
    title += (title.empty() ? "--" : ", --") + name;
  const std::string value = value_name(option);
  return title + (value.empty() ? "" : " " + value);
}

std::string option_text(const CLI::Option& option) {
  const std::string& text = option.get_description();
  const std::string usual = option.get_default_str();
  return usual.empty() ? text : text + "; default: " + usual;
}

std::vector<OptionGroup> option_groups(const CLI::App& command) {
  std::vector<OptionGroup> groups;
  OptionGroup arguments{"Arguments", {}}, unnamed{unnamed_group, {}};
  for (const CLI::Option* option : command.get_options()) {
    const std::string& title = option->get_group();
    if (option->get_positional())
      arguments.options.push_back(option);
    else if (title == unnamed_group)
      unnamed.options.push_back(option);
    else if (!title.empty()) {
      auto group = std::find_if(groups.begin(), groups.end(),
                                [&](const OptionGroup& one) { return one.title == title; });
      if (group == groups.end())
        group = groups.insert(groups.end(), {title, {}});
      group->options.push_back(option);
    }
  }
  groups.insert(groups.begin(), std::move(arguments));
  groups.push_back(std::move(unnamed));
  std::erase_if(groups, [](const OptionGroup& group) { return group.options.empty(); });
  return groups;
}

std::string usage_of(const CLI::App& command) {
  std::string text = path_of(command) + (commands_of(command).empty() ? "" : " COMMAND");
  text += " [OPTIONS]";
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional())
      text += option->get_required() ? " " + value_name(*option) : " [" + value_name(*option) + "]";
  return text;
}

std::string help_page(const CLI::App& command, std::size_t width) {
  std::vector<std::pair<std::string, Rows>> groups;
  Rows all;
  const std::string usual_group = CLI::App().get_group();
  for (const CLI::App* one : commands_of(command)) {
    const std::string title = one->get_group() == usual_group ? "Commands" : one->get_group();
    if (groups.empty() || groups.back().first != title)
      groups.emplace_back(title, Rows{});
    groups.back().second.emplace_back("  " + one->get_name(), one->get_description());
    all.push_back(groups.back().second.back());
  }
  for (const OptionGroup& group : option_groups(command)) {
    Rows rows;
    for (const CLI::Option* option : group.options)
      rows.emplace_back("  " + option_title(*option), option_text(*option));
    all.insert(all.end(), rows.begin(), rows.end());
    groups.emplace_back(group.title, std::move(rows));
  }
  const std::size_t column = column_of(all);
  std::string text = flowed(command.get_description(), width) + "\n" +
                     wrapped("Usage: " + usage_of(command), width, 2) + '\n';
  for (const auto& [title, rows] : groups)
    text += section(title, rows, column, width);
  const std::string footer = without_blank_lines_around(command.get_footer());
  return text + (footer.empty() ? "" : '\n' + flowed(footer, width));
}

void use_help_pages(CLI::App& app, std::size_t width) {
  app.formatter(std::make_shared<Pages>(width));
}

} // namespace gridsmith
