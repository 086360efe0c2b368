// SPDX-License-Identifier: Apache-2.0
// One value of a JSON file together with where it stands, so that every complaint can say so.
#pragma once

#include "gridsmith/base/expression/expression.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

using Json = nlohmann::json;

/// A cursor into a parsed document; the document outlives it. Missing optional fields are asked for
/// with find(), which gives a field that is not present().
class JsonField {
public:
  JsonField(const Json* value, const std::filesystem::path& file, std::string path)
      : value_(value), file_(&file), path_(std::move(path)) {}

  bool present() const { return value_ && !value_->is_null(); }

  const Json& json() const { return *value_; }

  const std::string& path() const { return path_; }

  /// "file: field: what"
  std::string located(const std::string& what) const;
  /// ", found 5", cut where it is long; "" where nothing is there.
  std::string found() const;
  /// @throws InputError with located(), always.
  [[noreturn]] void fail(const std::string& what) const;

  JsonField find(std::string_view name) const;     ///< possibly not present
  JsonField required(std::string_view name) const; ///< @throws InputError when missing
  std::vector<JsonField> elements() const;         ///< of an array. @throws InputError otherwise
  /// Names of an object's fields. @throws InputError when it is no object.
  std::vector<std::string> names() const;
  /// @throws InputError naming the first field outside `valid`, with the nearest; where there are none, `none`
  void only(const std::vector<std::string>& valid, const std::string& kind = "field",
            const std::string& none = "") const;

  std::string text() const;
  std::int64_t integer() const;
  double number() const;
  Value value() const; ///< boolean, integer or real of at most 64 bits' size, string
  /// Of a number or a string; errors name field and column.
  Expression expression(Syntax syntax = Syntax::plain) const;

private:
  void check_bits() const;

  const Json* value_;
  const std::filesystem::path* file_;
  std::string path_;
};

} // namespace gridsmith
