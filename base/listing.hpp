// SPDX-License-Identifier: Apache-2.0
// What is said of each of several things, once: the table for people (text, Markdown) and the objects for programs
// (JSON) are made of one list of fields. Sentences around a table are no part of it.
#pragma once

#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/base/text_table.hpp"

#include <concepts>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace gridsmith {

/// One value, as people and as programs read it.
struct Cell {
  using Json = nlohmann::ordered_json;

  Cell(std::string in_text, Json in_json) : text(std::move(in_text)), json(std::move(in_json)) {}

  /// Both of a word, a configuration or a number (number_text()), or of none of them: "" and null. Anything else has
  /// no text.
  template <typename T>
  Cell(const T& value) {
    if constexpr (fields::is_optional<T>) {
      if (value)
        *this = Cell(*value);
    } else if constexpr (std::is_same_v<T, Configuration>) {
      *this = {to_text(value), object_of(value)};
    } else if constexpr (std::is_enum_v<T>) {
      *this = Cell(to_text(value));
    } else {
      json = value;
      if constexpr (std::is_convertible_v<const T&, std::string_view>)
        text = std::string_view(value);
      else if constexpr (std::floating_point<T>)
        text = number_text(value);
      else if constexpr (std::integral<T> && !std::is_same_v<T, bool>)
        text = std::to_string(value);
    }
  }

  std::string text;
  Json json;
};

/// The fields of a `Row`, in the order of the table's columns and of the object's members.
template <typename Row>
class Listing {
public:
  using Of = std::function<Cell(const Row&)>;

  struct Field {
    Field(std::string in_json, Column in_table, Of value)
        : key(std::move(in_json)), column(std::move(in_table)), of(std::move(value)) {}

    /// In the table alone.
    Field(Column in_table, Of value) : column(std::move(in_table)), of(std::move(value)) {}

    /// In JSON alone.
    Field(std::string in_json, Of value) : key(std::move(in_json)), of(std::move(value)) {}

    std::string key;
    std::optional<Column> column;
    Of of;
  };

  Listing(std::initializer_list<Field> fields) : fields_(fields) {}

  /// Behind the others.
  void add(Field field) { fields_.push_back(std::move(field)); }

  /// @param rows a range
  template <typename Rows>
  Table table(Rows&& rows) const {
    std::vector<Column> columns;
    for (const Field& field : fields_)
      if (field.column)
        columns.push_back(*field.column);
    Table table(std::move(columns));
    for (const Row& row : rows) {
      std::vector<std::string> cells;
      for (const Field& field : fields_)
        if (field.column)
          cells.push_back(field.of(row).text);
      table.add(std::move(cells));
    }
    return table;
  }

  /// An array with an object for each. @param rows a range
  template <typename Rows>
  Cell::Json json(Rows&& rows) const {
    Cell::Json list = Cell::Json::array();
    for (const Row& row : rows)
      list.push_back(object(row));
    return list;
  }

  Cell::Json object(const Row& row) const {
    Cell::Json object = Cell::Json::object();
    for (const Field& field : fields_)
      if (!field.key.empty())
        object[field.key] = field.of(row).json;
    return object;
  }

private:
  std::vector<Field> fields_;
};

} // namespace gridsmith
