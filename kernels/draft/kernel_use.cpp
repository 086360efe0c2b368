// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/draft/kernel_use.hpp"

#include "gridsmith/kernels/syntax/constants.hpp"

#include <algorithm>
#include <list>

namespace gridsmith {
namespace {

using Range = std::span<const Token>;

constexpr int deepest = 32;                 // of brackets and of variables made of variables
constexpr int most_steps = 1'000'000;       // far more than any kernel needs
constexpr int most_data_steps = 20'000'000; // likewise: tokens before what is written

std::string axis_name(std::size_t axis) {
  return std::string(1, "xyz"[axis]);
}

/// Of a thread in its block, and of a block: where names stay.
std::string thread_symbol(std::size_t axis) {
  return "@thread." + axis_name(axis);
}

std::string number_symbol(std::size_t axis) {
  return "@number." + axis_name(axis);
}

bool is_assignment(const Token& token) {
  return token.text == "=" ||
         (token.text.size() > 1 && token.text.back() == '=' &&
          std::string_view("<>=!").find(token.text[0]) == std::string_view::npos);
}

constexpr char apart = '@'; // between a name and the number of its loop

/// Behind the statement that begins there.
std::size_t behind_statement(const Tokens& tokens, std::size_t first, std::size_t last) {
  const auto text = [&](std::size_t at) {
    return at < last ? tokens[at].text : std::string_view();
  };
  static const std::set<std::string_view> heads{"for", "while", "if", "constexpr"};
  bool branches = false;
  while (first < last &&
         (heads.contains(text(first)) || tokens[first].kind == TokenKind::directive)) {
    branches |= text(first) == "if";
    first = text(first + 1) == "(" ? behind_bracket(tokens, first + 1, last) : first + 1;
  }
  if (text(first) == "{") {
    first = behind_bracket(tokens, first, last);
  } else {
    while (first < last && text(first) != ";")
      first = text(first) == "(" || text(first) == "{" ? behind_bracket(tokens, first, last)
                                                       : first + 1;
    first = std::min(first + 1, last);
  }
  return branches && text(first) == "else" ? behind_statement(tokens, first + 1, last) : first;
}

/// The body, where `i` of `for (int i = …)` is another name than what is called i outside of the loop.
/// @param names where these names stay
Tokens body_with_loops_apart(const Tokens& tokens, const Declaration& kernel,
                             std::list<std::string>& names) {
  Tokens body(tokens.begin() + static_cast<std::ptrdiff_t>(kernel.body),
              tokens.begin() + static_cast<std::ptrdiff_t>(kernel.last));
  for (std::size_t at = 0; at + 2 < body.size(); ++at) {
    if (body[at].text != "for" || body[at + 1].text != "(")
      continue;
    std::size_t name = at + 2;
    while (name < body.size() && (body[name].kind == TokenKind::word || body[name].text == "::"))
      ++name;
    const bool declared = name > at + 3 && name < body.size() && body[name].text == "=";
    const std::size_t header = behind_bracket(body, at + 1, body.size());
    const std::size_t end = declared ? behind_statement(body, header, body.size()) : 0;
    const std::string_view old = body[declared ? name - 1 : at].text;
    if (declared)
      names.push_back(std::string(old.substr(0, old.find(apart))) + apart +
                      std::to_string(names.size()));
    for (std::size_t i = name - 1; i < end; ++i)
      if (body[i].text == old && body[i - 1].text != "." && body[i - 1].text != "->")
        body[i].text = names.back();
  }
  return body;
}

class Reader {
public:
  Reader(const Tokens& tokens, const KernelSignature& kernel,
         const std::map<std::string, std::int64_t>& numbers,
         const std::map<std::string, std::size_t>& blocks)
      : own_(body_with_loops_apart(tokens, kernel.declaration, names_)), body_(own_),
        numbers_(numbers), blocks_(blocks) {
    for (const Token& token : tokens)
      if (token.kind == TokenKind::directive)
        note_macro(token.text);
    for (const KernelParameter& parameter : kernel.parameters)
      if (parameter.type.find('*') == std::string::npos)
        scalars_.insert(parameter.name);
      else
        use_.pointers[parameter.name];
  }

