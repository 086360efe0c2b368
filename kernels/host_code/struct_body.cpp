// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/host_code/struct_body.hpp"

#include "gridsmith/kernels/syntax/signature.hpp"

#include <algorithm>

namespace gridsmith {
namespace {

using Range = std::span<const Token>;

bool has_text(Range part, std::string_view text) {
  return std::any_of(part.begin(), part.end(), [&](const Token& one) { return one.text == text; });
}

/// Behind the bracket that closes the one there.
std::size_t behind(Range part, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < part.size(); ++at) {
    const std::string_view text = part[at].text;
    depth += text == "(" || text == "{" || text == "["   ? 1
             : text == ")" || text == "}" || text == "]" ? -1
                                                         : 0;
    if (depth == 0)
      return at + 1;
  }
  return part.size();
}

/// Of the bracket there.
Range inside(Range part, std::size_t open) {
  const std::size_t end = behind(part, open);
  return part.subspan(open + 1, std::max(end, open + 2) - open - 2);
}

/// The bracket of a function's body, and not that of `n{4}`.
bool opens_body(Range part, std::size_t at) {
  if (part[at].text != "{" || at == 0)
    return false;
  const Token& before = part[at - 1];
  return before.kind != TokenKind::word || before.text == "const" || before.text == "noexcept";
}

/// Behind a member that begins there: a function's body has no semicolon.
std::size_t behind_member(Range body, std::size_t first) {
  bool function = false;
  for (std::size_t at = first; at < body.size();) {
    const std::string_view text = body[at].text;
    if (text == ";")
      return at + 1;
    function |= text == "(";
    const bool opens = text == "(" || text == "{" || text == "[";
    const bool ends = function && opens_body(body, at);
    at = opens ? behind(body, at) : at + 1;
    if (ends && (at >= body.size() || body[at].text != ";"))
      return at;
  }
  return body.size();
}

/// `int n = 4`, `n[2]`, `n{4}`
StructMember member_in(Range part) {
  StructMember member;
  std::size_t at = 0;
  for (; at < part.size() && part[at].text != "=" && part[at].text != "{" && part[at].text != "[";
       ++at)
    if (part[at].kind == TokenKind::word)
      member.name = part[at].text;
  if (at < part.size() && part[at].text == "=")
    member.begins_as = part.subspan(at + 1);
  else if (at < part.size() && part[at].text == "{")
    member.begins_as = inside(part, at);
  return member;
}

} // namespace

std::optional<StructBody> struct_body(const Tokens& tokens, std::string_view name) {
  std::optional<StructBody> found;
  for (const Declaration& one : declarations_of(tokens)) {
    const Range parts = Range(tokens).subspan(one.first, one.last - one.first);
    const auto open = std::find_if(parts.begin(), parts.end(),
                                   [](const Token& token) { return token.text == "{"; });
    if (one.kind != Declaration::Kind::other || open == parts.end() ||
        !(has_text({parts.begin(), open}, "struct") || has_text({parts.begin(), open}, "class")))
      continue;
    const auto first = static_cast<std::size_t>(open - parts.begin());
    const std::size_t end = behind_bracket(tokens, one.first + first, one.last) - one.first;
    StructBody body{parts.subspan(first + 1, end - first - 2), {}};
    bool named = first > 0 && parts[first - 1].text == name;
    for (std::size_t at = 0; at + 1 < first; ++at)
      if (parts[at].text == name && parts[at + 1].text == ":") {
        body.base = parts.subspan(at + 2, first - at - 2);
        named = true;
      }
    const bool defined =
        parts.front().text == "typedef" && end < parts.size() && parts[end].text == name;
    body.hidden = named && has_text({parts.begin(), open}, "class") && !body.body.empty() &&
                  body.body.front().text != "public";
    if ((named || defined) && (!found || !found->base.empty() || found->hidden))
      found = body;
  }
  return found;
}

std::vector<StructMember> members_of(Range body) {
  std::vector<StructMember> found;
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t end = behind_member(body, at);
    Range one = body.subspan(at, end - at);
    at = end;
    if (one.size() > 2 && one[1].text == ":") // `public:`
      one = one.subspan(2);
    const auto equals =
        std::find_if(one.begin(), one.end(), [](const Token& token) { return token.text == "="; });
    if (one.empty() || one.back().text != ";" || has_text({one.begin(), equals}, "(") ||
        one.front().text == "static" || one.front().text == "using")
      continue;
    for (const Range part : parts_of(one.first(one.size() - 1)))
      found.push_back(member_in(part));
  }
  return found;
}

std::vector<StructConstructor> constructors_of(Range body, std::string_view name) {
  std::vector<StructConstructor> found;
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t end = behind_member(body, at);
    const Range one = body.subspan(at, end - at);
    at = end;
    std::size_t word = 0;
    while (word + 1 < one.size() && !(one[word].text == name && one[word + 1].text == "("))
      ++word;
    if (word + 1 >= one.size() || one.back().text != "}" || (word > 0 && one[word - 1].text == "~"))
      continue;
    StructConstructor made;
    const std::size_t head = behind(one, word + 1);
    made.parameters = parts_of(inside(one, word + 1));
    std::size_t open = head;
    for (; open < one.size() && !opens_body(one, open); ++open)
      if (one[open].text == "(" || one[open].text == "{")
        open = behind(one, open) - 1;
    if (open >= one.size())
      continue;
    if (open > head)
      made.members = one.subspan(head + 1, open - head - 1);
    made.body = inside(one, open);
    found.push_back(std::move(made));
  }
  return found;
}

} // namespace gridsmith
