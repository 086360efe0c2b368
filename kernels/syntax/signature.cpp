// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/syntax/signature.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace gridsmith {
namespace {

bool is(const Token& token, std::string_view text) {
  return token.text == text && token.kind != TokenKind::text;
}

bool opens(const Token& token) {
  return token.kind == TokenKind::sign &&
         (token.text == "(" || token.text == "[" || token.text == "{");
}

class Declarations {
public:
  explicit Declarations(const Tokens& tokens) : tokens_(tokens) {}

  std::vector<Declaration> take() {
    while (at_ < tokens_.size())
      step();
    return std::move(found_);
  }

private:
  void step() {
    if (tokens_[at_].kind == TokenKind::directive)
      return add(Declaration::Kind::directive, at_ + 1, 0);
    if (is(tokens_[at_], "}")) { // of a namespace
      if (!scopes_.empty())
        scopes_.pop_back();
      ++at_;
    } else if (!enter()) {
      take_one();
    }
  }

  /// `namespace a::b {`, `extern "C" {`
  bool enter() {
    std::size_t open = at_ + (is(tokens_[at_], "inline") ? 1 : 0);
    const auto at = [&](std::size_t place) {
      return place < tokens_.size() ? tokens_[place] : Token{};
    };
    std::string scope;
    if (is(at(open), "namespace")) {
      for (++open; at(open).kind == TokenKind::word || is(at(open), "::"); ++open)
        scope += at(open).text;
      scope += scope.empty() ? "" : "::";
    } else if (is(at(open), "extern") && at(open + 1).kind == TokenKind::text) {
      open += 2;
    }
    if (open == at_ || !is(at(open), "{"))
      return false;
    scopes_.push_back(scope);
    at_ = open + 1;
    return true;
  }

  /// To the semicolon, or to the brace that ends a function.
  void take_one() {
    std::size_t at = at_;
    while (at < tokens_.size()) {
      if (is(tokens_[at], ";"))
        return add(Declaration::Kind::other, at + 1, 0);
      if (is(tokens_[at], "{") && begins_body(at))
        return add(Declaration::Kind::function, behind_bracket(tokens_, at, tokens_.size()), at);
      if (is(tokens_[at], "}"))
        return add(Declaration::Kind::other, at, 0);
      at = opens(tokens_[at]) ? behind_bracket(tokens_, at, tokens_.size()) : at + 1;
    }
    add(Declaration::Kind::other, at, 0);
  }

  /// Behind parameters, and not of a value or of a type.
  bool begins_body(std::size_t brace) const {
    bool parameters = false;
    for (std::size_t at = at_; at < brace; ++at) {
      if (is(tokens_[at], "=") && !parameters && !is_of_template(at))
        return false;
      if (is(tokens_[at], "enum"))
        return false;
      if (is(tokens_[at], "(")) { // what stands in it may have defaults
        parameters = true;
        at = behind_bracket(tokens_, at, brace) - 1;
      }
    }
    return parameters && !begins_type();
  }

  bool is_of_template(std::size_t at) const {
    return is(tokens_[at_], "template") && at < behind_angles(tokens_, at_ + 1, tokens_.size());
  }

  bool begins_type() const {
    const std::size_t at =
        is(tokens_[at_], "template") ? behind_angles(tokens_, at_ + 1, tokens_.size()) : at_;
    const std::size_t word = at < tokens_.size() && is(tokens_[at], "typedef") ? at + 1 : at;
    if (word >= tokens_.size())
      return false;
    const bool type =
        is(tokens_[word], "struct") || is(tokens_[word], "class") || is(tokens_[word], "union");
    // `struct A f() {` is a function: its parameters come before any brace.
    for (std::size_t next = word + 1; type && next < tokens_.size(); ++next) {
      if (is(tokens_[next], "{") || is(tokens_[next], ":"))
        return true;
      if (is(tokens_[next], "(") && !is(tokens_[next - 1], "__align__") &&
          !is(tokens_[next - 1], "__attribute__") && !is(tokens_[next - 1], "alignas"))
        return false;
      next = opens(tokens_[next]) ? behind_bracket(tokens_, next, tokens_.size()) - 1 : next;
    }
    return false;
  }

  void add(Declaration::Kind kind, std::size_t last, std::size_t body) {
    std::string scope;
    for (const std::string& one : scopes_)
      scope += one;
    last = std::max(last, at_ + 1);
    found_.push_back({kind, at_, last, body, scope});
    at_ = last;
  }