  KernelUse take() {
    for (std::size_t at = 0; at < body_.size(); ++at)
      note(at);
    for (std::size_t at = 0; at < body_.size(); ++at) {
      note_block_steps(at);
      note_guard(at);
    }
    for (std::size_t axis = 0; axis < 3; ++axis)
      find_cover(axis);
    for (std::size_t at = body_.size(); at-- > 0;)
      if (this->at(at) == "return" && rests_on_data(at))
        returns_on_data_ = at;
    for (std::size_t at = 0; at < body_.size(); ++at)
      note_pointer(at);
    return std::move(use_);
  }

private:
  std::string_view at(std::size_t place) const {
    return place < body_.size() && body_[place].kind != TokenKind::text ? body_[place].text : "";
  }

  bool is_word(std::size_t place) const {
    return place < body_.size() && body_[place].kind == TokenKind::word;
  }

  std::size_t behind(std::size_t open) const {
    const char first = at(open)[0], last = first == '(' ? ')' : first == '[' ? ']' : '}';
    int depth = 0;
    for (std::size_t place = open; place < body_.size(); ++place) {
      const std::string_view text = at(place);
      depth += text == std::string_view(&first, 1)  ? 1
               : text == std::string_view(&last, 1) ? -1
                                                    : 0;
      if (depth == 0)
        return place + 1;
    }
    return body_.size();
  }

  /// To the end of an expression: a comma, a semicolon or a closing bracket.
  Range expression_from(std::size_t first) const {
    std::size_t place = first;
    while (place < body_.size()) {
      const std::string_view text = at(place);
      if (text == ";" || text == "," || text == ")" || text == "]" || text == "}" || text == "&&" ||
          text == "||" || text == "?" || text == "{")
        break;
      place = text == "(" || text == "[" ? behind(place) : place + 1;
    }
    return body_.subspan(first, std::min(place, body_.size()) - first);
  }

  /// `int i = …`, `i = …`: the first counts. What threads and shared arrays there are.
  void note(std::size_t place) {
    if (!is_word(place))
      return;
    const std::string word(at(place));
    use_.words.insert(word.substr(0, word.find(apart)));
    use_.block_asked |= word == "blockDim" || word == "num_threads" || word == "thread_rank";
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (at(place + 1) == "." && at(place + 2) == axis_name(axis)) {
        use_.axes[axis].threads |= word == "threadIdx";
        use_.axes[axis].blocks |= word == "blockIdx";
      }
    if (word == "__shared__")
      note_shared(place);
    if (word == "blockIdx")
      note_steps(place);
    note_assignment(place, word);
  }

  void note_assignment(std::size_t place, const std::string& word) {
    if (scalars_.contains(word) || at(place - 1) == "." || at(place - 1) == "]")
      return;
    const bool first =
        at(place + 1) == "=" && definitions_.emplace(word, expression_from(place + 2)).second;
    const bool steps = at(place + 1) == "++" || at(place + 1) == "--" || at(place - 1) == "++" ||
                       at(place - 1) == "--";
    const bool again = !first && place + 1 < body_.size() && is_assignment(body_[place + 1]);
    if (steps || again)
      changing_.insert(word);
    // `i += step)` is a loop's step, which its guard holds for; `x += x0;` is none.
    if (again && at(place + 1) != "=" && at(place + 2 + expression_from(place + 2).size()) == ";")
      moved_.insert(word);
  }

  /// `blockIdx.x * blockDim.x`, `blockIdx.x * BLOCK`; of anything else the grid is not known.
  void note_steps(std::size_t place) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (at(place + 2) != axis_name(axis))
        continue;
      std::size_t factor = at(place + 3) == "*" ? place + 4 : 0;
      if (factor == 0 && place > 1 && at(place - 1) == "*")
        factor = at(place - 3) == "." && place > 3 ? place - 4 : place - 2;
      if (factor == 0)
        continue;
      const bool of_block = tokens_of_block_size(factor, axis) > 0;
      const bool plain = blocks_.contains(std::string(at(factor))) || !is_word(factor) ||
                         numbers_.contains(std::string(at(factor)));
      use_.axes[axis].other_steps |= !of_block && !plain;
    }
  }

