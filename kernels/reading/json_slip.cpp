// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/reading/json_slip.hpp"

#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/base/text_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace gridsmith {
namespace {

constexpr std::size_t longest_explanation = 140; // of which the parser's own words are 60
constexpr std::size_t longest_word = 30;         // quoted
constexpr std::string_view blanks = " \t\r\n";

/// What stands where the parser stopped, and before it.
struct Stop {
  std::size_t at = 0; ///< where the word begins, from 0
  std::string_view
      word;        ///< up to a blank, a comma, a colon or a bracket, or one of these; "": the end
  char before = 0; ///< last character before it that is not blank
  std::size_t before_at = 0;
};

/// @param in_word it is a word that no value begins with, and the parser may be one character behind it
Stop stop_at(std::string_view text, std::size_t byte, bool in_word) {
  constexpr std::string_view marks = ",:{}[]";
  Stop stop;
  stop.at = std::min(byte > 0 ? byte - 1 : 0, text.size());
  if (in_word && stop.at == text.size() && stop.at > 0)
    --stop.at; // the word is the file's last
  const auto behind = [&](char here) {
    return blanks.find(here) != blanks.npos || (in_word && marks.find(here) != marks.npos);
  };
  while (stop.at > 0 && stop.at < text.size() && behind(text[stop.at]))
    --stop.at;
  if (stop.at < text.size() && text[stop.at] == '"') // the parser is at the end of a text
    stop.at = std::min(text.rfind('"', stop.at > 0 ? stop.at - 1 : 0), stop.at);
  else if (stop.at < text.size() && marks.find(text[stop.at]) == marks.npos)
    stop.at = text.find_last_of(" \t\r\n,:{}[]\"", stop.at) + 1;
  if (stop.at < text.size())
    stop.word = marks.find(text[stop.at]) != marks.npos
                    ? text.substr(stop.at, 1)
                    : text.substr(stop.at, std::max<std::size_t>(
                                               1, text.find_first_of(" \t\r\n,:{}[]", stop.at + 1) -
                                                      stop.at));
  const std::size_t last = stop.at > 0 ? text.find_last_not_of(blanks, stop.at - 1) : text.npos;
  if (last != text.npos)
    stop.before = text[stop.before_at = last];
  return stop;
}

/// Of a document in another language; "" where it does not look so.
std::string_view other_language(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  const std::string_view line = text.substr(first, text.find('\n', first) - first);
  const std::string_view word = line.substr(0, line.find_first_of(" :=]"));
  const auto letter = [](char one) { return std::isalpha(static_cast<unsigned char>(one)) != 0; };
  if (line.starts_with("---") ||
      (letter(line.front()) && line.substr(word.size()).starts_with(":")))
    return "this looks like YAML, a definition is JSON";
  if ((line.starts_with("[") && word.size() > 1 && letter(word[1])) ||
      line.substr(word.size()).starts_with(" = "))
    return "this looks like TOML, a definition is JSON";
  return "";
}

/// What a word may have been meant to be; "" unknown.
std::string_view meant_by(std::string_view word) {
  char32_t first = 0;
  if (!word.empty())
    take_character(word, first);
  const auto digit = [&](std::size_t i) {
    return i < word.size() && std::isdigit(static_cast<unsigned char>(word[i])) != 0;
  };
  if (first == '#')
    return "JSON has no # comments, // are skipped";
  if (word.starts_with("True") || word.starts_with("False") || word.starts_with("None"))
    return "JSON writes true, false and null";
  if (word.starts_with("NaN") || word.starts_with("Inf") || word.starts_with("-Inf"))
    return "JSON has finite numbers only";
  if (first == '\'' || first == '`')
    return "JSON has texts between double quotes only";
  if (first == 0x2018 || first == 0x2019 || (0x201c <= first && first <= 0x201e) || first == 0xab)
    return "JSON has texts between straight double quotes only";
  if (first == 0xa0 || first == 0x202f || first == 0x200b || first == 0xfeff)
    return "it looks like a blank and is none; replace it by a blank";
  if (first == '.' || first == '+')
    return "a number begins with a digit";
  if (first == ';')
    return "JSON separates by commas";
  if (first == '0' && digit(1))
    return "a number has no leading 0";
  return "";
}

/// "'word'"; of one that begins with no letter of ASCII that character and its number.
std::string quoted(std::string_view word) {
  char32_t first = 0;
  const std::string_view rest = take_character(word, first);
  if (first < 0x80)
    return fmt::format("'{}'", cut(printable(word), longest_word));
  return fmt::format("'{}' (U+{:04X})", printable(word.substr(0, word.size() - rest.size())),
                     static_cast<unsigned>(first));
}

/// A text with a tab or a line's end in it, or without its end.
std::string broken_text(std::string_view text, std::size_t byte, std::string_view said) {
  if (said.find("missing closing quote") != said.npos)
    return "a text has no closing quote";
  const char here = byte > 0 && byte <= text.size() ? text[byte - 1] : ' ';
  if (here == '\n' || here == '\r')
    return "a text has no closing quote in its line";
  if (said.find("control character") != said.npos)
    return here == '\t' ? "a text has a tab in it; write a blank, or \\t"
                        : fmt::format("a text has the control character U+{:04X} in it",
                                      static_cast<unsigned>(here));
  if (said.find("ill-formed UTF-8") != said.npos)
    return "a text is not in UTF-8; save the file as UTF-8";
  return "";
}

/// Which sign is missing or too many; "" unknown.
std::string punctuation(const Stop& stop, std::string_view said) {
  const auto expects = [&](std::string_view sign) {
    return said.find(fmt::format("; expected {}", sign)) != said.npos;
  };
  if (stop.word.empty())
    return "the file ends before all its brackets are closed";
  if (expects("end of input") && stop.before != 0)
    return fmt::format("{} stands behind the end of the definition", quoted(stop.word));
  if (expects("':'"))
    return fmt::format("expected ':' behind the name of a field, found {}", quoted(stop.word));
  const bool closes = stop.word == "]" || stop.word == "}";
  if (closes && (expects("']'") || expects("'}'")))
    return fmt::format("{} closes what another bracket opened", quoted(stop.word));
  if (expects("']'") || expects("'}'"))
    return fmt::format("a comma is missing before {}", quoted(stop.word));
  if (stop.word == ",")
    return "a comma too many";
  if (said.find("object key") != said.npos || expects("string literal"))
    return fmt::format("expected the name of a field between double quotes, found {}",
                       quoted(stop.word));
  return "";
}

} // namespace