  const Tokens& tokens_;
  std::size_t at_ = 0;
  std::vector<std::string> scopes_;
  std::vector<Declaration> found_;
};

/// The place of the bracket that `close` closes.
std::size_t opening(const Tokens& tokens, std::size_t first, std::size_t close) {
  int depth = 0;
  for (std::size_t at = close + 1; at-- > first;) {
    depth += is(tokens[at], ")") ? 1 : is(tokens[at], "(") ? -1 : 0;
    if (depth == 0)
      return at;
  }
  return first;
}

std::span<const Token> between(const Tokens& tokens, std::size_t first, std::size_t last) {
  return std::span(tokens).subspan(first, last > first ? last - first : 0);
}

/// The last word of a type without a name.
bool is_of_type(std::string_view word) {
  constexpr std::array<std::string_view, 10> words{
      "bool", "char", "short", "int", "long", "float", "double", "unsigned", "signed", "const"};
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// `const float* __restrict__ a[] = nullptr` as type, name and default.
KernelParameter parameter_of(std::span<const Token> tokens) {
  const auto value =
      std::find_if(tokens.begin(), tokens.end(), [](const Token& token) { return is(token, "="); });
  std::string otherwise = value == tokens.end() ? "" : text_of({value + 1, tokens.end()});
  tokens = tokens.first(static_cast<std::size_t>(value - tokens.begin()));
  std::size_t open = tokens.size(); // of the last bracket, where it has two ends
  while (open > 0 && !is(tokens[open - 1], "["))
    --open;
  const bool array = open > 1 && is(tokens.back(), "]");
  if (array)
    tokens = tokens.first(open - 1);
  KernelParameter parameter;
  parameter.otherwise = std::move(otherwise);
  if (tokens.size() > 1 && tokens.back().kind == TokenKind::word &&
      !is_of_type(tokens.back().text)) {
    parameter.name = tokens.back().text;
    tokens = tokens.first(tokens.size() - 1);
  }
  Tokens type;
  for (const Token& token : tokens)
    if (token.text.find("restrict") == std::string_view::npos && !is(token, "__grid_constant__"))
      type.push_back(token);
  parameter.type = text_of(type) + (array ? "*" : "");
  return parameter;
}

TemplateParameter template_parameter_of(std::span<const Token> tokens) {
  TemplateParameter parameter;
  const auto value =
      std::find_if(tokens.begin(), tokens.end(), [](const Token& token) { return is(token, "="); });
  const auto count = static_cast<std::size_t>(value - tokens.begin());
  if (count < tokens.size())
    parameter.otherwise = text_of(tokens.subspan(count + 1));
  tokens = tokens.first(count);
  if (tokens.size() > 1 && tokens.back().kind == TokenKind::word) {
    parameter.name = tokens.back().text;
    tokens = tokens.first(count - 1);
  }
  parameter.kind = text_of(tokens);
  return parameter;
}

std::vector<std::string> bounds_of(const Tokens& tokens, const Declaration& one) {
  std::vector<std::string> found;
  for (std::size_t at = one.first; at + 1 < one.body; ++at)
    if (is(tokens[at], "__launch_bounds__") && is(tokens[at + 1], "("))
      for (const auto& part :
           parts_of(between(tokens, at + 2, behind_bracket(tokens, at + 1, one.body) - 1)))
        found.push_back(text_of(part));
  return found;
}

} // namespace

std::vector<Declaration> declarations_of(const Tokens& tokens) {
  return Declarations(tokens).take();
}

std::vector<std::span<const Token>> parts_of(std::span<const Token> tokens) {
  std::vector<std::span<const Token>> parts;
  int depth = 0;
  std::size_t first = 0;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    const std::string_view sign = tokens[at].kind == TokenKind::sign ? tokens[at].text : "";
    depth += sign == "(" || sign == "[" || sign == "{" || sign == "<"   ? 1
             : sign == ")" || sign == "]" || sign == "}" || sign == ">" ? -1
                                                                        : 0;
    if (sign == "," && depth == 0) {
      parts.push_back(tokens.subspan(first, at - first));
      first = at + 1;
    }
  }
  if (first < tokens.size())
    parts.push_back(tokens.subspan(first));
  return parts;
}

std::vector<TemplateParameter> templates_of(const Tokens& tokens, const Declaration& one) {
  std::vector<TemplateParameter> found;
  if (!is(tokens[one.first], "template"))
    return found;
  const std::size_t open = one.first + 1, end = behind_angles(tokens, open, one.body);
  for (const auto& part : parts_of(between(tokens, open + 1, end - 1)))
    found.push_back(template_parameter_of(part));
  return found;
}

std::size_t parameters_of(const Tokens& tokens, const Declaration& function) {
  const bool is_template = is(tokens[function.first], "template");
  std::size_t open = behind_angles(tokens, function.first + (is_template ? 1 : 0), function.body);
  while (open < function.body && !is(tokens[open], "("))
    ++open;
  return open;
}

std::vector<KernelSignature> kernels_of(const Tokens& tokens,
                                        const std::vector<Declaration>& declarations) {
  std::vector<KernelSignature> found;
  for (const Declaration& one : declarations) {
    const auto first = tokens.begin() + static_cast<std::ptrdiff_t>(one.first);
    const auto body = tokens.begin() + static_cast<std::ptrdiff_t>(one.body);
    if (one.kind != Declaration::Kind::function ||
        std::none_of(first, body, [](const Token& token) { return is(token, "__global__"); }))
      continue;
    if (!is(tokens[one.body - 1], ")"))
      continue;
    const std::size_t open = opening(tokens, one.first, one.body - 1);
    if (open <= one.first || tokens[open - 1].kind != TokenKind::word)
      continue; // a specialisation
    KernelSignature kernel{std::string(tokens[open - 1].text),
                           one.scope,
                           templates_of(tokens, one),
                           {},
                           bounds_of(tokens, one),
                           one};
    for (const auto& part : parts_of(between(tokens, open + 1, one.body - 1)))
      if (text_of(part) != "void")
        kernel.parameters.push_back(parameter_of(part));
    found.push_back(std::move(kernel));
  }
  return found;
}

std::string signature_text(const KernelSignature& kernel) {
  std::vector<std::string_view> types;
  types.reserve(kernel.parameters.size());
  for (const KernelParameter& one : kernel.parameters)
    types.push_back(one.type);
  return fmt::format("{}{}({})", kernel.scope, kernel.name, fmt::join(types, ", "));
}

bool is_same_kernel(const KernelSignature& a, const KernelSignature& b) {
  return a.templates.size() == b.templates.size() && signature_text(a) == signature_text(b);
}

} // namespace gridsmith
