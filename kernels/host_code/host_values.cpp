// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/host_code/host_values.hpp"

#include "gridsmith/kernels/host_code/host_value_reader.hpp"

#include <algorithm>

namespace gridsmith {

const HostValues::Said* HostValues::said(const std::string& name, std::size_t place) const {
  const bool known = std::any_of(said_.begin(), said_.end(),
                                 [&](const auto& one) { return one.first.name == name; });
  const auto found = known ? said_.find(names_.variable(name, place)) : said_.end();
  return found == said_.end() ? nullptr : &found->second;
}

std::optional<HostValue> HostValues::value(std::span<const Token> expression, std::size_t place,
                                           const std::optional<HostValue>& block) const {
  if (expression.empty())
    return std::nullopt;
  return Reader(*this, block).whole_of(expression, std::min(place, tokens_.size()), 0);
}

} // namespace gridsmith