  /// `blockDim.x`, or a name that is it: how many tokens that has; 0: it is another value.
  std::size_t tokens_of_block_size(std::size_t place, std::size_t axis) const {
    const auto is_it = [&](Range tokens) {
      return tokens.size() > 2 && tokens[0].text == "blockDim" && tokens[2].text == axis_name(axis);
    };
    if (place < body_.size() && is_it(body_.subspan(place)))
      return 3;
    const std::string name(at(place));
    const auto made = definitions_.find(name);
    return made != definitions_.end() && made->second.size() == 3 && is_it(made->second) &&
                   !changing_.contains(name)
               ? 1
               : 0;
  }

  /// `blockIdx.x * blockDim.x`, `blockDim.x * b` of `b = blockIdx.x`
  void note_block_steps(std::size_t place) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::size_t tokens = tokens_of_block_size(place, axis);
      if (tokens == 0)
        continue;
      std::size_t factor = at(place + tokens) == "*" ? place + tokens + 1 : 0;
      if (factor == 0 && place > 4 && at(place - 1) == "*")
        factor = at(place - 3) == "." ? place - 4 : place - 2;
      const std::size_t size = at(factor) == "blockIdx" ? 3 : 1;
      use_.axes[axis].block_steps |= factor > 0 && factor + size <= body_.size() &&
                                     names_axis(body_.subspan(factor, size), "blockIdx", axis);
    }
  }

  void note_shared(std::size_t place) {
    std::size_t open = place;
    while (open < body_.size() && at(open) != "[" && at(open) != ";")
      ++open;
    if (at(open) != "[")
      return;
    if (at(open + 1) == "]")
      use_.dynamic_shared =
          open > place + 2 ? text_of(body_.subspan(place + 1, open - place - 2)) : "";
    for (; at(open) == "[" && at(open + 1) != "]"; open = behind(open)) {
      use_.shared_sizes.push_back(text_of(body_.subspan(open + 1, behind(open) - open - 2)));
    }
  }

  /// `i < n`, `i >= n`, `n > i`: of a name, as large as it gets where the guard lets it through.
  void note_guard(std::size_t place) {
    const std::string_view sign = at(place);
    const bool below = sign == "<" || sign == ">=", above = sign == "<=" || sign == ">";
    if ((!below && !above) || !is_word(place - 1))
      return;
    const std::string name(at(place - 1));
    if (scalars_.contains(name) || !definitions_.contains(name))
      return;
    guards_.insert(name);
    const auto limit = reach(expression_from(place + 1));
    if (!limit)
      return;
    const Polynomial most = below ? limit->most - 1 : limit->most;
    if (limit->most.terms().empty() || is_constant(limit->most)) {
      if (at(place - 2) == ";") // of a loop
        limits_.emplace(name, most);
      return;
    }
    for (const auto& [product, factor] : limit->most.terms())
      for (const std::string& one : product)
        if (scalars_.contains(one))
          use_.ends.insert(one);
    const auto [known, first] = limits_.emplace(name, most);
    const auto as_large = [](const std::string&) { return 1000.0; };
    if (!first && most.value(as_large) > known->second.value(as_large))
      known->second = most;
  }

  static bool is_constant(const Polynomial& one) {
    return one.terms().size() == 1 && one.terms().begin()->first.empty();
  }

  bool names_axis(Range tokens, std::string_view what, std::size_t axis, int depth = 0) const {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].text == what && i + 2 < tokens.size() && tokens[i + 2].text == axis_name(axis))
        return true;
      const auto made = definitions_.find(std::string(tokens[i].text));
      if (depth < 3 && tokens[i].kind == TokenKind::word && made != definitions_.end() &&
          made->second.data() != tokens.data() && names_axis(made->second, what, axis, depth + 1))
        return true;
    }
    return false;
  }

  /// `i % cols`, `(blockIdx.x * blockDim.x + threadIdx.x) / 32`: what bounds this does not bound the index.
  bool divides_index(Range tokens, std::size_t axis, int depth = 0) const {
    const std::string_view index = use_.axes[axis].blocks ? "blockIdx" : "threadIdx";
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if ((tokens[i].text == "%" || tokens[i].text == "/") &&
          names_axis(factors_before(tokens, i), index, axis))
        return true;
      const auto made = definitions_.find(std::string(tokens[i].text));
      if (depth < 3 && made != definitions_.end() && made->second.data() != tokens.data() &&
          divides_index(made->second, axis, depth + 1))
        return true;
    }
    return false;
  }

  /// `b * (c + d)` of `a + b * (c + d) / e`, at its sign.
  static Range factors_before(Range tokens, std::size_t sign) {
    std::size_t first = sign;
    for (int depth = 0; first > 0; --first) {
      const std::string_view text = tokens[first - 1].text;
      depth += text == ")" || text == "]" ? 1 : text == "(" || text == "[" ? -1 : 0;
      if (depth < 0 || (depth == 0 && (text == "+" || text == "-")))
        break;
    }
    return tokens.subspan(first, sign - first);
  }

  /// The guard of what is made of this axis' blocks.
  void find_cover(std::size_t axis) {
    for (const auto& [name, limit] : limits_) {
      const auto made = definitions_.find(name);
      if (made == definitions_.end() || is_constant(limit) || divides_index(made->second, axis))
        continue;
      const bool own = names_axis(made->second, "blockIdx", axis) ||
                       (!use_.axes[axis].blocks && names_axis(made->second, "threadIdx", axis));
      bool others = false;
      for (std::size_t other = 0; other < 3; ++other)
        others |= other != axis && names_axis(made->second, "blockIdx", other);
      if (own && !others && !use_.axes[axis].covers) {
        use_.axes[axis].covers = limit + 1;
        use_.axes[axis].other_steps |= is_scaled(made->second, axis);
      }
    }
  }

  /// `(blockIdx.x * blockDim.x + threadIdx.x) * 4`, `blockIdx.x * blockDim.x * 4 + threadIdx.x`, and of the name of a
  /// thread's index: a block is more steps than it has threads.
  bool is_scaled(Range tokens, std::size_t axis) const {
    const auto text = [&](std::size_t i) {
      return i < tokens.size() ? tokens[i].text : std::string_view();
    };
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const bool block = text(i) == "blockIdx" && text(i + 2) == axis_name(axis);
      const auto made = definitions_.find(std::string(text(i)));
      const bool index = tokens[i].kind == TokenKind::word && made != definitions_.end() &&
                         made->second.data() != tokens.data() &&
                         names_axis(made->second, "blockIdx", axis) &&
                         names_axis(made->second, "threadIdx", axis);
      const std::size_t end = block ? i + 3 : i + 1;
      const bool before = text(i - 1) == "*", after = text(end) == "*" || text(end) == "<<";
      if ((index && (before || after)) || (block && before && after))
        return true;
      if (block && after && text(end + 1) == "(" &&
          (text(end + 2) != "blockDim" || text(end + 5) != ")"))
        return true;
      if (block && after && text(end + (text(end + 2) == "." ? 4 : 2)) == "*")
        return true;
      if (block && before && text(i - (text(i - 3) == "." ? 5 : 3)) == "*")
        return true;
      if ((block || index) && bracket_is_scaled(tokens, i))
        return true;
    }
    return false;
  }

  /// The brackets around a token, and a factor outside of them.
  static bool bracket_is_scaled(Range tokens, std::size_t place) {
    int depth = 0;
    for (std::size_t i = place; i-- > 0;) {
      depth += tokens[i].text == ")" ? 1 : tokens[i].text == "(" ? -1 : 0;
      if (depth == -1 && i > 0 && tokens[i - 1].text == "*")
        return true;
      depth = std::max(depth, 0);
    }
    depth = 0;
    for (std::size_t i = place; i + 1 < tokens.size(); ++i) {
      depth += tokens[i].text == "(" ? 1 : tokens[i].text == ")" ? -1 : 0;
      if (depth == -1 && (tokens[i + 1].text == "*" || tokens[i + 1].text == "<<"))
        return true;
      depth = std::max(depth, 0);
    }
    return false;
  }

  // ---- what an expression reaches

  struct Cursor {
    Range tokens;
    std::size_t at = 0;
    int depth = 0;

    std::string_view text() const {
      return at < tokens.size() ? tokens[at].text : std::string_view();
    }

    bool take(std::string_view one) {
      const bool found = text() == one;
      at += found ? 1 : 0;
      return found;
    }
  };

  std::optional<Reach> reach(Range tokens, int depth = 0) const {
    Cursor cursor{tokens, 0, depth};
    auto found = sum(cursor);
    return found && cursor.at == tokens.size() && found->most.small() && found->least.small()
               ? found
               : std::nullopt;
  }

  std::optional<Reach> sum(Cursor& cursor) const {
    if (++cursor.depth > deepest)
      return std::nullopt;
    auto left = product(cursor);
    while (left && (cursor.text() == "+" || cursor.text() == "-")) {
      const bool plus = cursor.take("+");
      cursor.at += plus ? 0 : 1;
      const auto right = product(cursor);
      if (!right || !left->most.small())
        return std::nullopt;
      left = plus ? Reach{left->least + right->least, left->most + right->most}
                  : Reach{left->least - right->most, left->most - right->least};
    }
    --cursor.depth;
    return left;
  }

  std::optional<Reach> product(Cursor& cursor) const {
    auto left = factor(cursor);
    while (left && (cursor.text() == "*" || cursor.text() == "/" || cursor.text() == "%")) {
      const char sign = cursor.text()[0];
      ++cursor.at;
      const auto right = factor(cursor);
      if (!right || !left->most.small() || !right->most.small() || (names_stay_ && sign != '*'))
        return std::nullopt;
      if (sign == '*')
        left = Reach{left->least * right->least, left->most * right->most};
      else if (sign == '%')
        left = Reach{0, right->most - 1};
      else
        left->least = 0; // no larger than what is divided
    }
    return left;
  }

  std::optional<Reach> factor(Cursor& cursor) const {
    if (cursor.at >= cursor.tokens.size() || cursor.depth > deepest || ++steps_ > most_steps)
      return std::nullopt;
    const Token& token = cursor.tokens[cursor.at];
    if (token.kind == TokenKind::number) {
      ++cursor.at;
      const auto number = whole_number(token.text);
      return number ? std::optional(Reach{*number, *number}) : std::nullopt;
    }
    if (token.text == "(")
      return bracketed(cursor);
    if (token.kind == TokenKind::word)
      return named(cursor);
    return std::nullopt;
  }

  /// `(i + 1)`, or what stands behind a cast.
  std::optional<Reach> bracketed(Cursor& cursor) const {
    static const std::set<std::string_view> types{"int",      "unsigned", "size_t",   "long",
                                                  "uint32_t", "int64_t",  "uint64_t", "int32_t"};
    ++cursor.at;
    const bool cast = types.contains(cursor.text());
    while (cast && cursor.at < cursor.tokens.size() && cursor.text() != ")")
      ++cursor.at;
    if (cast)
      return cursor.take(")") ? factor(cursor) : std::nullopt;
    const auto inner = sum(cursor);
    return inner && cursor.take(")") ? inner : std::nullopt;
  }

  std::optional<Reach> named(Cursor& cursor) const {
    const std::string name(cursor.text());
    ++cursor.at;
    if (cursor.text() == ".")
      return of_axis(name, cursor);
    if (name == "__umul24" || name == "__mul24" || name == "min")
      return called(name, cursor);
    if (cursor.text() == "(" || cursor.text() == "[" || cursor.text() == "::")
      return std::nullopt;
    if (const auto block = blocks_.find(name); block != blocks_.end())
      return Reach{1, Polynomial::of_name(block_symbol(block->second))};
    if (const auto number = numbers_.find(name); number != numbers_.end())
      return Reach{number->second, number->second};
    if (scalars_.contains(name))
      return itself(name);
    return of_variable(name, cursor.depth);
  }

  std::optional<Reach> called(const std::string& name, Cursor& cursor) const {
    if (!cursor.take("("))
      return std::nullopt;
    const auto first = sum(cursor);
    if (!first || !cursor.take(","))
      return std::nullopt;
    const auto second = sum(cursor);
    if (!second || !cursor.take(")") || (names_stay_ && name == "min"))
      return std::nullopt;
    return name == "min" ? Reach{0, second->most}
                         : Reach{first->least * second->least, first->most * second->most};
  }

  std::optional<Reach> of_axis(const std::string& name, Cursor& cursor) const {
    ++cursor.at;
    const std::string_view names = "xyz";
    const std::size_t axis = cursor.text().size() == 1 ? names.find(cursor.text()[0]) : names.npos;
    ++cursor.at;
    if (axis == names.npos)
      return std::nullopt;
    const Polynomial block = Polynomial::of_name(block_symbol(axis));
    const Polynomial grid = Polynomial::of_name(grid_symbol(axis));
    if (name == "threadIdx")
      return names_stay_ ? itself(thread_symbol(axis)) : Reach{0, block - 1};
    if (name == "blockIdx")
      return names_stay_ ? itself(number_symbol(axis)) : Reach{0, grid - 1};
    if (name == "blockDim")
      return Reach{1, block};
    if (name == "gridDim")
      return Reach{1, grid};
    return std::nullopt;
  }

  static Reach itself(const std::string& name) {
    return {Polynomial::of_name(name), Polynomial::of_name(name)};
  }

  std::optional<Reach> of_variable(const std::string& name, int depth) const {
    if (names_stay_ && (!definitions_.contains(name) || changing_.contains(name)))
      return itself(name);
    if (names_stay_)
      return depth > deepest / 2 ? std::nullopt : reach(definitions_.at(name), depth + 2);
    if (moved_.contains(name))
      return std::nullopt;
    if (const auto limit = limits_.find(name); limit != limits_.end())
      return Reach{0, limit->second};
    const auto made = definitions_.find(name);
    if (made == definitions_.end() || guards_.contains(name) || changing_.contains(name) ||
        depth > deepest / 2)
      return std::nullopt;
    auto found = reach(made->second, depth + 2);
    if (found)
      found->least = 0;
    return found;
  }

  // ---- pointers

  /// `#define at(i, j) x[(i) * w + (j)]`
  void note_macro(std::string_view directive) {
    const std::string_view rest =
        directive_name(directive) == "define" ? directive_rest(directive) : "";
    const std::size_t open = rest.find('(');
    const std::size_t close = rest.find(')', std::min(open, rest.size()));
    if (close >= rest.size() || rest.substr(0, open).find_first_of(" \t") < open)
      return;
    const Tokens parameters = tokens_of(rest.substr(open + 1, close - open - 1));
    Tokens meaning = tokens_of(rest.substr(close + 1));
    for (Token& token : meaning)
      for (const Token& parameter : parameters)
        if (token.text == parameter.text && parameter.kind == TokenKind::word)
          token.text = "";
    macros_.emplace(rest.substr(0, open), std::move(meaning));
  }

  /// Through a macro an element is read and written like `x[…]`; anything else of a pointer in it is not seen.
  void note_macro_use(std::size_t place, std::string_view name, std::size_t end, int depth) {
    constexpr int most_names = 4; // of a macro in a macro
    const auto [first, last] = macros_.equal_range(name);
    for (auto macro = first; macro != last && depth < most_names; ++macro)
      note_meaning(place, macro->second, end, depth);
  }

  void note_meaning(std::size_t place, const Tokens& tokens, std::size_t end, int depth) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const auto found = use_.pointers.find(std::string(tokens[i].text));
      if (found == use_.pointers.end()) {
        note_macro_use(place, tokens[i].text, end, depth + 1);
        continue;
      }
      PointerUse& pointer = found->second;
      pointer.unknown = true;
      const bool element = i + 1 < tokens.size() && tokens[i + 1].text == "[";
      if (element && i == 0 && depth == 0 &&
          behind_bracket(tokens, 1, tokens.size()) == tokens.size())
        note_access(place, end, pointer);
      else
        pointer.escapes = pointer.read = pointer.written = true;
    }
  }

  void note_pointer(std::size_t place) {
    if (is_word(place) && at(place + 1) == "(")
      note_macro_use(place, at(place), behind(place + 1), 0);
    const auto found =
        is_word(place) ? use_.pointers.find(std::string(at(place))) : use_.pointers.end();
    if (found == use_.pointers.end() || at(place - 1) == "." || at(place - 1) == "->")
      return;
    PointerUse& pointer = found->second;
    if (at(place + 1) == "[")
      return note_index(place, pointer);
    const bool dereferenced =
        at(place - 1) == "*" &&
        (at(place - 2) == ";" || at(place - 2) == "{" || at(place - 2) == "}" ||
         at(place - 2) == "else" || at(place - 2) == ")" || at(place - 2) == "=");
    if (!dereferenced) {
      pointer.escapes = pointer.read = pointer.written = true;
      return;
    }
    pointer.reaches.emplace_back(0);
    note_access(place - 1, place + 1, pointer);
  }

  void note_index(std::size_t place, PointerUse& pointer) {
    const std::size_t end = behind(place + 1);
    const auto range = reach(body_.subspan(place + 2, end - place - 3));
    if (range)
      pointer.reaches.push_back(range->most);
    else
      pointer.unknown = true;
    for (std::size_t inside = place + 2; inside + 1 < end; ++inside)
      mark_choosers(inside);
    if (note_access(place, end, pointer))
      note_written(body_.subspan(place + 2, end - place - 3));
  }

  /// An index that is none of a thread among those of all blocks, as `blockIdx.x` and
  /// `blockIdx.x * blockDim.x * 4 + threadIdx.x` are. Steps of a block's size may reach what lies between.
  void note_written(Range index) {
    names_stay_ = true;
    const auto place = reach(index);
    names_stay_ = false;
    if (!place)
      return;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::string number = number_symbol(axis), thread = thread_symbol(axis);
      const Polynomial before =
          Polynomial::of_name(number) * Polynomial::of_name(block_symbol(axis));
      const Polynomial rest =
          place->most.replaced(thread, "", Polynomial::of_name(thread) - before);
      bool by_number = false, by_steps = false;
      for (const auto& [product, factor] : rest.terms()) {
        const auto has = [&, &names = product](const std::string& name) {
          return std::find(names.begin(), names.end(), name) != names.end();
        };
        by_number |= has(number);
        by_steps |= has(block_symbol(axis)) && !has(number) && !has(grid_symbol(axis));
      }
      use_.axes[axis].by_number |= by_number && !by_steps;
    }
  }

  /// Pointers whose elements are in an index, themselves or by a variable.
  void mark_choosers(std::size_t place) {
    const std::string word(at(place));
    if (const auto inner = use_.pointers.find(word); inner != use_.pointers.end())
      inner->second.chooses = true;
    const auto made = definitions_.find(word);
    if (made == definitions_.end())
      return;
    for (const Token& token : made->second)
      if (const auto inner = use_.pointers.find(std::string(token.text));
          inner != use_.pointers.end())
        inner->second.chooses = true;
  }

  /// Whether an `if` around it asks for elements, or for what changes on the way: what its statement writes may stay as
  /// it was. What has an `else` may be written there.
  bool rests_on_data(std::size_t place) const {
    int closed = 0;
    for (std::size_t at = place; at-- > 0 && ++data_steps_ < most_data_steps;) {
      const std::string_view text = this->at(at);
      closed += text == "}" ? 1 : 0;
      const bool opens = text == "{" && closed-- <= 0;
      closed = opens ? 0 : closed;
      const std::size_t head = opens ? at : at + 1;
      if ((!opens && head != place) || head == 0 || this->at(head - 1) != ")")
        continue;
      const std::size_t open = open_of(head - 1);
      const bool branches = open > 0 && this->at(open - 1) == "if";
      const std::size_t end = opens ? behind(at) : place + expression_from(place).size() + 1;
      if (branches && this->at(end) != "else" && asks_for_data(body_.subspan(open, head - open)))
        return true;
    }
    return false;
  }

  /// The bracket that is closed there.
  std::size_t open_of(std::size_t close) const {
    int depth = 0;
    for (std::size_t place = close + 1; place-- > 0;) {
      depth += at(place) == ")" ? 1 : at(place) == "(" ? -1 : 0;
      if (depth == 0)
        return place;
    }
    return 0;
  }

  bool asks_for_data(Range condition, int depth = 0) const {
    return std::any_of(condition.begin(), condition.end(), [&](const Token& token) {
      const std::string word(token.text);
      const bool member = &token != condition.data() && (&token)[-1].text == ".";
      if (token.kind != TokenKind::word || member || word.find(apart) != word.npos)
        return false;
      if (use_.pointers.contains(word) || ++data_steps_ > most_data_steps)
        return use_.pointers.contains(word);
      const auto made = definitions_.find(word);
      if (made == definitions_.end() || made->second.data() == condition.data())
        return changing_.contains(word);
      return (changing_.contains(word) && !walks_blocks(made->second)) ||
             (depth < 3 && asks_for_data(made->second, depth + 1));
    });
  }

  /// It begins as an index of a thread or of a block.
  bool walks_blocks(Range begin) const {
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (names_axis(begin, "blockIdx", axis) || names_axis(begin, "threadIdx", axis))
        return true;
    return false;
  }

  /// True: it is written.
  bool note_access(std::size_t first, std::size_t end, PointerUse& pointer) {
    while (at(end) == "." || at(end) == "[")
      end = at(end) == "." ? end + 2 : behind(end);
    const bool steps = at(end) == "++" || at(end) == "--" ||
                       (first > 0 && (at(first - 1) == "++" || at(first - 1) == "--"));
    std::size_t open = first; // `&(p[i])` too
    while (open > 0 && at(open - 1) == "(")
      --open;
    const bool address = open > 0 && at(open - 1) == "&" && !is_word(open - 2);
    const bool assigned = end < body_.size() && is_assignment(body_[end]);
    pointer.written |= assigned || steps || address;
    pointer.partly |= assigned && (first > returns_on_data_ || rests_on_data(first));
    pointer.read |= !assigned || at(end) != "=";
    return assigned || steps || address;
  }

  std::list<std::string> names_; ///< that own_ points into
  Tokens own_;
  Range body_;
  std::multimap<std::string, Tokens, std::less<>>
      macros_; ///< with parameters, by what stands for them
  const std::map<std::string, std::int64_t>& numbers_;
  const std::map<std::string, std::size_t>& blocks_;
  std::set<std::string> scalars_;
  std::map<std::string, Range> definitions_; ///< variables by what they begin as
  std::map<std::string, Polynomial> limits_; ///< … and as large as guards let them be
  std::set<std::string> guards_;             ///< names that have guards, plain or not
  std::set<std::string> changing_;           ///< names that are assigned to again …
  std::set<std::string> moved_;              ///< … in a statement of its own, by += and its like
  std::size_t returns_on_data_ = static_cast<std::size_t>(-1); ///< where one does first
  mutable int steps_ = 0, data_steps_ = 0;
  bool names_stay_ = false; ///< what is reached is in terms of blocks, threads and what changes
  KernelUse use_;
};

} // namespace

std::string block_symbol(std::size_t axis) {
  return "@block." + axis_name(axis);
}

std::string grid_symbol(std::size_t axis) {
  return "@grid." + axis_name(axis);
}

KernelUse use_of(const Tokens& tokens, const KernelSignature& kernel,
                 const std::map<std::string, std::int64_t>& numbers,
                 const std::map<std::string, std::size_t>& blocks) {
  return Reader(tokens, kernel, numbers, blocks).take();
}

} // namespace gridsmith
