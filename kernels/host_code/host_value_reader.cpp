// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/host_code/host_value_reader.hpp"

#include "gridsmith/kernels/host_code/host_arithmetic.hpp"
#include "gridsmith/kernels/host_code/launch_in_file.hpp"
#include "gridsmith/kernels/syntax/constants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <set>

namespace gridsmith {
namespace {

using Range = std::span<const Token>;
using Found = std::optional<HostValue>;

constexpr std::size_t longest_body = 2000; // tokens of a function that is one expression

/// As `function` reads it; nothing where more than a number stands there.
Found number_in(const std::string& text, std::string_view function) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool real = function.ends_with('f') || function.ends_with('d') ||
                    function.ends_with("ld"); // atof, strtod, stof, stold
  return error == std::errc() && end == text.data() + text.size()
             ? of_number(real ? number : std::trunc(number), !real)
             : std::nullopt;
}

} // namespace

bool reads_text(std::string_view function) {
  return function.starts_with("ato") || function.starts_with("sto") ||
         function.starts_with("strto");
}

bool asks_user(Range part) {
  return std::any_of(part.begin(), part.end(), [](const Token& one) {
    return one.text == "argv" || one.text == "argc" || reads_text(one.text) || one.text == "getenv";
  });
}

Found HostValues::Reader::whole_of(Range part, std::size_t place, int depth) {
  if (depth > deepest_value)
    return std::nullopt;
  if (const auto chosen = without_user(part, place, depth))
    return whole_of(*chosen, place, depth + 1);
  Cursor cursor{part, 0, place, depth};
  Found found = chosen(cursor);
  return cursor.at == part.size() ? found : std::nullopt;
}

/// `argc > 1 ? atoi(argv[1]) : 1024` is 1024, or what the program is run with.
std::optional<Range> HostValues::Reader::without_user(Range part, std::size_t place, int depth) {
  const auto find = [&](std::string_view sign, std::size_t from) {
    int open = 0;
    for (std::size_t at = from; at < part.size(); ++at) {
      open += part[at].text == "(" ? 1 : part[at].text == ")" ? -1 : 0;
      if (open == 0 && part[at].text == sign)
        return at;
    }
    return part.size();
  };
  if (part.size() > 2 && part.front().text == "(" && part.back().text == ")" &&
      find("?", 0) == part.size() && asks_user(part))
    return part.subspan(1, part.size() - 2);
  const std::size_t question = find("?", 0);
  const std::size_t colon = question < part.size() ? find(":", question) : part.size();
  if (colon >= part.size() || !asks_user(part.first(question)))
    return std::nullopt;
  const Range yes = part.subspan(question + 1, colon - question - 1);
  const Range no = part.subspan(colon + 1);
  if (host_.run_)
    if (const auto holds = condition(part.first(question), place, depth + 1))
      return *holds ? yes : no;
  if (host_.run_ || asks_user(yes) == asks_user(no))
    return std::nullopt;
  return asks_user(yes) ? no : yes;
}

/// `argc > 1`
std::optional<bool> HostValues::Reader::condition(Range part, std::size_t place, int depth) {
  while (part.size() > 2 && part.front().text == "(" && part.back().text == ")")
    part = part.subspan(1, part.size() - 2);
  for (std::size_t at = 1; at + 1 < part.size(); ++at) {
    const std::string_view sign = part[at].text;
    if (!is_comparison(sign))
      continue;
    const Found left = whole_of(part.first(at), place, depth),
                right = whole_of(part.subspan(at + 1), place, depth);
    if (!left || !right)
      return std::nullopt;
    return holds(left->number, sign, right->number);
  }
  const Found alone = whole_of(part, place, depth);
  return alone && !alone->named ? std::optional(alone->number != 0) : std::nullopt;
}

/// `a % b != 0 ? 1 : 0`, of numbers alone.
Found HostValues::Reader::chosen(Cursor& cursor) {
  Found condition = compared(cursor);
  if (!condition || !cursor.take("?"))
    return condition;
  const Found yes = chosen(cursor);
  const Found no = cursor.take(":") ? chosen(cursor) : std::nullopt;
  return yes && no && !condition->named ? (condition->number != 0 ? yes : no) : std::nullopt;
}

Found HostValues::Reader::compared(Cursor& cursor) {
  Found left = shifted(cursor);
  const std::string_view sign = cursor.text();
  if (!left || !is_comparison(sign))
    return left;
  ++cursor.at;
  const Found right = shifted(cursor);
  return right && !left->named && !right->named
             ? of_number(holds(left->number, sign, right->number) ? 1 : 0, true)
             : std::nullopt;
}

