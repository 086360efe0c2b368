// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/influence/pairs.hpp"

#include <algorithm>
#include <string>

namespace gridsmith {
namespace {

std::size_t place_of(const Value& value, const Parameter& parameter) {
  const auto& values = parameter.values;
  const auto found = std::find_if(values.begin(), values.end(),
                                  [&](const Value& one) { return same_value(one, value); });
  return static_cast<std::size_t>(found - values.begin());
}

} // namespace

std::vector<std::size_t> places_of(const Parameter& parameter,
                                   const std::vector<const Measurement*>& rows) {
  std::vector<std::size_t> places;
  for (const Measurement* row : rows) {
    const Value* value = find_value(row->configuration, parameter.name);
    places.push_back(value ? place_of(*value, parameter) : parameter.values.size());
  }
  return places;
}

Pairs pairs_of(const Parameter& parameter, const std::vector<std::size_t>& places,
               const std::vector<const Measurement*>& rows) {
  std::map<std::string, std::vector<std::size_t>> rows_of;
  for (std::size_t row = 0; row < rows.size(); ++row)
    if (places[row] < parameter.values.size())
      rows_of[to_text(rows[row]->configuration.without(parameter.name))].push_back(row);
  Pairs pairs;
  for (const auto& [rest, equal] : rows_of)
    for (const std::size_t a : equal)
      for (const std::size_t b : equal)
        if (places[a] < places[b])
          pairs[{places[a], places[b]}].emplace_back(a, b);
  return pairs;
}

} // namespace gridsmith
