// SPDX-License-Identifier: Apache-2.0
// The values of variables of host code: what they begin as and are given, and what callers pass.
#include "gridsmith/kernels/host_code/host_arithmetic.hpp"
#include "gridsmith/kernels/host_code/host_value_reader.hpp"
#include "gridsmith/kernels/syntax/constants.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace gridsmith {
namespace {

using Range = std::span<const Token>;
using Found = std::optional<HostValue>;

} // namespace

/// What it is given before the place, where that is one value.
Found HostValues::Reader::of_variable(const std::string& name, std::size_t place, int depth) {
  steps_ += host_.tokens_.size();
  const Declaration* function = host_.names_.function_of(place);
  for (const Declaration& one : host_.names_.declarations())
    if (!function && one.first < place && place < one.last && mentioned(name, one.first, place))
      return between(name, one.first, place, depth); // of a constructor
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

/// `atoi(argv[3])` where two arguments are given, `atoi(optarg)` of an option that is not.
bool HostValues::Reader::is_beyond_run(Range part, std::size_t place) const {
  if (std::any_of(part.begin(), part.end(), [](const Token& one) { return one.text == "optarg"; }))
    return !is_long_option_given() && !option_at(place);
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

/// Of a variable, or of a member, "p.n".
/// @param found what it begins as, where that is known before
Found HostValues::Reader::between(const std::string& name, std::size_t first, std::size_t last,
                                  int depth, Found found) {
  const Tokens& tokens = host_.tokens_;
  const std::size_t dot = name.find('.');
  const bool member = dot != name.npos;
  bool at_start = found.has_value();
  const std::string_view word = std::string_view(name).substr(member ? dot + 1 : 0);
  for (std::size_t at = std::max<std::size_t>(first, 1); at + 1 < last; ++at) {
    if (++steps_ > most_value_steps || depth > deepest_value)
      return std::nullopt;
    if (tokens[at].text != word || tokens[at].kind != TokenKind::word)
      continue;
    const bool of_object = member && at >= first + 2 && tokens[at - 1].text == "." &&
                           tokens[at - 2].text == std::string_view(name).substr(0, dot);
    const bool of_this =
        !member && at >= first + 2 && tokens[at - 1].text == "->" && tokens[at - 2].text == "this";
    const std::size_t begin = of_object || of_this ? at - 2 : at;
    const std::string_view before = tokens[begin - 1].text, behind = tokens[at + 1].text;
    if (member != of_object || before == "." || before == "->" || before == "::")
      continue;
    if (changes(before, behind, begin))
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
    Range right = Range(tokens).subspan(at + 2, std::max(end, at + 2) - at - 2);
    while (right.size() > 2 && right[0].kind == TokenKind::word && right[1].text == "=")
      right = right.subspan(2); // `a = b = 4`
    const Taken is_done = happens(begin, first, last, depth);
    if (is_done == Taken::no)
      continue;
    const bool by_user = !without_user(right, at, depth) && asks_user(right);
    if (by_user && !host_.run_)
      continue;
    const Found value = whole_of(right, at, depth + 1);
    if (by_user && !value && found && is_beyond_run(right, at))
      continue; // not given: what stands before it holds
    const bool counts = by_user || is_done == Taken::yes || // the last of such
                        (std::exchange(at_start, false) && is_done == Taken::no_condition);
    if (!value || (found && !counts && found->number != value->number))
      return std::nullopt;
    if (!found || counts)
      found = declared ? cast(value, std::span(&tokens[at - 1], 1)) : value;
  }
  return found;
}

/// By a statement's conditions, as far as they are not around the end too.
HostValues::Reader::Taken HostValues::Reader::happens(std::size_t at, std::size_t first,
                                                      std::size_t last, int depth) {
  const Tokens& tokens = host_.tokens_;
  steps_ += (at - first) / 4; // of which little is asked
  Taken all = at > first ? taken(at - 1, first, depth) : Taken::no_condition;
  int closed = 0;
  for (std::size_t open = at; open-- > first && all != Taken::no;) {
    const std::string_view text = tokens[open].text;
    closed += text == "}" ? 1 : 0;
    if (text != "{" || closed-- > 0)
      continue;
    closed = 0;
    if (open <= first || behind_bracket(tokens, open, tokens.size()) > last)
      continue;
    const Taken one = taken(open - 1, first, depth);
    if (one == Taken::no || all == Taken::no_condition || one == Taken::unknown)
      all = one;
  }
  return all;
}

/// Whether what stands behind `if (…)` or `else` is.
HostValues::Reader::Taken HostValues::Reader::taken(std::size_t head, std::size_t first,
                                                    int depth) {
  const Tokens& tokens = host_.tokens_;
  const auto opening = [&](std::size_t close) {
    int open = 0;
    for (std::size_t at = close + 1; at-- > first;) {
      open += tokens[at].text == tokens[close].text ? 1 : 0;
      open -= tokens[at].text == (tokens[close].text == ")" ? "(" : "{") ? 1 : 0;
      if (open == 0)
        return at;
    }
    return first;
  };
  const bool otherwise = tokens[head].text == "else";
  if (otherwise && (head <= first || tokens[head - 1].text != "}"))
    return Taken::unknown;
  if (otherwise) {
    const std::size_t block = opening(head - 1);
    if (block <= first)
      return Taken::unknown;
    head = block - 1;
  }
  const std::size_t open = tokens[head].text == ")" ? opening(head) : first;
  if (open <= first || tokens[open - 1].text != "if")
    return otherwise ? Taken::unknown : Taken::no_condition;
  if (open > 1 && tokens[open - 2].text == "else")
    return Taken::unknown;
  const auto holds = condition(Range(tokens).subspan(open + 1, head - open - 1), open, depth + 1);
  return !holds ? Taken::unknown : *holds != otherwise ? Taken::yes : Taken::no;
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
