// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/space/space.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/search/space/explain.hpp"
#include "gridsmith/search/space/graph.hpp"
#include "gridsmith/search/space/rows.hpp"
#include "gridsmith/search/space/solver.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <numeric>
#include <thread>
#include <unordered_set>

namespace gridsmith {

struct SearchSpace::Impl {
  detail::SpaceDefinition definition;
  detail::ConfigurationGraph graph;
  std::optional<detail::RowTable> rows; ///< in place of the graph, for listed configurations
  std::vector<std::uint32_t> conflict;  ///< constraints, when nothing is left

  mutable std::once_flag reported, minimised; // both are wanted rarely
  mutable std::vector<ConstraintReport> report;
  mutable std::vector<std::string> conflict_set;
};

namespace {

constexpr std::size_t few_values = 16;            // up to here every pair is compared
constexpr std::uint64_t rows_per_thread = 50'000; // listing fewer is quicker than starting a thread

[[noreturn]] void refuse_twice(const Parameter& parameter, const Value& value) {
  throw InputError("parameter '" + parameter.name + "' lists the value " + to_text(value) +
                   " twice");
}

void check_long_list(const Parameter& parameter) {
  std::unordered_set<std::string> texts;
  std::unordered_set<double> numbers;
  for (const Value& value : parameter.values) {
    const auto* text = std::get_if<std::string>(&value);
    if (!(text ? texts.insert(*text).second : numbers.insert(to_number(value)).second))
      refuse_twice(parameter, value);
  }
}

void check(const std::vector<Parameter>& parameters) {
  for (const Parameter& parameter : parameters) {
    const std::vector<Value>& values = parameter.values;
    if (values.empty())
      throw InputError("parameter '" + parameter.name + "' has no values");
    if (values.size() > std::numeric_limits<Position>::max())
      throw InputError("parameter '" + parameter.name + "' has more than 65535 values");
    if (values.size() > few_values) {
      check_long_list(parameter);
      continue;
    }
    for (std::size_t a = 1; a < values.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (same_value(values[a], values[b]))
          refuse_twice(parameter, values[a]);
  }
}

/// Uniform in 0 … bound-1 by the remainder. Not base's below(), so that a seed keeps drawing the
/// sample that it always drew.
std::uint64_t remainder_below(Random& random, std::uint64_t bound) {
  const std::uint64_t limit = bound * (std::numeric_limits<std::uint64_t>::max() / bound);
  std::uint64_t draw = random();
  while (draw >= limit)
    draw = random();
  return draw % bound;
}

} // namespace

SearchSpace::SearchSpace(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {
}

SearchSpace::~SearchSpace() = default;
SearchSpace::SearchSpace(SearchSpace&&) noexcept = default;
SearchSpace& SearchSpace::operator=(SearchSpace&&) noexcept = default;

SearchSpace SearchSpace::build(std::vector<Parameter> parameters,
                               std::vector<Constraint> constraints, const Bindings& facts,
                               const SpaceWatch& watch) {
  check(parameters);
  auto impl = std::make_unique<Impl>();
  impl->definition = {std::move(parameters), std::move(constraints), facts};
  std::vector<std::uint32_t> all(impl->definition.constraints.size());
  std::iota(all.begin(), all.end(), 0U);
  detail::Solution solution = detail::solve(impl->definition, all, watch);
  impl->graph = std::move(solution.graph);
  impl->conflict = std::move(solution.conflict);
  return SearchSpace(std::move(impl));
}

SearchSpace SearchSpace::from_rows(std::vector<Parameter> parameters,
                                   std::vector<std::vector<Position>> rows) {
  check(parameters);
  auto impl = std::make_unique<Impl>();
  std::vector<Position> flat;
  flat.reserve(rows.size() * parameters.size());
  for (const std::vector<Position>& row : rows) {
    bool fits = row.size() == parameters.size();
    for (std::size_t i = 0; fits && i < row.size(); ++i)
      fits = row[i] < parameters[i].values.size();
    if (!fits)
      throw InputError("a listed configuration does not fit the parameters");
    flat.insert(flat.end(), row.begin(), row.end());
  }
  impl->rows.emplace(parameters.size(), std::move(flat));
  impl->definition.parameters = std::move(parameters);
  return SearchSpace(std::move(impl));
}

const std::vector<Parameter>& SearchSpace::parameters() const {
  return impl_->definition.parameters;
}

std::uint64_t SearchSpace::size() const {
  const std::uint64_t count = impl_->rows ? impl_->rows->count() : impl_->graph.count();
  if (count > std::uint64_t{1} << 63)
    throw InputError("the search space has more than 2^63 configurations");
  return count;
}

double SearchSpace::product() const {
  double product = 1;
  for (const Parameter& parameter : impl_->definition.parameters)
    product *= static_cast<double>(parameter.values.size());
  return product;
}

void SearchSpace::positions(ConfigurationId id, std::span<Position> out) const {
  if (impl_->rows) {
    std::ranges::copy(impl_->rows->row(id), out.begin());
    return;
  }
  std::ranges::fill(out, Position{0}); // what a parameter of one value has
  impl_->graph.positions(id, out);
}

std::optional<ConfigurationId> SearchSpace::find(std::span<const Position> positions) const {
  if (impl_->rows)
    return impl_->rows->find(positions);
  for (std::size_t i = 0; i < positions.size(); ++i)
    if (positions[i] >= impl_->definition.parameters[i].values.size())
      return std::nullopt;
  return impl_->graph.find(positions);
}

Configuration SearchSpace::at(ConfigurationId id) const {
  std::vector<Position> row(impl_->definition.parameters.size());
  positions(id, row);
  Configuration configuration;
  configuration.reserve(row.size());
  for (std::size_t i = 0; i < row.size(); ++i)
    configuration.emplace_back(impl_->definition.parameters[i].name,
                               impl_->definition.parameters[i].values[row[i]]);
  return configuration;
}

std::optional<ConfigurationId> SearchSpace::find(const Configuration& configuration) const {
  std::vector<Position> row;
  row.reserve(impl_->definition.parameters.size());
  for (const Parameter& parameter : impl_->definition.parameters) {
    const Value* value = find_value(configuration, parameter.name);
    if (!value)
      return std::nullopt;
    const auto same = [&](const Value& listed) { return same_value(listed, *value); };
    const auto found = std::ranges::find_if(parameter.values, same);
    if (found == parameter.values.end())
      return std::nullopt;
    row.push_back(static_cast<Position>(found - parameter.values.begin()));
  }
  return find(row);
}

std::vector<ConfigurationId> SearchSpace::neighbours(ConfigurationId id, Neighbourhood kind) const {
  std::vector<Position> row(impl_->definition.parameters.size());
  positions(id, row);
  std::vector<ConfigurationId> found;
  if (kind == Neighbourhood::one_step) {
    const auto keep = [&](std::uint64_t other) {
      if (other != id)
        found.push_back(other);
    };
    impl_->rows ? impl_->rows->each_near(row, keep) : impl_->graph.each_near(row, keep);
    return found;
  }
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::size_t own = row[i], values = impl_->definition.parameters[i].values.size();
    const bool any = kind == Neighbourhood::hamming;
    const std::size_t first = any || own == 0 ? 0 : own - 1;
    const std::size_t last = any ? values : std::min(values, own + 2);
    for (std::size_t v = first; v < last; ++v) {
      row[i] = static_cast<Position>(v);
      if (const auto other = v == own ? std::nullopt : find(row))
        found.push_back(*other);
    }
    row[i] = static_cast<Position>(own);
  }
  std::ranges::sort(found);
  return found;
}

std::vector<ConfigurationId> SearchSpace::sample(std::size_t count, Random& random) const {
  const std::uint64_t total = size();
  LazyShuffle rest(total); // of the configurations counted from the last one
  std::vector<ConfigurationId> drawn(std::min<std::uint64_t>(count, total));
  for (ConfigurationId& id : drawn)
    id = total - 1 - rest.take(rest.left() - 1 - remainder_below(random, rest.left()));
  return drawn;
}

std::vector<std::string> SearchSpace::why_not(const Configuration& configuration) const {
  std::vector<std::string> reasons = detail::why_not(impl_->definition, configuration);
  if (reasons.empty() && impl_->rows && !find(configuration))
    reasons.emplace_back("it is not among the configurations listed");
  return reasons;
}

const std::vector<ConstraintReport>& SearchSpace::report(const SpaceWatch& watch) const {
  std::call_once(impl_->reported,
                 [&] { impl_->report = detail::report_of(impl_->definition, watch); });
  return impl_->report;
}

const std::vector<std::string>& SearchSpace::conflict_set(const SpaceWatch& watch) const {
  std::call_once(impl_->minimised, [&] {
    impl_->conflict_set = detail::smallest_conflict(impl_->definition, impl_->conflict, watch);
  });
  return impl_->conflict_set;
}

std::vector<Position> SearchSpace::list(ConfigurationId first, ConfigurationId last) const {
  const std::size_t width = impl_->definition.parameters.size();
  last = std::min<ConfigurationId>(last, size());
  first = std::min(first, last);
  if (impl_->rows) {
    const Position* rows = impl_->rows->row(0).data();
    return {rows + first * width, rows + last * width};
  }
  std::vector<Position> out((last - first) * width);
  Position* const begin = out.data();
  const std::uint64_t cores = std::max(1U, std::thread::hardware_concurrency());
  const std::uint64_t parts = std::clamp<std::uint64_t>((last - first) / rows_per_thread, 1, cores);
  const auto part = [&](std::uint64_t i) {
    const std::uint64_t from = (last - first) * i / parts, to = (last - first) * (i + 1) / parts;
    impl_->graph.list(first + from, first + to, std::vector<Position>(width), begin + from * width);
  };
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t i = 1; i < parts; ++i)
      threads.emplace_back(part, i);
    part(0);
  }
  return out;
}

} // namespace gridsmith
