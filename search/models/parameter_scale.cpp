#include "gridsmith/search/models/parameter_scale.hpp"

#include <algorithm>
#include <cmath>

namespace gridsmith {
namespace {

/// Numbers on a logarithmic scale where they are positive (log2(1 + x) where 0 is among them), as
/// they are where some are negative; then to 0 … 1. Empty when a value is a text.
std::vector<double> numbers_on_scale(const std::vector<Value>& values) {
  std::vector<double> numbers;
  for (const Value& value : values)
    numbers.push_back(to_number(value));
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  if (std::any_of(numbers.begin(), numbers.end(), [](double x) { return !std::isfinite(x); }))
    return {};
  const double lowest = *least;
  if (lowest >= 0 && *most > 1)
    for (double& number : numbers)
      number = std::log2(lowest > 0 ? number : 1 + number);
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  const double from = *low, width = *high - *low;
  for (double& number : numbers)
    number = width > 0 ? (number - from) / width : 0;
  return numbers;
}

} // namespace

ParameterScale::ParameterScale(const SearchSpace& space)
    : space_(&space), positions_(space.parameters().size()) {
  for (std::size_t p = 0; p < space.parameters().size(); ++p)
    if (space.parameters()[p].values.size() > 1)
      add_axes(p);
  axes_ = table_.size();
}

void ParameterScale::add_axes(std::size_t parameter) {
  const std::vector<Value>& values = space_->parameters()[parameter].values;
  if (auto scaled = numbers_on_scale(values); !scaled.empty()) {
    table_.push_back({parameter, std::move(scaled)});
    return;
  }
  for (std::size_t v = values.size() == 2 ? 1 : 0; v < values.size(); ++v) {
    std::vector<double> is_this(values.size(), 0.0);
    is_this[v] = 1;
    table_.push_back({parameter, std::move(is_this)});
  }
}

void ParameterScale::point(ConfigurationId id, double* out) const {
  space_->positions(id, positions_);
  for (std::size_t a = 0; a < table_.size(); ++a)
    out[a] = table_[a].coordinate[positions_[table_[a].parameter]];
}

} // namespace gridsmith
