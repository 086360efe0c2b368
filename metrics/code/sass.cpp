// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/code/sass.hpp"

#include "gridsmith/base/text_layout.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace gridsmith {
namespace {

constexpr std::string_view blanks = " \t\r";

std::pair<std::string_view, std::string_view> cut(std::string_view text, std::string_view at) {
  const std::size_t end = text.find_first_of(at);
  return end == std::string_view::npos
             ? std::pair{text, std::string_view{}}
             : std::pair{text.substr(0, end), trimmed(text.substr(end + 1))};
}

std::optional<std::uint64_t> hexadecimal(std::string_view digits) {
  std::uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  return error == std::errc{} && end == digits.data() + digits.size() && !digits.empty()
             ? std::optional(number)
             : std::nullopt;
}

/// A line of the listing that holds an instruction.
struct Line {
  std::uint64_t address = 0;
  std::string guard, mnemonic, operands;
};

/// "/*0010*/  @!P0 BRA `(.L_x_0) ;  /* encoding */"
std::optional<Line> line_of(std::string_view text) {
  if (!text.starts_with("/*"))
    return std::nullopt;
  const std::size_t end = text.find("*/");
  const auto address =
      end == std::string_view::npos ? std::nullopt : hexadecimal(text.substr(2, end - 2));
  if (!address)
    return std::nullopt;
  std::string_view code = trimmed(cut(trimmed(text.substr(end + 2)), ";").first);
  if (code.starts_with('{')) // two at once, of older architectures
    code = trimmed(code.substr(1));
  Line line{*address, {}, {}, {}};
  if (code.starts_with('@'))
    std::tie(line.guard, code) = cut(code, blanks);
  std::tie(line.mnemonic, line.operands) = cut(code, blanks);
  return line.mnemonic.empty() ? std::nullopt : std::optional(std::move(line));
}

/// Whose code begins here: nothing where none does, "" where that of another kind does.
std::optional<std::string_view> kernel_begun(std::string_view text) {
  constexpr std::string_view section = ".section", code = ".text.", function = "Function : ";
  if (text.starts_with(function))
    return trimmed(text.substr(function.size()));
  if (!text.starts_with(section))
    return std::nullopt;
  const std::string_view name = cut(trimmed(text.substr(section.size())), ",").first;
  return name.starts_with(code) ? name.substr(code.size()) : std::string_view{};
}

struct Listing {
  std::vector<Line> lines;
  std::map<std::string, std::uint64_t, std::less<>> labels; ///< the address that follows
};

Listing listing_of(std::string_view text, std::string_view kernel) {
  Listing listing;
  std::vector<std::string_view> waiting;
  bool inside = false;
  while (!text.empty()) {
    const auto [raw, rest] = cut(text, "\n");
    text = rest;
    const std::string_view line = trimmed(raw);
    if (const auto begun = kernel_begun(line))
      inside = *begun == kernel;
    else if (inside && line.ends_with(':'))
      waiting.push_back(line.substr(0, line.size() - 1));
    else if (auto instruction = inside ? line_of(line) : std::nullopt) {
      for (const std::string_view label : std::exchange(waiting, {}))
        listing.labels.emplace(label, instruction->address);
      listing.lines.push_back(std::move(*instruction));
    }
  }
  return listing;
}

/// Where in the operands a place in the code is named, and which: "`(.L_x_0)", or "0x110" of what
/// branches.
struct Target {
  std::size_t begin = 0, length = 0;
  std::uint64_t address = 0;
};

std::optional<Target> target_of(const Line& line, const Listing& listing) {
  constexpr std::array<std::string_view, 5> branching{"BRA", "BSSY", "CALL", "JMP", "WARPSYNC"};
  const std::string_view operands = line.operands;
  if (const std::size_t begin = operands.find("`("); begin != std::string_view::npos) {
    const std::size_t end = operands.find(')', begin);
    const auto label = listing.labels.find(operands.substr(begin + 2, end - begin - 2));
    return end == std::string_view::npos || label == listing.labels.end()
               ? std::nullopt
               : std::optional(Target{begin, end + 1 - begin, label->second});
  }
  const std::string_view name = cut(line.mnemonic, ".").first;
  const std::size_t begin = operands.rfind("0x");
  if (std::find(branching.begin(), branching.end(), name) == branching.end() ||
      begin == std::string_view::npos)
    return std::nullopt;
  const auto address = hexadecimal(operands.substr(begin + 2));
  return address ? std::optional(Target{begin, operands.size() - begin, *address}) : std::nullopt;
}

/// One blank where there are several.
std::string closed_up(std::string_view text) {
  std::string closed;
  for (const char letter : text)
    if (letter != ' ' || (!closed.empty() && closed.back() != ' '))
      closed += letter;
  return closed;
}

} // namespace

std::vector<SassInstruction> sass_of(std::string_view text, std::string_view kernel) {
  const Listing listing = listing_of(text, kernel);
  std::map<std::uint64_t, std::size_t> numbers; // of labels, by address
  std::vector<SassInstruction> code;
  for (const Line& line : listing.lines) {
    const auto target = target_of(line, listing);
    if (line.mnemonic == "NOP" || (target && target->address == line.address))
      continue;
    std::string operands = line.operands;
    if (target) {
      const std::size_t number = numbers.try_emplace(target->address, numbers.size()).first->second;
      operands.replace(target->begin, target->length, "L" + std::to_string(number));
    }
    const std::string whole =
        (line.guard.empty() ? "" : line.guard + ' ') + line.mnemonic + ' ' + operands;
    code.push_back({line.mnemonic, closed_up(trimmed(whole))});
  }
  return code;
}

std::string normalised_text(const std::vector<SassInstruction>& code) {
  std::string text;
  for (const SassInstruction& one : code)
    text += one.text + '\n';
  return text;
}

} // namespace gridsmith
