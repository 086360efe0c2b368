// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/source/includes.hpp"

#include "gridsmith/kernels/source/letters.hpp"

#include <cctype>
#include <optional>

namespace gridsmith {
namespace {

/// The text without its line continuations.
class Cursor {
public:
  explicit Cursor(std::string_view text) : text_(text) { settle(); }

  bool done() const { return at_ >= text_.size(); }

  char here() const { return done() ? '\0' : text_[at_]; }

  char after() const {
    Cursor next = *this;
    next.step();
    return next.here();
  }

  void step() {
    ++at_;
    settle();
  }

  std::size_t place() const { return at_; }

  std::string_view between(std::size_t first, std::size_t last) const {
    return text_.substr(first, last - first);
  }

private:
  void settle() {
    while (at_ < text_.size() && text_[at_] == '\\') {
      const std::size_t end = text_.find_first_not_of(" \t\r", at_ + 1);
      if (end == std::string_view::npos || text_[end] != '\n')
        return;
      at_ = end + 1;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

class Scanner {
public:
  explicit Scanner(std::string_view text) : at_(text) {}

  std::vector<Include> run() {
    while (!at_.done())
      line();
    return std::move(found_);
  }

private:
  void line() {
    blanks();
    directive_ = at_.here() == '#' || (at_.here() == '%' && at_.after() == ':');
    if (directive_) {
      if (at_.here() == '%')
        at_.step();
      at_.step();
      blanks();
      if (word() == "include")
        header();
    }
    while (!at_.done() && at_.here() != '\n')
      token();
    at_.step();
  }

  /// Blanks and comments, up to the end of the line.
  void blanks() {
    while (!at_.done()) {
      const char c = at_.here();
      if (c == '/' && at_.after() == '/')
        while (!at_.done() && at_.here() != '\n')
          at_.step();
      else if (c == '/' && at_.after() == '*')
        comment();
      else if (c == '\n' || std::isspace(static_cast<unsigned char>(c)) == 0)
        return;
      else
        at_.step();
    }
  }

  void comment() {
    at_.step();
    at_.step();
    while (!at_.done() && !(at_.here() == '*' && at_.after() == '/'))
      at_.step();
    at_.step();
    at_.step();
  }

  std::string word() {
    std::string text;
    for (; is_letter_or_digit(at_.here()); at_.step())
      text += at_.here();
    return text;
  }

  /// What follows #include or __has_include( on the line: a name, or what is computed.
  void header() {
    blanks();
    const char open = at_.here();
    if (open == '"' || open == '<')
      take(Include::Kind::named, open == '"' ? '"' : '>');
    else if (is_letter(open))
      found_.push_back({Include::Kind::computed, at_.place(), at_.place(), "", false});
  }

  /// From the opening quote or bracket to the closing one; nothing where the line ends before.
  void take(Include::Kind kind, char close) {
    Cursor end = at_;
    const std::size_t first = at_.place();
    for (end.step(); !end.done() && end.here() != '\n' && end.here() != close;)
      end.step();
    if (end.here() == close && !end.done()) {
      const std::size_t last = end.place() + 1;
      found_.push_back(
          {kind, first, last, std::string(at_.between(first + 1, last - 1)), close == '"'});
      at_ = end;
    }
    at_.step();
  }

  void token() {
    const char c = at_.here();
    if (is_letter(c))
      return after_word(word());
    if (is_digit(c))
      return number();
    if (c == '"' && directive_)
      return take(Include::Kind::mentioned, '"');
    if (c == '<' && directive_)
      return take(Include::Kind::mentioned, '>');
    if (c == '"' || c == '\'')
      return literal(c);
    if (c == '/' && (at_.after() == '/' || at_.after() == '*'))
      return blanks();
    at_.step();
  }

  void after_word(const std::string& name) {
    if (at_.here() == '"' &&
        (name == "R" || name == "LR" || name == "uR" || name == "UR" || name == "u8R"))
      return raw_string();
    if (name != "__has_include" && name != "__has_include_next")
      return;
    blanks();
    if (at_.here() != '(')
      return;
    at_.step();
    header();
  }

  /// With the apostrophes between its digits.
  void number() {
    while (is_digit(at_.here()) || is_letter(at_.here()) || at_.here() == '.' ||
           (at_.here() == '\'' && (is_digit(at_.after()) || is_letter(at_.after()))))
      at_.step();
  }

  /// To its end, or that of the line: an apostrophe in text that is not compiled opens nothing.
  void literal(char close) {
    at_.step();
    while (!at_.done() && at_.here() != '\n' && at_.here() != close) {
      if (at_.here() == '\\')
        at_.step();
      at_.step();
    }
    if (at_.here() == close)
      at_.step();
  }

  void raw_string() {
    const std::size_t first = at_.place() + 1;
    while (!at_.done() && at_.here() != '(' && at_.here() != '\n')
      at_.step();
    const std::string end = ")" + std::string(at_.between(first, at_.place())) + "\"";
    for (std::size_t matched = 0; !at_.done() && matched < end.size(); at_.step())
      matched = at_.here() == end[matched] ? matched + 1 : at_.here() == ')' ? 1 : 0;
  }

  Cursor at_;
  bool directive_ = false; ///< the line is one
  std::vector<Include> found_;
};

} // namespace

std::vector<Include> includes_of(std::string_view text) {
  return Scanner(text).run();
}

} // namespace gridsmith
