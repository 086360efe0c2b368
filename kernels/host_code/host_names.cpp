// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/host_code/host_names.hpp"

#include "gridsmith/kernels/host_code/declared_types.hpp"

#include <algorithm>
#include <set>

namespace gridsmith {
namespace {

using Range = std::span<const Token>;

constexpr std::size_t most_variables = 16; // that one name is followed through
constexpr int deepest_call = 3;            // of functions that allocate by an address

bool has_word(Range part, std::string_view word) {
  return std::any_of(part.begin(), part.end(), [&](const Token& one) { return one.text == word; });
}

/// What stands behind it is a member's name.
bool is_access(const Token& token) {
  return token.text == "." || token.text == "->";
}

/// `n` of `int n = 4`, `x` of `float x[]`.
std::string_view name_of(Range parameter) {
  std::string_view name;
  for (const Token& token : parameter) {
    if (token.text == "=" || token.text == "[")
      break;
    if (token.kind == TokenKind::word)
      name = token.text;
  }
  return name;
}

std::vector<Range> parameters_at(const Tokens& tokens, std::size_t open) {
  const std::size_t end = behind_bracket(tokens, open, tokens.size());
  return parts_of(Range(tokens).subspan(open + 1, end - open - 2));
}

} // namespace

Range default_of(Range parameter) {
  const auto equals = std::find_if(parameter.begin(), parameter.end(),
                                   [](const Token& token) { return token.text == "="; });
  return equals == parameter.end() ? Range() : Range(equals + 1, parameter.end());
}

HostNames::HostNames(const Tokens& tokens)
    : tokens_(tokens), declarations_(declarations_of(tokens)) {
  for (const Declaration& one : declarations_) {
    const std::size_t open =
        one.kind == Declaration::Kind::function ? parameters_of(tokens, one) : one.first;
    if (open > one.first && open < one.body)
      functions_.push_back(
          {one.first, one.body, one.last, tokens[open - 1].text, parameters_at(tokens, open)});
  }
  add_lambdas();
}

/// `name = [&](int n) -> float {`
void HostNames::add_lambdas() {
  for (std::size_t at = 0; at + 2 < tokens_.size(); ++at) {
    if (tokens_[at].text != "[")
      continue;
    const std::size_t open = behind_bracket(tokens_, at, tokens_.size());
    if (open >= tokens_.size() || tokens_[open].text != "(")
      continue;
    std::size_t body = behind_bracket(tokens_, open, tokens_.size());
    while (body < tokens_.size() && (tokens_[body].kind == TokenKind::word ||
                                     tokens_[body].text == "->" || tokens_[body].text == "*"))
      ++body;
    if (body >= tokens_.size() || tokens_[body].text != "{")
      continue;
    const bool named = at > 1 && tokens_[at - 1].text == "=";
    functions_.push_back({at, body, behind_bracket(tokens_, body, tokens_.size()),
                          named ? tokens_[at - 2].text : "", parameters_at(tokens_, open)});
  }
}

const Declaration* HostNames::function_of(std::size_t place) const {
  const auto behind =
      std::upper_bound(declarations_.begin(), declarations_.end(), place,
                       [](std::size_t at, const Declaration& one) { return at < one.first; });
  if (behind == declarations_.begin())
    return nullptr;
  const Declaration& one = *(behind - 1);
  return one.kind == Declaration::Kind::function && place < one.last ? &one : nullptr;
}

std::optional<HostParameter> HostNames::parameter(std::string_view name, std::size_t place) const {
  std::optional<HostParameter> found;
  for (const HostFunction& one : functions_) {
    if (place < one.first || one.last <= place || (found && one.first < found->of->first))
      continue;
    for (std::size_t i = 0; i < one.parameters.size(); ++i)
      if (name_of(one.parameters[i]) == name)
        found = HostParameter{&one, i};
  }
  return found;
}

HostVariable HostNames::variable(std::string_view name, std::size_t place) const {
  HostVariable found{HostVariable::of_none, std::string(name)};
  const Declaration* function = function_of(place);
  if (!function)
    return found;
  name = name.substr(0, name.find('.')); // of `block.x`
  if (const auto passed = parameter(name, place)) {
    found.function = passed->of->first;
    return found;
  }
  bool own = false;
  for (std::size_t at = function->body; at < function->last && !own; ++at)
    own = tokens_[at].text == name && declared_at(tokens_, at).has_value();
  if (own)
    found.function = function->first;
  return found;
}

/// `void run(float* y, int n);`, and the head of a function of the same name.
bool HostNames::is_prototype(std::size_t name) const {
  static const std::set<std::string_view> verbs{"return", "else", "do", "case", "throw"};
  std::size_t first = name;
  while (first > 1 && tokens_[first - 1].text == "::")
    first -= 2;
  if (first == 0)
    return false;
  const Token& before = tokens_[first - 1];
  return before.kind == TokenKind::word
             ? !verbs.contains(before.text)
             : !function_of(name) &&
                   (before.text == "*" || before.text == "&" || before.text == ">");
}

std::vector<HostCall> HostNames::calls_of(const HostFunction& function) const {
  std::vector<HostCall> found;
  const auto& own = function.parameters;
  const auto most = own.size();
  const auto least =
      most - static_cast<std::size_t>(std::count_if(
                 own.begin(), own.end(), [](Range one) { return !default_of(one).empty(); }));
  for (std::size_t at = 1; at + 1 < tokens_.size(); ++at) {
    if (tokens_[at].text != function.name || tokens_[at].kind != TokenKind::word)
      continue;
    const std::size_t begin = behind_angles(tokens_, at + 1, tokens_.size());
    if (begin >= tokens_.size() || tokens_[begin].text != "(" || is_prototype(at))
      continue;
    HostCall call{at, parameters_at(tokens_, begin)};
    const bool itself = function.first <= at && at < function.body; // its head
    if (!itself && call.arguments.size() >= least && call.arguments.size() <= most)
      found.push_back(std::move(call));
  }
  return found;
}

std::vector<HostVariable> HostNames::passed_on(std::string_view name, std::size_t place) const {
  std::vector<HostVariable> found{variable(name, place)};
  for (std::size_t at = 0; at < found.size() && found.size() < most_variables; ++at) {
    std::vector<HostVariable> callers;
    add_callers(found[at], callers);
    if (callers.size() == 1 && std::find(found.begin(), found.end(), callers[0]) == found.end())
      found.push_back(callers[0]);
  }
  return found;
}

/// Of a parameter: each variable once; what is no variable has no name.
void HostNames::add_callers(const HostVariable& variable, std::vector<HostVariable>& found) const {
  const auto parameter = variable.function == HostVariable::of_none
                             ? std::nullopt
                             : this->parameter(variable.name, variable.function);
  if (!parameter)
    return;
  const std::size_t i = parameter->i;
  for (const HostCall& call : calls_of(*parameter->of)) {
    HostVariable one;
    if (i < call.arguments.size() && call.arguments[i].size() == 1 &&
        call.arguments[i][0].kind == TokenKind::word)
      one = this->variable(call.arguments[i][0].text, call.place);
    if (std::find(found.begin(), found.end(), one) == found.end())
      found.push_back(std::move(one));
  }
}

/// `&name`, `(void**)&name`, and of a parameter that is an address `name` and `(void**)name`.
bool HostNames::is_target(Range target, std::size_t place, const HostVariable& variable) const {
  for (std::size_t k = 0; k < target.size(); ++k)
    if (target[k].text == variable.name && (k == 0 || !is_access(target[k - 1])) &&
        (k + 1 == target.size() || (k > 0 && target[k - 1].text == "&")))
      return this->variable(variable.name, place) == variable;
  return false;
}

void HostNames::add_allocations(const HostVariable& variable, int depth,
                                std::vector<HostAllocation>& found) const {
  if (depth > deepest_call || variable.name.empty())
    return;
  const std::size_t before = found.size();
  for (std::size_t at = 0; at + 1 < tokens_.size(); ++at) {
    if (!tokens_[at].text.starts_with("cudaMalloc") || tokens_[at + 1].text != "(")
      continue;
    const std::size_t end = behind_bracket(tokens_, at + 1, tokens_.size());
    const auto parts = parts_of(Range(tokens_).subspan(at + 2, end - at - 3));
    if (parts.size() > 1 && is_target(parts[0], at, variable))
      found.push_back({parts[1], at});
  }
  if (found.size() == before)
    add_by_address(variable, depth, found);
}

/// `allocate(&name, n)`
void HostNames::add_by_address(const HostVariable& variable, int depth,
                               std::vector<HostAllocation>& found) const {
  for (std::size_t at = 2; at < tokens_.size(); ++at) {
    if (tokens_[at].text != variable.name)
      continue;
    const bool address = tokens_[at - 1].text == "&";
    if (const auto own = argument_at(address ? at - 1 : at);
        own && (address || has_word(own->written(), "&")) &&
        this->variable(variable.name, at) == variable)
      add_allocations({own->of->first, std::string(name_of(own->written()))}, depth + 1, found);
  }
}

std::optional<HostParameter> HostNames::argument_at(std::size_t place) const {
  std::size_t count = 0;
  int depth = 0;
  while (place-- > 1) {
    const std::string_view text = tokens_[place].text;
    depth += text == ")" || text == "]" || text == "}" ? 1 : 0;
    if (text == ";" || (depth == 0 && (text == "{" || text == "[")))
      return std::nullopt;
    if (depth == 0 && text == "(")
      break;
    depth -= text == "(" || text == "[" || text == "{" ? 1 : 0;
    count += depth == 0 && text == "," ? 1 : 0;
  }
  for (const HostFunction& one : functions_)
    if (place > 0 && one.name == tokens_[place - 1].text && count < one.parameters.size())
      return HostParameter{&one, count};
  return std::nullopt;
}

std::vector<HostAllocation> HostNames::allocations_of(std::string_view name,
                                                      std::size_t place) const {
  std::vector<HostAllocation> found;
  std::vector<HostVariable> all{variable(name, place)};
  for (std::size_t at = 0; at < all.size() && all.size() < most_variables; ++at) {
    const std::size_t before = found.size();
    add_allocations(all[at], 0, found);
    if (found.size() == before)
      add_callers(HostVariable(all[at]), all);
  }
  return found;
}

bool HostNames::is_zeroed(std::string_view name, std::size_t place) const {
  const auto all = passed_on(name, place);
  for (std::size_t at = 0; at + 1 < tokens_.size(); ++at) {
    if ((tokens_[at].text != "cudaMemset" && tokens_[at].text != "cudaMemsetAsync") ||
        tokens_[at + 1].text != "(")
      continue;
    const std::size_t end = behind_bracket(tokens_, at + 1, tokens_.size());
    const auto parts = parts_of(Range(tokens_).subspan(at + 2, end - at - 3));
    if (parts.size() < 3 || parts[1].size() != 1 || parts[1][0].text != "0")
      continue;
    for (std::size_t i = 0; i < all.size(); ++i)
      if ((at < place || i > 0) && is_target(parts[0], at, all[i]))
        return true;
  }
  return false;
}

} // namespace gridsmith
