// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/profiles/printed_value.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace gridsmith {
namespace {

bool digit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view without_sign(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+'))
    text.remove_prefix(1);
  return text;
}

/// Thousands may be grouped by blanks and apostrophes too, in any locale.
std::string without_blanks(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    bool group = false;
    for (const std::string_view mark : {" ", "'", "\xC2\xA0", "\xE2\x80\xAF", "\xE2\x80\x99"})
      if (rest.starts_with(mark) && !plain.empty() && digit(plain.back()) &&
          rest.size() > mark.size() && digit(rest[mark.size()])) {
        at += mark.size() - 1;
        group = true;
        break;
      }
    if (!group)
      plain += text[at];
  }
  return plain;
}

/// "2,000,000" and "20,00,000": one to three digits, groups of two or three, the last of three.
bool grouped(std::string_view whole, char mark) {
  std::size_t group = 0, groups = 0;
  for (const char c : whole) {
    if (digit(c)) {
      ++group;
    } else if (c == mark) {
      if (group == 0 || group > 3 || (groups > 0 && group < 2))
        return false;
      group = 0;
      ++groups;
    } else {
      return false;
    }
  }
  return groups == 0 || group == 3;
}

std::optional<double> plain_number(const std::string& text) {
  double value = 0;
  const char* first = text.data() + (text.starts_with("+") ? 1 : 0);
  const auto [end, error] = std::from_chars(first, text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

struct Word {
  std::string_view word;
  double factor;
};

constexpr std::array<Word, 17> times_ns{{{"nsecond", 1},
                                         {"ns", 1},
                                         {"nsec", 1},
                                         {"usecond", 1e3},
                                         {"us", 1e3},
                                         {"usec", 1e3},
                                         {"\xC2\xB5s", 1e3},
                                         {"\xCE\xBCs", 1e3},
                                         {"msecond", 1e6},
                                         {"ms", 1e6},
                                         {"msec", 1e6},
                                         {"second", 1e9},
                                         {"s", 1e9},
                                         {"sec", 1e9},
                                         {"minute", 60e9},
                                         {"min", 60e9},
                                         {"m", 60e9}}};

// What CUPTI counts in (its NVPW_DIM_UNIT_… as ncu spells them); all are worth themselves.
constexpr std::array<std::string_view, 33> counts{
    "",          "%",         "cycle",  "inst",  "instruction", "sector", "request",
    "wavefront", "thread",    "warp",   "block", "register",    "tag",    "line",
    "op",        "access",    "query",  "pixel", "sample",      "target", "hit",
    "miss",      "branch",    "launch", "SM",    "sm",          "cta",    "cga",
    "cluster",   "primitive", "texel",  "tpc",   "event"};

std::optional<double> time_factor(std::string_view word) {
  const auto found = std::find_if(times_ns.begin(), times_ns.end(),
                                  [&](const Word& one) { return one.word == word; });
  return found == times_ns.end() ? std::nullopt : std::optional(found->factor);
}

bool is_count(std::string_view word) {
  const bool plural = word.size() > 2 && word.ends_with('s');
  return std::find(counts.begin(), counts.end(), word) != counts.end() ||
         (plural &&
          std::find(counts.begin(), counts.end(), word.substr(0, word.size() - 1)) != counts.end());
}

bool is_bytes(std::string_view word) {
  return word == "byte" || word == "bytes" || word == "B" || word == "Byte";
}

double prefix_factor(char prefix, double step) {
  const auto power = std::string_view("KMGT").find(prefix == 'k' ? 'K' : prefix);
  return power == std::string_view::npos ? 0 : std::pow(step, static_cast<double>(power + 1));
}

/// Of bytes, counts and Hz, with a prefix or none.
std::optional<double> count_factor(std::string_view word, Prefixes prefixes) {
  const auto is_hz = [](std::string_view text) { return text == "hz" || text == "Hz"; };
  if (is_bytes(word) || is_count(word) || is_hz(word))
    return 1;
  double step = prefixes == Prefixes::binary && word.ends_with('B') ? 1024 : 1000;
  std::string_view rest = word.substr(1);
  if (rest.starts_with('i') && is_bytes(rest.substr(1))) { // KiB
    step = 1024;
    rest.remove_prefix(1);
  }
  const double factor = prefix_factor(word.front(), step);
  if (factor > 0 && !rest.empty() && (is_bytes(rest) || is_hz(rest) || is_count(rest)))
    return factor;
  return std::nullopt;
}

PrintedValue missing(std::string because) {
  return {std::nullopt, std::move(because)};
}

/// Where the number ends and its unit begins.
std::size_t unit_at(std::string_view text) {
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size(); ++at)
    if (digit(text[at]))
      end = at + 1;
    else if (std::string_view("+-.,' \xC2\xA0\xE2\x80\xAF\x99").find(text[at]) ==
             std::string_view::npos)
      break;
  // An exponent belongs to the number.
  if (end > 0 && end + 1 < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    std::size_t at = end + 1;
    if (text[at] == '+' || text[at] == '-')
      ++at;
    if (at < text.size() && digit(text[at]))
      for (end = at; end < text.size() && digit(text[end]);)
        ++end;
  }
  return end;
}

} // namespace

