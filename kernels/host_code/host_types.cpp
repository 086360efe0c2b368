// SPDX-License-Identifier: Apache-2.0
// What sizeof() is of the types and variables that a file's host code names.
#include "gridsmith/kernels/host_code/argument_type.hpp"
#include "gridsmith/kernels/host_code/declared_types.hpp"
#include "gridsmith/kernels/host_code/host_values.hpp"
#include "gridsmith/kernels/syntax/constants.hpp"

#include <functional>

namespace gridsmith {
namespace {

using Range = std::span<const Token>;

constexpr std::int64_t pointer_bytes = 8;

/// The name in `*x`, `**x`, `x[0][1]`, and how often it is followed; "": it is another expression.
std::pair<std::string_view, std::size_t> followed(Range operand) {
  std::size_t at = 0;
  while (at < operand.size() && operand[at].text == "*")
    ++at;
  std::size_t times = at;
  if (at >= operand.size() || operand[at].kind != TokenKind::word)
    return {"", 0};
  const std::string_view name = operand[at++].text;
  while (at < operand.size() && operand[at].text == "[") {
    while (at < operand.size() && operand[at].text != "]")
      ++at;
    ++at;
    ++times;
  }
  return {at == operand.size() ? name : std::string_view(), times};
}

} // namespace

std::string HostValues::meaning(const std::string& word) const {
  std::string found = meaning_in(tokens_, word);
  for (std::size_t i = 0; found.empty() && i < headers_.size(); ++i)
    found = meaning_in(headers_[i], word);
  return found;
}

/// Where all declarations of its function say the same, or where those outside of functions do.
std::optional<std::int64_t> HostValues::bytes_of_variable(Range operand) const {
  const auto [name, times] = followed(operand);
  const std::less<const Token*> before;
  if (name.empty() || before(operand.data(), tokens_.data()) ||
      !before(operand.data(), tokens_.data() + tokens_.size()))
    return std::nullopt;
  const auto place = static_cast<std::size_t>(operand.data() - tokens_.data());
  std::optional<std::int64_t> found;
  bool differs = false; // or one is not known
  const auto take = [&](std::size_t first, std::size_t last) {
    for (std::size_t at = first; at < last; ++at) {
      const auto declared =
          tokens_[at].text == name ? declared_at(tokens_, at) : std::optional<DeclaredType>();
      if (!declared)
        continue;
      const auto bytes =
          times < declared->arrays || times > declared->arrays + declared->stars ? std::nullopt
          : times < declared->arrays + declared->stars ? std::optional(pointer_bytes)
                                                       : bytes_of_type(declared->type);
      differs |= !bytes || (found && found != bytes);
      found = bytes;
    }
    return !differs;
  };
  for (const Declaration& one : names_.declarations())
    if (one.kind == Declaration::Kind::function && one.first <= place && place < one.last &&
        (!take(one.first, place) || found))
      return differs ? std::nullopt : found;
  for (const Declaration& one : names_.declarations())
    if (one.kind == Declaration::Kind::other && !take(one.first, one.last))
      return std::nullopt;
  return found;
}

std::optional<std::int64_t> HostValues::bytes_of_type(std::span<const Token> type) const {
  if (!type.empty() && (type.front().text == "*" || type.back().text == "]"))
    return bytes_of_variable(type);
  std::string name;
  for (const Token& token : type) {
    if (token.text == "*")
      return pointer_bytes;
    if (!is_type_specifier(token.text))
      name += (name.empty() ? "" : " ") + std::string(token.text);
  }
  if (const auto said = bytes_.find(name); said != bytes_.end())
    return said->second;
  auto known = type_of_word(name);
  constexpr int most_names = 8; // of a type that is named by another
  for (int i = 0; !known && !name.empty() && i < most_names; ++i) {
    name = meaning(name);
    known = type_of_word(name);
  }
  return known ? std::optional<std::int64_t>(known->bytes * known->count) : std::nullopt;
}

} // namespace gridsmith
