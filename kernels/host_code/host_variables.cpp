// SPDX-License-Identifier: Apache-2.0
// The values of variables of host code: what they begin as and are given, and what callers pass.
#include "gridsmith/kernels/host_code/host_arithmetic.hpp"
#include "gridsmith/kernels/host_code/host_value_reader.hpp"
#include "gridsmith/kernels/syntax/constants.hpp"

#include <algorithm>
#include <set>

namespace gridsmith {
namespace {

using Range = std::span<const Token>;
using Found = std::optional<HostValue>;

} // namespace

/// What it is given before the place, where that is one value.
Found HostValues::Reader::of_variable(const std::string& name, std::size_t place, int depth) {
  steps_ += host_.tokens_.size();
  const Declaration* function = host_.names_.function_of(place);
  if (!function)
    return between(name, 0, place, depth);
  if (const auto parameter = host_.names_.parameter(name, place))
    return passed(*parameter, depth);
  if (mentioned(name, function->body, place))
    return between(name, function->body, place, depth);
  for (const Declaration& one : host_.names_.declarations())
    if (one.kind == Declaration::Kind::other)
      if (auto found = between(name, one.first, one.last, depth))
        return assigned_in_functions(name) || is_member(name, one) ? std::nullopt : found;
  return std::nullopt;
}

/// `class A { int n = 4; };`: an object has its own, unless it is a constant.
bool HostValues::Reader::is_member(const std::string& name, const Declaration& one) const {
  const Tokens& tokens = host_.tokens_;
  static const std::set<std::string_view> types{"struct", "class", "union"};
  std::size_t body = one.first;
  bool type = false;
  for (; body < one.last && tokens[body].text != "{"; ++body)
    type = type || types.contains(tokens[body].text);
  for (std::size_t at = body; type && at < one.last; ++at)
    if (tokens[at].text == name) {
      std::size_t word = at;
      while (word > body && tokens[word - 1].kind == TokenKind::word &&
             !tokens[word - 1].text.starts_with("const"))
        --word;
      return word == body || !tokens[word - 1].text.starts_with("const");
    }
  return false;
}

bool HostValues::Reader::assigned_in_functions(const std::string& name) const {
  const Tokens& tokens = host_.tokens_;
  for (const Declaration& one : host_.names_.declarations())
    for (std::size_t at = one.first + 1;
         one.kind == Declaration::Kind::function && at + 1 < one.last; ++at)
      if (tokens[at].text == name &&
          (tokens[at + 1].text == "=" || changes(tokens[at - 1].text, tokens[at + 1].text, at)))
        return true;
  return false;
}

bool HostValues::Reader::mentioned(const std::string& name, std::size_t first,
                                   std::size_t last) const {
  const Tokens& tokens = host_.tokens_;
  for (std::size_t at = std::max<std::size_t>(first, 1); at + 1 < last; ++at)
    if (tokens[at].text == name &&
        (tokens[at + 1].text == "=" || ends_declaration(at) || is_type_word(tokens[at - 1].text)))
      return true;
  return false;
}

/// `real n;`, `real* n;`, `real m, n;`, and not `i < n;`.
bool HostValues::Reader::ends_declaration(std::size_t at) const {
  const Tokens& tokens = host_.tokens_;
  if (tokens[at + 1].text != ";")
    return false;
  std::size_t type = at - 1;
  while (type > 0 && (tokens[type].text == "*" || tokens[type].text == "&"))
    --type;
  const std::string_view before = type > 0 ? tokens[type - 1].text : "";
  const bool begins = before == ";" || before == "{" || before == "}" || before == "const";
  return tokens[type].text == "," || (tokens[type].kind == TokenKind::word &&
                                      tokens[type].text != "return" && (type + 1 == at || begins));
}

/// `atoi(argv[3])` where two arguments are given.
bool HostValues::Reader::is_beyond_run(Range part) const {
  for (std::size_t at = 0; at + 3 < part.size(); ++at)
    if (part[at].text == "argv" && part[at + 1].text == "[" && part[at + 3].text == "]")
      if (const auto index = whole_number(part[at + 2].text))
        return *index > static_cast<std::int64_t>(host_.run_->size());
  return false;
}

/// By the calls of the function, where all pass the same.
Found HostValues::Reader::passed(const HostParameter& parameter, int depth) {
  steps_ += host_.tokens_.size();
  Found found;
  if (steps_ > most_value_steps || depth > deepest_value)
    return std::nullopt;
  for (const HostCall& call : host_.names_.calls_of(*parameter.of)) {
    const Found value = parameter.i < call.arguments.size()
                            ? whole_of(call.arguments[parameter.i], call.place, depth + 1)
                            : whole_of(default_of(parameter.written()), 0, depth + 1);
    if (!value || (found && found->number != value->number))
      return std::nullopt;
    found = found ? found : value;
  }
  return found;
}

Found HostValues::Reader::between(const std::string& name, std::size_t first, std::size_t last,
                                  int depth) {
  const Tokens& tokens = host_.tokens_;
  Found found;
  for (std::size_t at = std::max<std::size_t>(first, 1); at + 1 < last; ++at) {
    if (++steps_ > most_value_steps || depth > deepest_value)
      return std::nullopt;
    const std::string_view before = tokens[at - 1].text, behind = tokens[at + 1].text;
    if (tokens[at].text != name || tokens[at].kind != TokenKind::word || before == "." ||
        before == "->" || before == "::")
      continue;
    if (changes(before, behind, at))
      return std::nullopt;
    const bool declared = is_type_word(before);
    const bool opens = declared && (behind == "(" || behind == "{");
    if (behind != "=" && !opens)
      continue;
    std::size_t end = at + 2;
    if (opens)
      end = behind_bracket(tokens, at + 1, last) - 1;
    else
      while (end < last && tokens[end].text != ";" && tokens[end].text != "," &&
             tokens[end].text != "}") // of an enumeration
        end = tokens[end].text == "(" ? behind_bracket(tokens, end, last) : end + 1;
    const Range right = Range(tokens).subspan(at + 2, std::max(end, at + 2) - at - 2);
    const bool by_user = !without_user(right, at, depth) && asks_user(right);
    if (by_user && !host_.run_)
      continue;
    const Found value = whole_of(right, at, depth + 1);
    if (by_user && !value && found && is_beyond_run(right))
      continue; // not given: what stands before it holds
    if (!value || (found && !by_user && found->number != value->number))
      return std::nullopt;
    if (!found || by_user)
      found = declared ? cast(value, std::span(&tokens[at - 1], 1)) : value;
  }
  return found;
}

/// In a way that is not followed, such as `++n`, `n *= 2`, `scanf("%d", &n)`.
bool HostValues::Reader::changes(std::string_view before, std::string_view behind,
                                 std::size_t at) const {
  static const std::set<std::string_view> signs{
      "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "|=", "&=", "++", "--"};
  const std::string_view earlier = at > 1 ? host_.tokens_[at - 2].text : "";
  return signs.contains(behind) || before == "++" || before == "--" ||
         (before == "&" && (earlier == "(" || earlier == ",") && is_passed(at)) ||
         (before == ">" && earlier == ">"); // a stream
}

/// To a function; `void* arguments[] = {&a, &n}` changes nothing.
bool HostValues::Reader::is_passed(std::size_t at) const {
  int depth = 0;
  while (at-- > 0) {
    const std::string_view text = host_.tokens_[at].text;
    depth += text == ")" || text == "}" ? 1 : text == "(" || text == "{" ? -1 : 0;
    if (depth < 0)
      return text == "(";
    if (text == ";")
      return true;
  }
  return true;
}

} // namespace gridsmith
