// SPDX-License-Identifier: Apache-2.0
// Gridsmith.Let: names for parts of expressions. Each stands for its text in brackets, wherever a definition has an
// expression.
#pragma once

#include "gridsmith/kernels/reading/json_field.hpp"

#include <map>
#include <string>
#include <vector>

namespace gridsmith {

class NamedParts {
public:
  NamedParts() = default;
  /// They may use each other. @throws InputError: no name, or one of the language; no expression; a circle
  explicit NamedParts(const JsonField& let);

  /// Of a field, with its parts in place; errors of what is written there name its own column.
  Expression expression(const JsonField& field, Syntax syntax) const;
  /// A text with its parts in place. @throws InputError at the field: it is too long then
  std::string in_place(const JsonField& field, const std::string& text) const;

  /// Their names, and what they stand for.
  const std::map<std::string, std::string>& texts() const { return texts_; }

private:
  void define(const JsonField& let, const std::string& name, std::vector<std::string>& path);

  std::map<std::string, std::string> texts_;
};

} // namespace gridsmith
