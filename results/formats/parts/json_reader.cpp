// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/formats/parts/json_reader.hpp"

#include "gridsmith/base/json_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace gridsmith {
namespace {

constexpr unsigned replacement = 0xFFFD; // for half of a surrogate pair, which is no character

void append_utf8(std::string& out, unsigned code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

} // namespace

JsonReader::JsonReader(std::string_view text, std::string name)
    : text_(text), name_(std::move(name)) {
}

void JsonReader::fail_at(std::size_t offset, const std::string& what) const {
  const std::string_view before = text_.substr(0, std::min(offset, text_.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
  const std::string place = name_ + ":" + std::to_string(line) + ":" +
                            std::to_string(before.size() - start + 1) + ": " + what;
  if (offset >= text_.size())
    throw TruncatedJson(place);
  throw InputError(place);
}

void JsonReader::expected(const std::string& what) const {
  fail_at(at_, "expected " + what + (at_ >= text_.size() ? ", the file ends here" : ""));
}

void JsonReader::blank() {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
    ++at_;
}

char JsonReader::next() {
  blank();
  return at_ < text_.size() ? text_[at_] : '\0';
}

void JsonReader::take(char wanted, const char* what) {
  if (!take_if(wanted))
    expected(what);
}

bool JsonReader::take_if(char wanted) {
  if (next() != wanted)
    return false;
  ++at_;
  return true;
}

bool JsonReader::take_word(std::string_view word) {
  const std::string_view here = text_.substr(at_, word.size());
  if (here.size() < word.size() && word.starts_with(here)) {
    at_ = text_.size();
    expected(std::string(word));
  }
  if (here != word)
    return false;
  at_ += word.size();
  return true;
}

void JsonReader::enter() {
  if (++depth_ > deepest_nesting)
    fail_at(at_, "nested too deeply (more than " + std::to_string(deepest_nesting) + " levels)");
}

JsonReader::Kind JsonReader::peek() {
  switch (const char c = next()) {
  case '{':
    return Kind::object;
  case '[':
    return Kind::array;
  case '"':
    return Kind::string;
  case 't':
  case 'f':
    return Kind::boolean;
  case 'n':
    return Kind::null;
  default:
    if (c == '-' || c == 'N' || c == 'I' || (c >= '0' && c <= '9'))
      return Kind::number;
    expected("a value");
  }
}

std::string JsonReader::string() {
  take('"', "a string");
  std::string out;
  for (;;) {
    const std::size_t stop = text_.find_first_of("\"\\\n", at_);
    if (stop == text_.npos) {
      at_ = text_.size();
      expected("'\"'");
    }
    out.append(text_, at_, stop - at_);
    at_ = stop;
    if (text_[at_] == '\n')
      expected("'\"' before the line ends");
    if (text_[at_++] == '"')
      return out;
    escape(out);
  }
}

void JsonReader::escape(std::string& out) {
  constexpr std::string_view letters = "\"\\/bfnrt";
  constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
  if (at_ >= text_.size())
    expected("a character");
  if (const auto which = letters.find(text_[at_]); which != letters.npos) {
    out += meanings[which];
    ++at_;
    return;
  }
  if (text_[at_] != 'u')
    expected("one of \" \\ / b f n r t u after '\\'");
  ++at_;
  unsigned code = hex4();
  const auto is_low = [](unsigned half) { return half >= 0xDC00 && half < 0xE000; };
  if (code >= 0xD800 && code < 0xDC00 && take_word("\\u")) { // a surrogate pair
    const unsigned low = hex4();
    code = is_low(low) ? 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00) : replacement;
  }
  append_utf8(out, code >= 0xD800 && code < 0xE000 ? replacement : code);
}

unsigned JsonReader::hex4() {
  unsigned code = 0;
  const std::string_view digits = text_.substr(at_, 4);
  if (digits.size() < 4)
    at_ = text_.size();
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
  if (digits.size() < 4 || error != std::errc{} || end != digits.data() + 4)
    expected("four hexadecimal digits");
  at_ += 4;
  return code;
}

std::string_view JsonReader::number_text() {
  if (peek() != Kind::number)
    expected("a number");
  const std::size_t start = at_;
  while (at_ < text_.size() && std::string_view("+-.0123456789eE").find(text_[at_]) != text_.npos)
    ++at_;
  return text_.substr(start, at_ - start);
}

double JsonReader::number() {
  if (peek() != Kind::number)
    expected("a number");
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (take_word("NaN"))
    return std::numeric_limits<double>::quiet_NaN();
  if (take_word("Infinity"))
    return infinity;
  if (take_word("-Infinity"))
    return -infinity;
  const std::size_t start = at_;
  const std::string_view text = number_text();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range)
    return text.find("e-") != text.npos || text.find("E-") != text.npos ? 0.0
           : text.front() == '-'                                        ? -infinity
                                                                        : infinity;
  if (error != std::errc{} || end != text.data() + text.size())
    fail_at(at_ < text_.size() ? start : at_, "expected a number");
  return value;
}

std::int64_t JsonReader::whole_within(std::int64_t least, std::int64_t most) {
  const std::size_t start = offset();
  const double found = number();
  constexpr double beyond = 9223372036854775808.0; // 2^63, the first that is not representable
  if (found >= -beyond && found < beyond && found == std::trunc(found))
    if (const auto whole = static_cast<std::int64_t>(found); whole >= least && whole <= most)
      return whole;
  fail_at(start,
          "expected a whole number from " + std::to_string(least) + " to " + std::to_string(most));
}

Value JsonReader::scalar() {
  switch (peek()) {
  case Kind::string:
    return string();
  case Kind::boolean:
    if (take_word("true"))
      return true;
    if (take_word("false"))
      return false;
    expected("true or false");
  case Kind::number: {
    const std::size_t start = at_;
    const std::string_view text = number_text();
    std::int64_t whole = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
    if (!text.empty() && error == std::errc{} && end == text.data() + text.size())
      return whole;
    if (error == std::errc::result_out_of_range && end == text.data() + text.size())
      fail_at(start, "an integer beyond 64 bits");
    at_ = start;
    const double real = number();
    if (!std::isfinite(real))
      fail_at(start, "expected a finite value");
    return real;
  }
  default:
    expected("a number, a string, true or false");
  }
}

void JsonReader::null() {
  if (peek() != Kind::null || !take_word("null"))
    expected("null");
}

bool JsonReader::is(Kind kind) {
  const bool is_it = peek() == kind;
  if (!is_it)
    skip();
  return is_it;
}

bool JsonReader::into(std::vector<double>& out) {
  if (!is(Kind::array))
    return false;
  array([&] {
    if (double one = 0; into(one))
      out.push_back(one);
  });
  return true;
}

void JsonReader::skip() {
  switch (peek()) {
  case Kind::object:
    return object([this](const std::string&) { skip(); });
  case Kind::array:
    return array([this] { skip(); });
  case Kind::null:
    return null();
  case Kind::number:
    number();
    return;
  default:
    scalar();
  }
}

std::string_view JsonReader::raw() {
  blank();
  const std::size_t start = at_;
  skip();
  return text_.substr(start, at_ - start);
}

void JsonReader::end() {
  blank();
  if (at_ < text_.size())
    expected("the end of the file");
}

} // namespace gridsmith