int comma_evidence(std::string_view number) {
  const std::string text = without_blanks(without_sign(number));
  if (text.empty() || !digit(text.front()) || text.find_first_not_of("0123456789.,") != text.npos)
    return 0;
  const auto last_point = text.rfind('.'), last_comma = text.rfind(',');
  const auto points = std::count(text.begin(), text.end(), '.');
  const auto commas = std::count(text.begin(), text.end(), ',');
  if (points > 0 && commas > 0)
    return last_comma > last_point ? 1 : -1;
  if (points + commas == 0)
    return 0;
  if (points > 1 || commas > 1) // only groups come several times
    return points > 1 ? 1 : -1;
  const auto mark = points > 0 ? last_point : last_comma;
  const bool fraction = text.size() - mark - 1 != 3 || mark > 3 || text.starts_with("0");
  return !fraction ? 0 : points > 0 ? -1 : 1;
}

std::optional<double> printed_number(std::string_view text, DecimalMark mark) {
  const char point = mark == DecimalMark::point ? '.' : ',';
  const char group = mark == DecimalMark::point ? ',' : '.';
  std::string plain = without_blanks(text);
  const std::string_view unsigned_part = without_sign(plain);
  if (unsigned_part.empty() || !(digit(unsigned_part.front()) || unsigned_part.front() == point))
    return std::nullopt;
  const auto end = std::min(unsigned_part.find(point), unsigned_part.find_first_of("eE"));
  if (!grouped(unsigned_part.substr(0, end), group))
    return std::nullopt;
  if (end != std::string_view::npos && unsigned_part.find(group, end) != std::string_view::npos)
    return std::nullopt;
  std::erase(plain, group);
  std::replace(plain.begin(), plain.end(), point, '.');
  return plain_number(plain);
}

std::optional<double> unit_factor(std::string_view unit, Prefixes prefixes) {
  if (unit == "MBps" || unit == "MiBps") // nsys, in older versions
    return unit == "MBps" ? 1e6 : 1048576.0;
  const auto slash = unit.find('/');
  const std::string_view above = unit.substr(0, slash);
  const auto time = above.empty() ? std::nullopt : time_factor(above);
  const auto factor = time            ? time
                      : above.empty() ? std::optional(1.0)
                                      : count_factor(above, prefixes);
  if (!factor || slash == std::string_view::npos)
    return factor;
  const std::string_view below = unit.substr(slash + 1);
  if (const auto per = time_factor(below))
    return *factor * (1e9 / *per);
  return !below.empty() && (is_count(below) || is_bytes(below)) ? factor : std::nullopt;
}

PrintedValue printed_value(std::string_view text, std::string_view unit, DecimalMark mark,
                           Prefixes prefixes) {
  if (text.ends_with(")"))
    if (const auto open = text.rfind(" ("); open != text.npos)
      text = text.find_first_of("0123456789") > open
                 ? text.substr(open + 2, text.size() - open - 3) // a level
                 : text.substr(0, open);                         // and its instances
  const std::size_t end = unit_at(text);
  const auto number = printed_number(text.substr(0, end), mark);
  if (!number)
    return missing("value that is no number");
  std::string_view own = text.substr(end);
  while (own.starts_with(" "))
    own.remove_prefix(1);
  const auto factor = unit_factor(own.empty() ? unit : own, prefixes);
  if (!factor)
    return missing("value in an unknown unit");
  const double value = *number * *factor;
  return std::isfinite(value) ? PrintedValue{value, ""} : missing("value that is no number");
}

} // namespace gridsmith
