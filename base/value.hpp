// SPDX-License-Identifier: Apache-2.0
// A value of a parameter or of an expression: boolean, integer, real or string.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gridsmith {

using Value = std::variant<bool, std::int64_t, double, std::string>;

/// As Python's str() writes it, which is what the field's files hold: True, 16, 0.5, text.
std::string to_text(const Value& value);

/// As it is handed to the compiler after -DNAME=: true, 16, 0.5, text.
std::string to_macro(const Value& value);

/// Number of a value (true is 1); a string is NaN.
double to_number(const Value& value);

/// Equality as expressions see it: 1 == 1.0 == True; a string only equals a string.
bool same_value(const Value& a, const Value& b);

/// "16, 32, … 7 more": at most so many of them.
std::string values_text(std::span<const Value> values, std::size_t most = SIZE_MAX);

/// One tunable: a name and its allowed values, in the order of the definition.
struct Parameter {
  std::string name;
  std::vector<Value> values; ///< at least one, no two the same
};

/// One value per parameter, in the order of the space's parameters. Two are equal if they have the same values
/// (same_value()) by the same names, in any order.
class Configuration {
public:
  using Entry = std::pair<std::string, Value>;
  using value_type = Entry;

  Configuration() = default;

  Configuration(std::initializer_list<Entry> entries) : entries_(entries) {}

  template <std::input_iterator Iterator>
  Configuration(Iterator first, Iterator last) : entries_(first, last) {}

  auto begin() const { return entries_.begin(); }

  auto end() const { return entries_.end(); }

  auto begin() { return entries_.begin(); }

  auto end() { return entries_.end(); }

  std::size_t size() const { return entries_.size(); }

  bool empty() const { return entries_.empty(); }

  const Entry& operator[](std::size_t place) const { return entries_[place]; }

  Entry& operator[](std::size_t place) { return entries_[place]; }

  const Entry& front() const { return entries_.front(); }

  Entry& back() { return entries_.back(); }

  void reserve(std::size_t size) { entries_.reserve(size); }

  template <typename Name, typename Held>
  Entry& emplace_back(Name&& name, Held&& value) {
    return entries_.emplace_back(std::forward<Name>(name), std::forward<Held>(value));
  }

  /// All but this one's.
  Configuration without(const std::string& name) const;

  bool operator==(const Configuration& other) const;

private:
  std::vector<Entry> entries_;
};

/// "block_size_x=32 block_size_y=8": what people see and what the store uses as a key.
std::string to_text(const Configuration& configuration);

/// The value of `name`, or nullptr.
const Value* find_value(const Configuration& configuration, const std::string& name);

/// How many values of `one` the other has not.
std::size_t differences(const Configuration& one, const Configuration& other);

/// Each parameter and value that is not there yet comes last.
void add_values(const Configuration& configuration, std::vector<Parameter>& parameters);

} // namespace gridsmith

template <>
struct std::hash<gridsmith::Configuration> {
  std::size_t operator()(const gridsmith::Configuration& configuration) const;
};