Found HostValues::Reader::shifted(Cursor& cursor) {
  Found left = sum(cursor);
  while (left && cursor.take("<<")) {
    const Found right = sum(cursor);
    if (!right || right->named || !left->whole || !right->whole || right->number < 0 ||
        right->number > 50)
      return std::nullopt;
    const Found factor = of_number(std::exp2(right->number), true);
    left = combined(*left, "*", *factor);
  }
  return left;
}

Found HostValues::Reader::sum(Cursor& cursor) {
  Found left = product(cursor);
  while (left && (cursor.text() == "+" || cursor.text() == "-")) {
    const bool plus = cursor.take("+");
    cursor.at += plus ? 0 : 1;
    const Found right = product(cursor);
    if (!right)
      return std::nullopt;
    const double added = plus ? right->number : -right->number;
    const double so_far = left->added;
    const bool first_is_number = !left->named && right->named && plus;
    const double first = left->number;
    left = combined(*left, plus ? "+" : "-", *right);
    if (left)
      left->added = first_is_number ? first : so_far + (right->named ? 0 : added);
  }
  return left;
}

Found HostValues::Reader::product(Cursor& cursor) {
  Found left = factor(cursor);
  while (left && (cursor.text() == "*" || cursor.text() == "/" || cursor.text() == "%")) {
    const char sign = cursor.text()[0];
    ++cursor.at;
    const Found right = factor(cursor);
    if (!right)
      return std::nullopt;
    left = sign == '*' ? combined(*left, "*", *right) : divided(*left, sign, *right, block_);
  }
  return left;
}

Found HostValues::Reader::factor(Cursor& cursor) {
  if (cursor.at >= cursor.part.size() || ++steps_ > most_value_steps ||
      cursor.depth > deepest_value)
    return std::nullopt;
  if (cursor.take("-")) {
    ++cursor.depth;
    const Found of = factor(cursor);
    --cursor.depth;
    return of ? combined(*of_number(0, true), "-", *of) : std::nullopt;
  }
  if (cursor.take("!")) {
    ++cursor.depth;
    const Found of = factor(cursor);
    --cursor.depth;
    return of && !of->named ? of_number(of->number == 0 ? 1 : 0, true) : std::nullopt;
  }
  const Token& token = cursor.part[cursor.at];
  if (token.kind == TokenKind::number)
    return number(cursor);
  if (token.text == "(")
    return bracket(cursor);
  return token.kind == TokenKind::word ? named(cursor) : std::nullopt;
}

Found HostValues::Reader::number(Cursor& cursor) {
  std::string text(cursor.text());
  ++cursor.at;
  if (const auto whole = whole_number(text))
    return of_number(static_cast<double>(*whole), true);
  const bool single = text.ends_with('f') || text.ends_with('F');
  text.erase(text.find_last_not_of("fFlL") + 1);
  double real = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), real);
  return error == std::errc() && end == text.data() + text.size() ? of_number(real, false, single)
                                                                  : std::nullopt;
}

/// `(n + 1)`, or what stands behind a cast.
Found HostValues::Reader::bracket(Cursor& cursor) {
  const std::size_t open = cursor.at;
  std::size_t close = open + 1;
  for (int depth = 1; close < cursor.part.size(); ++close) {
    depth += cursor.part[close].text == "(" ? 1 : cursor.part[close].text == ")" ? -1 : 0;
    if (depth == 0)
      break;
  }
  if (close >= cursor.part.size())
    return std::nullopt;
  const Range inner = cursor.part.subspan(open + 1, close - open - 1);
  cursor.at = close + 1;
  if (!inner.empty() && std::all_of(inner.begin(), inner.end(),
                                    [](const Token& one) { return is_type_word(one.text); })) {
    ++cursor.depth;
    Found of = factor(cursor);
    --cursor.depth;
    return cast(of, inner);
  }
  return whole_of(inner, cursor.place, cursor.depth + 1);
}

Found HostValues::Reader::named(Cursor& cursor) {
  while (cursor.text() == "std" && cursor.at + 1 < cursor.part.size() &&
         cursor.part[cursor.at + 1].text == "::")
    cursor.at += 2;
  while (cursor.at + 2 < cursor.part.size() && cursor.part[cursor.at + 1].text == "::" &&
         is_called(cursor)) // `cuda_tools::divUp(n, 256)`
    cursor.at += 2;
  const Range type = cursor.part.subspan(cursor.at, 1);
  const std::string name(cursor.text());
  ++cursor.at;
  if (name == "sizeof")
    return size_of(cursor);
  if (is_type_word(name) && cursor.text() == "(")
    return cast(bracket(cursor), type); // `float(n)`
  if (name == "static_cast" && cursor.take("<")) {
    const std::size_t first = cursor.at;
    while (cursor.at < cursor.part.size() && is_type_word(cursor.text()))
      ++cursor.at;
    const Range to = cursor.part.subspan(first, cursor.at - first);
    return cursor.take(">") && cursor.text() == "(" ? cast(bracket(cursor), to) : std::nullopt;
  }
  if (cursor.text() == "(")
    return call(name, cursor);
  if (cursor.text() == ".")
    return member(name, cursor);
  if (cursor.text() == "->" || cursor.text() == "[" || cursor.text() == "::")
    return std::nullopt;
  return of_name(name, cursor.place, cursor.depth);
}

