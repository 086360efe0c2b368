// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/draft/struct_types.hpp"

#include "gridsmith/kernels/host_code/argument_type.hpp"
#include "gridsmith/kernels/host_code/struct_body.hpp"
#include "gridsmith/kernels/syntax/constants.hpp"
#include "gridsmith/kernels/syntax/signature.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

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
    if (!body)
      return false;
    if (found_.size() >= most_structs)
      return refuse(fmt::format("it has more than {} structs in it", most_structs));
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

  const std::string& reason() const { return reason_; }

private:
  /// The first reason is the one that is said.
  bool refuse(const std::string& reason) {
    if (reason_.empty())
      reason_ = reason;
    return false;
  }

  std::optional<Range> body_of(std::string_view name) {
    const auto found = struct_body(tokens_, name);
    if (found && !found->base.empty())
      refuse("it has a base, " + text_of(found->base));
    else if (found && found->hidden)
      refuse("it is a class, whose members are private");
    else if (found)
      return found->body;
    return std::nullopt;
  }

  /// `const float x, y[2]` as two.
  bool add_fields(Range declaration, std::vector<std::string>& fields) {
    if (declaration.size() > 2 && declaration[0].text == "public" && declaration[1].text == ":")
      declaration = declaration.subspan(2);
    if (const std::string met = no_number_in(declaration); !met.empty())
      return refuse("it has " + met);
    std::string type;
    for (Range part : parts_of(declaration)) {
      std::size_t name = part.size();
      while (name > 0 && (part[name - 1].kind != TokenKind::word || in_bracket(part, name - 1)))
        --name;
      if (name == 0)
        return refuse("a member is not understood: " + text_of(part));
      if (type.empty())
        type = type_of(part.first(name - 1));
      const auto counts = counts_of(part.subspan(name));
      if (type.empty() || !counts)
        return refuse("of its member " + text_of(part) + " the type or the elements are not known");
      fields.push_back(fmt::format("{} {}{}", type, part[name - 1].text, *counts));
    }
    return true;
  }

  /// "a member function, length()": what is met first; "": nothing of that kind.
  static std::string no_number_in(Range declaration) {
    static const std::map<std::string_view, std::string_view> kinds{
        {"*", "a pointer"},
        {"&", "a reference"},
        {"(", "a member function"},
        {"{", "a type in it"},
        {":", "a number of bits"},
        {"static", "a static member"},
        {"union", "a union"},
        {"=", "a member with a value"},
        {"operator", "an operator"},
        {"private", "a private member"},
        {"protected", "a protected member"}};
    for (std::size_t at = 0; at < declaration.size(); ++at) {
      const auto kind = kinds.find(declaration[at].text);
      if (kind == kinds.end())
        continue;
      const bool function = kind->first == "(" && at > 0;
      const bool before = kind->first == ":" || kind->first == "=" || function;
      const std::size_t name = before ? at - (at > 0 ? 1 : 0) : at + 1;
      const bool known = name < declaration.size() && declaration[name].kind == TokenKind::word;
      return fmt::format("{}{}{}{}", kind->second, known ? ", " : "",
                         known ? declaration[name].text : "", known && function ? "()" : "");
    }
    return "";
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
  std::string reason_;
};

} // namespace

ReadStruct struct_types(const Tokens& tokens, std::string_view name,
                        const std::map<std::string, std::int64_t>& constants) {
  StructReader reader(tokens, constants);
  const bool read = reader.add(name);
  return {read ? std::optional(reader.take()) : std::nullopt, read ? "" : reader.reason()};
}

} // namespace gridsmith