std::string words_of_parser(const std::string& said) {
  std::size_t start = said.find("syntax error");
  if (start == std::string::npos && said.starts_with("["))
    start = said.find("] ") == std::string::npos ? 0 : said.find("] ") + 2;
  return cut(printable(start == std::string::npos ? said : said.substr(start)),
             longest_explanation);
}

JsonSlip json_slip(std::string_view text, std::size_t byte, const std::string& said) {
  if (const auto other = other_language(text); !other.empty())
    return {byte, std::string(other)};
  if (std::string broken = broken_text(text, byte, said); !broken.empty())
    return {byte, std::move(broken)};
  const bool unknown =
      said.find("invalid literal") != said.npos || said.find("invalid number") != said.npos;
  const Stop stop = stop_at(text, byte, unknown);
  if (stop.before == ',' && (stop.word == "]" || stop.word == "}"))
    return {stop.before_at + 1,
            fmt::format("a comma with nothing between it and the next {}", quoted(stop.word))};
  if (const auto meant = meant_by(stop.word); !meant.empty())
    return {stop.at + 1, fmt::format("unexpected {}; {}", quoted(stop.word), meant)};
  if (unknown && !stop.word.empty() &&
      std::isdigit(static_cast<unsigned char>(stop.word.front())) != 0)
    return {stop.at + 1, fmt::format("{} is no number", quoted(stop.word))};
  if (std::string sign = punctuation(stop, said); !sign.empty())
    return {stop.at + 1, std::move(sign)};
  if (unknown)
    return {stop.at + 1, fmt::format("{} is no value; expected a number, true, false, null, a text "
                                     "between double quotes, '[' or '{{'",
                                     quoted(stop.word))};
  return {byte, words_of_parser(said)};
}

} // namespace gridsmith
