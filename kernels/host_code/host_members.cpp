// SPDX-License-Identifier: Apache-2.0
// Members of the host's structs: `p.n`, as the struct, its constructor and what follows give it.
#include "gridsmith/kernels/host_code/declared_types.hpp"
#include "gridsmith/kernels/host_code/host_value_reader.hpp"

#include <algorithm>

namespace gridsmith {
namespace {

using Range = std::span<const Token>;
using Found = std::optional<HostValue>;

bool has_word_of(Range part, std::string_view word) {
  return std::any_of(part.begin(), part.end(), [&](const Token& one) { return one.text == word; });
}

std::string_view text_at(const Tokens& tokens, std::size_t at) {
  return at < tokens.size() ? tokens[at].text : std::string_view();
}

/// In the brackets that open there.
std::vector<Range> parts_in(const Tokens& tokens, std::size_t open) {
  const std::size_t end = behind_bracket(tokens, open, tokens.size());
  return parts_of(Range(tokens).subspan(open + 1, std::max(end, open + 2) - open - 2));
}

/// Of a constructor's.
std::string_view parameter_name(Range parameter) {
  std::string_view name;
  for (const Token& token : parameter) {
    if (token.text == "=")
      break;
    if (token.kind == TokenKind::word)
      name = token.text;
  }
  return name;
}

} // namespace

/// What the run passes for the option whose `case 'n':` stands before the place, as getopt() has it.
std::optional<std::string> HostValues::Reader::option_at(std::size_t place) const {
  const Tokens& tokens = host_.tokens_;
  if (place >= tokens.size())
    return std::nullopt;
  while (place > 0 && tokens[place].text != "case" && tokens[place].text != "switch")
    --place;
  constexpr std::size_t letter_size = 3; // with its quotes
  if (tokens[place].text != "case" || place + 1 >= tokens.size() ||
      tokens[place + 1].text.size() != letter_size || tokens[place + 1].text[0] != '\'')
    return std::nullopt;
  const std::string option = std::string("-") + tokens[place + 1].text[1];
  std::optional<std::string> found;
  for (std::size_t i = 0; host_.run_ && i < host_.run_->size(); ++i) {
    const std::string& word = (*host_.run_)[i];
    if (word == option && i + 1 < host_.run_->size())
      found = (*host_.run_)[i + 1];
    else if (word.starts_with(option) && word.size() > option.size())
      found = word.substr(option.size());
  }
  return found;
}

/// Which letter is its, the file's own table says.
bool HostValues::Reader::is_long_option_given() const {
  return host_.run_ && std::any_of(host_.run_->begin(), host_.run_->end(),
                                   [](const std::string& one) { return one.starts_with("--"); });
}

Found HostValues::Reader::of_member(const std::string& object, const std::string& member,
                                    std::size_t place, int depth) {
  steps_ += host_.tokens_.size();
  if (steps_ > most_value_steps || depth > deepest_value)
    return std::nullopt;
  if (const auto parameter = host_.names_.parameter(object, place))
    return passed_member(*parameter, object, member, place, depth);
  const Tokens& tokens = host_.tokens_;
  const Declaration* function = host_.names_.function_of(place);
  const auto declared_in = [&](std::size_t first, std::size_t last) {
    for (std::size_t at = last; at-- > first;)
      if (tokens[at].text == object && declared_at(tokens, at))
        return at;
    return last;
  };
  const std::string whole = object + "." + member;
  const std::size_t first = function ? function->body : place;
  std::size_t at = declared_in(first, place);
  if (at < place)
    return is_out_of_sight(object, at + 1, place) ? std::nullopt
                                                  : member_from(at, object, member, place, depth);
  for (const Declaration& one : host_.names_.declarations())
    if (at = declared_in(one.first, one.last);
        one.kind == Declaration::Kind::other && at < one.last) {
      for (const Declaration& other : host_.names_.declarations())
        if (other.kind == Declaration::Kind::function && &other != function &&
            (is_out_of_sight(object, other.body, other.last) ||
             between(whole, other.body, other.last, depth + 1)))
          return std::nullopt;
      if (is_out_of_sight(object, first, place))
        return std::nullopt;
      const Found start = member_begins(at, member, depth + 1);
      return between(whole, first, place, depth + 1, start);
    }
  return std::nullopt;
}

/// As it begins, or as it is given afterwards.
/// @param object where its declaration has its name
Found HostValues::Reader::member_from(std::size_t at, const std::string& object,
                                      const std::string& member, std::size_t place, int depth) {
  const Found start = member_begins(at, member, depth + 1);
  const std::string_view behind = host_.tokens_[at + 1].text;
  if (!start && behind != ";" && behind != ",")
    return std::nullopt; // it begins as something that is not followed
  return between(object + "." + member, at, place, depth + 1, start);
}

/// By the calls of the function, where all pass the same.
Found HostValues::Reader::passed_member(const HostParameter& parameter, const std::string& object,
                                        const std::string& member, std::size_t place, int depth) {
  if (!has_word_of(parameter.written(), "const") &&
      is_out_of_sight(object, parameter.of->body, place))
    return std::nullopt;
  Found found;
  for (const HostCall& call : host_.names_.calls_of(*parameter.of)) {
    const bool known = parameter.i < call.arguments.size() &&
                       call.arguments[parameter.i].size() == 1 &&
                       call.arguments[parameter.i][0].kind == TokenKind::word;
    const Found value = known ? of_member(std::string(call.arguments[parameter.i][0].text), member,
                                          call.place, depth + 1)
                              : std::nullopt;
    if (!value || (found && found->number != value->number))
      return std::nullopt;
    found = found ? found : value;
  }
  return between(object + "." + member, parameter.of->body, place, depth + 1, found);
}

/// @param object where its declaration has its name
Found HostValues::Reader::member_begins(std::size_t object, const std::string& member, int depth) {
  const Tokens& tokens = host_.tokens_;
  const auto declared = declared_at(tokens, object);
  if (!declared || declared->stars + declared->arrays > 0 || declared->type.empty())
    return std::nullopt;
  const std::string name(declared->type.back().text);
  const auto type = struct_body(tokens, name);
  if (!type || !type->base.empty())
    return std::nullopt;
  std::size_t open = object + 1;
  open += text_at(tokens, open) == "=" ? 1 : 0;
  open += text_at(tokens, open) == name ? 1 : 0;
  const auto constructors = constructors_of(type->body, name);
  if (!constructors.empty())
    return of_constructor(*type, name, open, member, depth);
  const auto members = members_of(type->body);
  const auto one = std::find_if(members.begin(), members.end(),
                                [&](const StructMember& each) { return each.name == member; });
  if (one == members.end())
    return std::nullopt;
  const Range otherwise = one->begins_as;
  const std::string_view behind = text_at(tokens, open);
  if (behind != "{")
    return behind == ";" || behind == "," ? whole_of(otherwise, object, depth) : std::nullopt;
  const auto given = parts_in(tokens, open);
  const auto i = static_cast<std::size_t>(one - members.begin());
  const bool by_name = !given.empty() && !given[0].empty() && given[0][0].text == ".";
  for (const Range part : given)
    if (by_name && part.size() > 3 && part[1].text == member)
      return whole_of(part.subspan(3), object, depth);
  if (!by_name && i < given.size())
    return whole_of(given[i], object, depth);
  return otherwise.empty() ? of_number(0, true) : whole_of(otherwise, object, depth);
}

/// Where that uses no parameters but those of main().
/// @param arguments where these stand, in brackets
Found HostValues::Reader::of_constructor(const StructBody& type, const std::string& name,
                                         std::size_t arguments, const std::string& member,
                                         int depth) {
  const Tokens& tokens = host_.tokens_;
  const std::string_view opens = text_at(tokens, arguments);
  const std::size_t given = opens == "(" || opens == "{" ? parts_in(tokens, arguments).size() : 0;
  auto fitting = constructors_of(type.body, name);
  std::erase_if(fitting,
                [&](const StructConstructor& one) { return one.parameters.size() != given; });
  if (fitting.size() != 1)
    return std::nullopt;
  const StructConstructor& one = fitting.front();
  for (const Range parameter : one.parameters)
    if (const auto word = parameter_name(parameter);
        word != "argc" && word != "argv" &&
        (has_word_of(one.members, word) || has_word_of(one.body, word)))
      return std::nullopt;
  Found found;
  const auto place_of = [&](Range part) {
    return static_cast<std::size_t>(part.data() - tokens.data());
  };
  for (const StructMember& each : members_of(type.body))
    if (each.name == member && !each.begins_as.empty())
      found = whole_of(each.begins_as, place_of(each.begins_as), depth);
  for (const Range part : parts_of(one.members))
    if (part.size() > 3 && part[0].text == member)
      found = whole_of(part.subspan(2, part.size() - 3), place_of(part), depth);
  return one.body.empty() ? found
                          : between(member, place_of(one.body),
                                    place_of(one.body) + one.body.size(), depth, found);
}

/// Something may change it that is not followed: its address is passed, or a reference to it, or it has functions that
/// are called.
bool HostValues::Reader::is_out_of_sight(const std::string& object, std::size_t first,
                                         std::size_t last) const {
  const Tokens& tokens = host_.tokens_;
  if (const auto declared = first > 0 ? declared_at(tokens, first - 1) : std::nullopt;
      declared && tokens[first - 1].text == object && has_word_of(declared->type, "const"))
    return false;
  for (std::size_t at = std::max<std::size_t>(first, 1); at + 1 < last; ++at) {
    if (tokens[at].text != object || tokens[at].kind != TokenKind::word)
      continue;
    const std::string_view before = tokens[at - 1].text, behind = tokens[at + 1].text;
    if (before == "." || before == "->" || before == "::")
      continue;
    const bool called = behind == "." && at + 3 < tokens.size() && tokens[at + 3].text == "(";
    if (behind == "=" || called)
      return true;
    if (before == "&" && behind != "." && is_passed(at))
      return true;
    const bool passed = (before == "(" || before == ",") && (behind == ")" || behind == ",");
    const auto parameter = passed ? host_.names_.argument_at(at) : std::nullopt;
    if (parameter && has_word_of(parameter->written(), "&") &&
        !has_word_of(parameter->written(), "const"))
      return true;
  }
  return false;
}

} // namespace gridsmith
