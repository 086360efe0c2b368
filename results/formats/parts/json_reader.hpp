// SPDX-License-Identifier: Apache-2.0
// A pull reader for the JSON of other programs: no tree in between, so a file of 60 MB costs its
// text and the rows kept. Python's NaN and Infinity are numbers; a key may occur twice; every error
// names file, line and column. Not a general JSON library: nlohmann::json is, and parses what raw()
// gives.
#pragma once

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/value.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace gridsmith {

/// The text ended in the middle of a value.
class TruncatedJson : public InputError {
public:
  using InputError::InputError;
};

class JsonReader {
public:
  enum class Kind { object, array, string, number, boolean, null };

  /// @param text outlives the reader. @param name of the file, for errors.
  JsonReader(std::string_view text, std::string name);

  /// Kind of the value that comes next; nothing is consumed.
  Kind peek();

  /// Calls member(key) for each member in turn; it must consume the value.
  template <class Member>
  void object(Member&& member);
  /// Calls element() for each element in turn; it must consume the value.
  template <class Element>
  void array(Element&& element);

  std::string string();
  /// NaN and the infinities too.
  double number();
  /// @throws InputError for what is not whole, or not within least … most.
  template <std::integral T>
  T whole(T least = std::numeric_limits<T>::min(), T most = std::numeric_limits<T>::max());
  /// A boolean, a finite number or a string. @throws InputError for an integer beyond 64 bits.
  Value scalar();
  void null();

  /// Takes the value where it is of the kind of `out`; any other is passed over, and `out` stays: false.
  bool into(std::string& out) { return is(Kind::string) && (out = string(), true); }

  bool into(bool& out) { return is(Kind::boolean) && (out = std::get<bool>(scalar()), true); }

  bool into(double& out) { return is(Kind::number) && (out = number(), true); }

  /// @throws InputError for a number that is negative or not whole.
  bool into(int& out) { return is(Kind::number) && (out = whole<int>(0), true); }

  /// Appends the numbers of an array, and passes over what else is in it.
  bool into(std::vector<double>& out);
  /// The same for the member of this name that a list has: list(visit) calls visit(name, out) for each. What is
  /// constant there is only written. False where there is none: nothing is consumed.
  template <class List>
  bool listed(const std::string& key, List&& list);

  /// Consumes any value.
  void skip();
  /// Consumes any value and gives its text.
  std::string_view raw();
  /// Nothing but white space may follow.
  void end();

  /// Of the value that comes next.
  std::size_t offset() {
    blank();
    return at_;
  }

  /// Goes to an offset() taken before a value.
  void seek(std::size_t offset) {
    at_ = offset;
    depth_ = 0;
  }

  /// "name:line:column: <what>", at an offset; @throws InputError
  [[noreturn]] void fail_at(std::size_t offset, const std::string& what) const;
  /// "name:line:column: expected <what>", here. @throws InputError, or TruncatedJson at the end.
  [[noreturn]] void expected(const std::string& what) const;

private:
  bool is(Kind kind);
  void blank();
  char next();
  void take(char wanted, const char* what);
  bool take_if(char wanted);
  bool take_word(std::string_view word);
  void enter();

  void leave() { --depth_; }

  void escape(std::string& out);
  unsigned hex4();
  std::string_view number_text();
  std::int64_t whole_within(std::int64_t least, std::int64_t most);

  std::string_view text_;
  std::string name_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

template <std::integral T>
T JsonReader::whole(T least, T most) {
  return static_cast<T>(whole_within(least, most));
}

template <class List>
bool JsonReader::listed(const std::string& key, List&& list) {
  bool found = false;
  list([&](const char* name, auto& out) {
    if constexpr (!std::is_const_v<std::remove_reference_t<decltype(out)>>)
      if (!found && key == name) {
        found = true;
        into(out);
      }
  });
  return found;
}

template <class Member>
void JsonReader::object(Member&& member) {
  enter();
  take('{', "an object");
  if (!take_if('}')) {
    do {
      const std::string key = string();
      take(':', "':'");
      member(key);
    } while (take_if(','));
    take('}', "',' or '}'");
  }
  leave();
}

template <class Element>
void JsonReader::array(Element&& element) {
  enter();
  take('[', "an array");
  if (!take_if(']')) {
    do
      element();
    while (take_if(','));
    take(']', "',' or ']'");
  }
  leave();
}

} // namespace gridsmith