/// Words with `::` between them, and a bracket behind.
bool HostValues::Reader::is_called(const Cursor& cursor) {
  std::size_t at = cursor.at;
  while (at + 2 < cursor.part.size() && cursor.part[at + 1].text == "::")
    at += 2;
  return at + 1 < cursor.part.size() && cursor.part[at + 1].text == "(";
}

/// `block.x` of a dim3, `p.n` of a struct.
Found HostValues::Reader::member(const std::string& name, Cursor& cursor) {
  const std::string_view axes = "xyz";
  ++cursor.at;
  const std::string member(cursor.text());
  const std::size_t axis = member.size() == 1 ? axes.find(member) : std::string_view::npos;
  const std::string whole = name + "." + member;
  ++cursor.at;
  if (host_.said(whole, cursor.place))
    return of_name(whole, cursor.place, cursor.depth);
  steps_ += host_.tokens_.size();
  const Declaration* function = host_.names_.function_of(cursor.place);
  const auto extents =
      axis == axes.npos
          ? std::vector<Range>()
          : dim3_extents(host_.tokens_, name, function ? function->first : 0, cursor.place);
  if (extents.empty())
    return of_member(name, member, cursor.place, cursor.depth + 1);
  return axis < extents.size() ? whole_of(extents[axis], cursor.place, cursor.depth + 1)
                               : of_number(1, true);
}

/// `atoi(argv[2])`, `strtol(argv[2], nullptr, 10)`
Found HostValues::Reader::from_user(std::string_view function, Cursor& cursor) {
  const std::size_t open = cursor.at;
  const Tokens inside(cursor.part.begin(), cursor.part.end());
  cursor.at = behind_bracket(inside, open, inside.size());
  const Range given = cursor.part.subspan(open + 1, cursor.at - open - 2);
  const bool option = !given.empty() && given[0].text == "optarg";
  if (option && host_.run_ && !is_long_option_given())
    if (const auto text = option_at(cursor.place))
      return number_in(*text, function);
  if (!host_.run_ || given.size() < 4 || given[0].text != "argv" || given[1].text != "[")
    return std::nullopt;
  std::size_t close = 2;
  while (close < given.size() && given[close].text != "]")
    ++close;
  const Found index = whole_of(given.subspan(2, close - 2), cursor.place, cursor.depth + 1);
  if (!index || !index->whole || index->number < 1 ||
      index->number > static_cast<double>(host_.run_->size()))
    return std::nullopt;
  return number_in((*host_.run_)[static_cast<std::size_t>(index->number) - 1], function);
}

/// Of the file, where it is one expression.
Found HostValues::Reader::call_of_file(const std::string& name, Cursor& cursor) {
  steps_ += host_.tokens_.size();
  const std::size_t open = cursor.at;
  const Tokens inside(cursor.part.begin(), cursor.part.end());
  cursor.at = behind_bracket(inside, open, inside.size());
  const auto given = parts_of(cursor.part.subspan(open + 1, cursor.at - open - 2));
  auto functions = short_functions(host_.tokens_, name);
  std::erase_if(functions,
                [&](const ShortFunction& one) { return one.parameters.size() != given.size(); });
  if (functions.empty() || cursor.depth > deepest_value || steps_ > most_value_steps)
    return std::nullopt;
  for (const bool turned : {false, true})
    if (given.size() == 2 && !samples_ &&
        std::all_of(functions.begin(), functions.end(), [&](const ShortFunction& one) {
          return rounds_up(one, turned, cursor.depth + 1);
        })) {
      const Found a = whole_of(given[turned ? 1 : 0], cursor.place, cursor.depth + 1),
                  b = whole_of(given[turned ? 0 : 1], cursor.place, cursor.depth + 1);
      return a && b ? rounded_up(*a, *b, block_) : std::nullopt;
    }
  if (functions.size() != 1)
    return std::nullopt;
  const Tokens body = body_with(functions[0], given);
  steps_ += body.size();
  return body.size() <= longest_body ? whole_of(body, cursor.place, cursor.depth + 1)
                                     : std::nullopt;
}

