// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/commandline/checks.hpp"

#include "gridsmith/base/error.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <sstream>
#include <string_view>

namespace gridsmith {
namespace {

/// The whole text as a number.
template <typename T>
bool number_of(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

} // namespace

CLI::Validator count_from(std::uint64_t least, std::uint64_t most) {
  return CLI::Validator(
      [=](std::string& text) -> std::string {
        std::uint64_t value = 0;
        if (number_of(text, value) && value >= least && value <= most)
          return "";
        return not_a_count(text, least, most);
      },
      "", "count_from");
}

CLI::Validator positive_number(double most) {
  return CLI::Validator(
      [most](std::string& text) -> std::string {
        double value = 0;
        if (number_of(text, value) && value > 0 && value <= most)
          return "";
        return not_positive(text, most);
      },
      "", "positive_number");
}

// CLI11 shows a check's description behind the type of the value, which is where words_of() reads
// it: "TEXT:{a|b}".
CLI::Validator one_of(const std::string& kind, const std::vector<std::string>& words) {
  return CLI::Validator(
      [=](std::string& text) -> std::string {
        for (const std::string& word : words)
          if (word == text)
            return "";
        return unknown_name(kind, text, words);
      },
      fmt::format("{{{}}}", fmt::join(words, "|")), "one_of");
}

CLI::Validator suggested(const std::vector<std::string>& words) {
  return CLI::Validator([](std::string&) -> std::string { return ""; },
                        fmt::format("{{{}}}", fmt::join(words, "|")), "suggested");
}

void refuse_values_of_flags(CLI::App& app) {
  for (CLI::Option* option : app.get_options())
    if (option->get_expected_max() == 0)
      option->disable_flag_override();
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; }))
    refuse_values_of_flags(*command);
}

std::vector<std::string> words_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find(":{");
  if (begin == std::string::npos || type.back() != '}')
    return {};
  std::istringstream list(type.substr(begin + 2, type.size() - begin - 3));
  std::vector<std::string> words;
  for (std::string word; std::getline(list, word, '|');)
    words.push_back(word);
  return words;
}

} // namespace gridsmith
