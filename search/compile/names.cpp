// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/compile/names.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/named.hpp"

#include <algorithm>
#include <set>

namespace gridsmith::detail {
namespace {

void collect(const ExpressionNode& node, std::set<std::string_view>& names) {
  if (node.kind == NodeKind::name)
    names.insert(node.text);
  for (const ExpressionNode* child = node.first; child; child = child->next)
    collect(*child, names);
}

} // namespace

Names::Names(const std::vector<Parameter>& parameters, const Bindings& facts)
    : parameters_(parameters), facts_(facts) {
  index_.reserve(parameters.size());
  for (std::uint32_t i = 0; i < parameters.size(); ++i)
    index_.emplace_back(parameters[i].name, i);
  std::ranges::sort(index_);
  for (std::size_t i = 1; i < index_.size(); ++i)
    if (index_[i].first == index_[i - 1].first)
      throw InputError("parameter '" + std::string(index_[i].first) + "' is defined twice");
}

const std::uint32_t* Names::find_parameter(std::string_view name) const {
  const auto found = std::ranges::lower_bound(index_, name, {},
                                              &std::pair<std::string_view, std::uint32_t>::first);
  return found != index_.end() && found->first == name ? &found->second : nullptr;
}

const Value* Names::find_fact(std::string_view name) const {
  if (facts_.empty())
    return nullptr;
  const auto found = facts_.find(std::string(name));
  return found == facts_.end() ? nullptr : &found->second;
}

void Names::unknown(const ExpressionNode& node, const Constraint& constraint) const {
  std::vector<std::string> choices = names_in(parameters_);
  for (const auto& [fact, value] : facts_)
    choices.push_back(fact);
  throw InputError("constraint '" + constraint.text + "', column " + std::to_string(node.column) +
                   ": " + unknown_name("name", node.text, choices));
}

Lookup Names::lookup(std::span<const Position> positions) const {
  return [this, positions](std::string_view wanted) -> const Value* {
    if (const std::uint32_t* parameter = find_parameter(wanted))
      return &parameters_[*parameter].values[positions[*parameter]];
    return find_fact(wanted);
  };
}

std::string Names::values_text(const ExpressionNode& node,
                               std::span<const Position> positions) const {
  std::set<std::string_view> names;
  collect(node, names);
  std::string text;
  for (const std::string_view name : names)
    if (const std::uint32_t* parameter = find_parameter(name))
      text += (text.empty() ? "" : ", ") + std::string(name) + "=" +
              to_text(parameters_[*parameter].values[positions[*parameter]]);
  return text;
}

} // namespace gridsmith::detail