/// Whatever it is called and however it is written: by what it gives for some numbers.
bool HostValues::Reader::rounds_up(const ShortFunction& function, bool turned, int depth) {
  constexpr std::pair<int, int> samples[] = {{1, 1},     {7, 2},     {8, 2},    {9, 2},   {1, 256},
                                             {256, 256}, {257, 256}, {1000, 7}, {1001, 7}};
  Reader reader(host_, no_block_);
  reader.samples_ = true;
  reader.steps_ = steps_;
  const bool all = std::all_of(std::begin(samples), std::end(samples), [&](const auto& sample) {
    const auto [a, b] = sample;
    const std::array<std::string, 2> texts{
        fmt::format("{}{}", turned ? b : a, function.parameters[0].real ? ".0" : ""),
        fmt::format("{}{}", turned ? a : b, function.parameters[1].real ? ".0" : "")};
    const std::array<Tokens, 2> tokens{tokens_of(texts[0]), tokens_of(texts[1])};
    const std::array<Range, 2> given{Range(tokens[0]), Range(tokens[1])};
    const Found made = reader.whole_of(body_with(function, given), 0, depth);
    const int wanted = (a + b - 1) / b;
    return made && !made->named && made->number == wanted;
  });
  steps_ = reader.steps_;
  return all;
}

Found HostValues::Reader::call(const std::string& name, Cursor& cursor) {
  if (reads_text(name))
    return from_user(name, cursor);
  static const std::set<std::string_view> up{"ceil", "ceilf"}, down{"floor", "floorf"};
  if (up.contains(name) || down.contains(name)) {
    Found of = bracket(cursor);
    if (!of || of->whole)
      return of;
    return up.contains(name) ? called("ceil", *of, std::ceil(of->number))
                             : called("floor", *of, std::floor(of->number));
  }
  const std::size_t open = cursor.at;
  auto of_file = call_of_file(name, cursor);
  if (of_file || !short_functions(host_.tokens_, name).empty())
    return of_file;
  std::vector<HostValue> values;
  for (const Range one : parts_of(cursor.part.subspan(open + 1, cursor.at - open - 2)))
    if (auto value = whole_of(one, cursor.place, cursor.depth + 1))
      values.push_back(std::move(*value));
    else
      return std::nullopt;
  return called(name, values);
}

/// `sizeof(float)`, `sizeof(*x)`, `sizeof *x`, `sizeof x[0]`
Found HostValues::Reader::size_of(Cursor& cursor) {
  const std::size_t open = cursor.at;
  const bool bracketed = cursor.take("(");
  const auto ends = [&] {
    if (bracketed)
      return cursor.text() == ")";
    return cursor.at > open && cursor.text() != "[" && cursor.text() != "]" &&
           cursor.part[cursor.at - 1].text != "*" && cursor.part[cursor.at - 1].text != "[";
  };
  while (cursor.at < cursor.part.size() && !ends())
    ++cursor.at;
  const std::size_t first = open + (bracketed ? 1 : 0);
  const Range operand = cursor.part.subspan(first, cursor.at - first);
  const auto bytes = host_.bytes_of_type(operand);
  return (!bracketed || cursor.take(")")) && bytes ? of_number(static_cast<double>(*bytes), true)
                                                   : std::nullopt;
}

Found HostValues::Reader::of_name(const std::string& name, std::size_t place, int depth) {
  if (name == "argc" && host_.run_)
    return of_number(1 + static_cast<double>(host_.run_->size()), true);
  if (name == "true" || name == "false")
    return of_number(name == "true" ? 1 : 0, true);
  if (name == "M_PI")
    return of_number(std::numbers::pi, false);
  if (const auto* said = host_.said(name, place))
    return HostValue{.number = said->second,
                     .whole = true,
                     .sum = Polynomial::of_name(said->first),
                     .written = ""};
  const bool passed = host_.names_.parameter(name, place).has_value();
  if (const auto constant = host_.constants_.find(name);
      constant != host_.constants_.end() && !passed)
    return of_number(static_cast<double>(constant->second), true);
  if (auto real = of_macro(name))
    return real;
  return of_variable(name, place, depth + 1);
}

/// `#define STEP 0.5f`, `#define LEAST (-1e-5)`
Found HostValues::Reader::of_macro(const std::string& name) {
  steps_ += host_.tokens_.size();
  std::string text;
  for (const Token& token : host_.tokens_)
    if (const auto constant =
            token.kind == TokenKind::directive ? constant_of_directive(token.text) : std::nullopt;
        constant && constant->name == name)
      text = constant->text;
  if (text.empty())
    return std::nullopt;
  const Tokens tokens = tokens_of(text);
  return std::none_of(tokens.begin(), tokens.end(),
                      [](const Token& one) { return one.kind == TokenKind::word; })
             ? whole_of(tokens, 0, deepest_value - 8)
             : std::nullopt;
}

} // namespace gridsmith
