// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/draft/struct_types.hpp"

#include "gridsmith/kernels/draft/argument_type.hpp"
#include "gridsmith/kernels/syntax/constants.hpp"
#include "gridsmith/kernels/syntax/signature.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gridsmith {
namespace {

using Range = std::span<const Token>;

constexpr std::size_t most_structs = 16; // one within the other

bool has(Range part, std::string_view text) {
  return std::any_of(part.begin(), part.end(), [&](const Token& one) { return one.text == text; });
}

class StructReader {
public:
  StructReader(const Tokens& tokens, const std::map<std::string, std::int64_t>& constants)
      : tokens_(tokens), constants_(constants) {}

  /// False where it cannot be described.
  bool add(std::string_view name) {
    const auto body = body_of(name);
    if (!body || found_.size() >= most_structs)
      return false;
    std::vector<std::string> fields;
    for (std::size_t at = 0; at < body->size();) {
      std::size_t end = at;
      while (end < body->size() && (*body)[end].text != ";")
        ++end;
      if (end > at && !add_fields(body->subspan(at, end - at), fields))
        return false;
      at = end + 1;
    }
    found_[std::string(name)] = std::move(fields);
    return true;
  }

  StructTypes take() { return std::move(found_); }

private:
  /// `struct Name { … };`, `typedef struct { … } Name;`
  std::optional<Range> body_of(std::string_view name) const {
    for (const Declaration& one : declarations_of(tokens_)) {
      const Range parts = Range(tokens_).subspan(one.first, one.last - one.first);
      const auto open = std::find_if(parts.begin(), parts.end(),
                                     [](const Token& token) { return token.text == "{"; });
      if (one.kind != Declaration::Kind::other || open == parts.end() ||
          !has({parts.begin(), open}, "struct"))
        continue;
      const auto first = static_cast<std::size_t>(open - parts.begin());
      const std::size_t end = behind_bracket(tokens_, one.first + first, one.last) - one.first;
      const bool named = first > 0 && parts[first - 1].text == name;
      const bool defined =
          parts.front().text == "typedef" && end < parts.size() && parts[end].text == name;
      if (named || defined)
        return parts.subspan(first + 1, end - first - 2);
    }
    return std::nullopt;
  }

  /// `const float x, y[2]` as two.
  bool add_fields(Range declaration, std::vector<std::string>& fields) {
    for (const std::string_view other : {"*", "&", "(", "{", ":", "static", "union", "="})
      if (has(declaration, other))
        return false;
    std::string type;
    for (Range part : parts_of(declaration)) {
      std::size_t name = part.size();
      while (name > 0 && (part[name - 1].kind != TokenKind::word || in_bracket(part, name - 1)))
        --name;
      if (name == 0)
        return false;
      if (type.empty())
        type = type_of(part.first(name - 1));
      const auto counts = counts_of(part.subspan(name));
      if (type.empty() || !counts)
        return false;
      fields.push_back(fmt::format("{} {}{}", type, part[name - 1].text, *counts));
    }
    return true;
  }

  static bool in_bracket(Range part, std::size_t place) {
    return std::any_of(part.begin() + static_cast<std::ptrdiff_t>(place), part.end(),
                       [](const Token& one) { return one.text == "]"; }) &&
           has(part.first(place), "[");
  }

  /// "int32"; "" of what is no number and no struct of numbers.
  std::string type_of(Range written) {
    std::string name;
    for (const Token& token : written)
      if (token.text != "const" && token.text != "struct")
        name += (name.empty() ? "" : " ") + std::string(token.text);
    if (const auto known = type_of_word(name))
      return known->count == 1 ? known->word : name;
    return !name.empty() && (found_.contains(name) || add(name)) ? name : "";
  }

  /// "[2][3]"
  std::optional<std::string> counts_of(Range behind) const {
    std::string text;
    for (std::size_t at = 0; at < behind.size(); at += 3) {
      if (at + 2 >= behind.size() || behind[at].text != "[" || behind[at + 2].text != "]")
        return std::nullopt;
      const auto named = constants_.find(std::string(behind[at + 1].text));
      const auto count = named == constants_.end() ? whole_number(behind[at + 1].text)
                                                   : std::optional(named->second);
      if (!count)
        return std::nullopt;
      text += fmt::format("[{}]", *count);
    }
    return text;
  }

  const Tokens& tokens_;
  const std::map<std::string, std::int64_t>& constants_;
  StructTypes found_;
};

} // namespace

std::optional<StructTypes> struct_types(const Tokens& tokens, std::string_view name,
                                        const std::map<std::string, std::int64_t>& constants) {
  StructReader reader(tokens, constants);
  return reader.add(name) ? std::optional(reader.take()) : std::nullopt;
}

} // namespace gridsmith
