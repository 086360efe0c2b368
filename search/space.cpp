#include "search/space.hpp"

#include "search/error.hpp"
#include "search/space_rows.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <unordered_map>

namespace gridsmith {

using detail::RowTable;

struct SearchSpace::Impl {
  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints;
  Bindings facts;
  std::optional<RowTable> rows;
  std::vector<ConstraintReport> report;
  std::vector<std::string> clash;
};

namespace {

void check(const std::vector<Parameter>& parameters) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto& [name, values] = parameters[i];
    if (values.empty())
      throw InputError("parameter '" + name + "' has no values");
    for (std::size_t j = 0; j < i; ++j)
      if (parameters[j].name == name)
        throw InputError("parameter '" + name + "' is defined twice");
    for (std::size_t a = 0; a < values.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (same_value(values[a], values[b]))
          throw InputError("parameter '" + name + "' lists the value " + to_text(values[a]) +
                           " twice");
  }
}

std::uint64_t below(std::uint64_t bound, Random& random) {
  const std::uint64_t limit = bound * (~std::uint64_t{0} / bound);
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
                               std::vector<Constraint> constraints, const Bindings& facts) {
  check(parameters);
  auto impl = std::make_unique<Impl>();
  const std::size_t n = parameters.size();
  std::vector<std::vector<const Constraint*>> at_level(n + 1);
  for (const Constraint& constraint : constraints) {
    std::size_t level = 0;
    for (const std::string& name : constraint.expression.names()) {
      std::size_t i = 0;
      while (i < n && parameters[i].name != name)
        ++i;
      if (i == n && !facts.contains(name)) {
        std::vector<std::string> choices;
        for (const Parameter& parameter : parameters)
          choices.push_back(parameter.name);
        for (const auto& [key, value] : facts)
          choices.push_back(key);
        throw InputError("constraint '" + constraint.text + "', column " +
                         std::to_string(constraint.expression.column_of(name)) + ": " +
                         unknown_name("name", name, choices));
      }
      level = std::max(level, i == n ? 0 : i);
    }
    at_level[level].push_back(&constraint);
    impl->report.push_back({constraint.text});
  }
  std::vector<Position> row(n), rows;
  std::size_t depth = 0;
  const Lookup lookup = [&](std::string_view name) -> const Value* {
    for (std::size_t i = 0; i <= depth && i < n; ++i)
      if (parameters[i].name == name)
        return &parameters[i].values[row[i]];
    const auto found = facts.find(std::string(name));
    return found == facts.end() ? nullptr : &found->second;
  };
  const auto holds = [&](const Constraint* constraint) {
    try {
      return is_true(constraint->expression.evaluate(lookup));
    } catch (const EvaluationError&) {
      return false;
    }
  };
  const auto descend = [&](auto&& self, std::size_t level) -> void {
    if (level == n) {
      rows.insert(rows.end(), row.begin(), row.end());
      return;
    }
    for (std::size_t v = 0; v < parameters[level].values.size(); ++v) {
      row[level] = static_cast<Position>(v);
      depth = level;
      if (std::ranges::all_of(at_level[level], holds))
        self(self, level + 1);
    }
  };
  descend(descend, 0);
  impl->rows.emplace(n, std::move(rows));
  impl->parameters = std::move(parameters);
  impl->constraints = std::move(constraints);
  impl->facts = facts;
  return SearchSpace(std::move(impl));
}

SearchSpace SearchSpace::from_rows(std::vector<Parameter> parameters,
                                   std::vector<std::vector<Position>> rows) {
  check(parameters);
  auto impl = std::make_unique<Impl>();
  std::vector<Position> flat;
  flat.reserve(rows.size() * parameters.size());
  for (const std::vector<Position>& row : rows)
    flat.insert(flat.end(), row.begin(), row.end());
  impl->rows.emplace(parameters.size(), std::move(flat));
  impl->parameters = std::move(parameters);
  return SearchSpace(std::move(impl));
}

const std::vector<Parameter>& SearchSpace::parameters() const {
  return impl_->parameters;
}

std::uint64_t SearchSpace::size() const {
  return impl_->rows->count();
}

double SearchSpace::product() const {
  double product = 1;
  for (const Parameter& parameter : impl_->parameters)
    product *= static_cast<double>(parameter.values.size());
  return product;
}

void SearchSpace::positions(ConfigurationId id, std::span<Position> out) const {
  std::ranges::copy(impl_->rows->row(id), out.begin());
}

std::optional<ConfigurationId> SearchSpace::find(std::span<const Position> positions) const {
  return impl_->rows->find(positions);
}

Configuration SearchSpace::at(ConfigurationId id) const {
  std::vector<Position> row(impl_->parameters.size());
  positions(id, row);
  Configuration configuration;
  for (std::size_t i = 0; i < row.size(); ++i)
    configuration.emplace_back(impl_->parameters[i].name, impl_->parameters[i].values[row[i]]);
  return configuration;
}

std::optional<ConfigurationId> SearchSpace::find(const Configuration& configuration) const {
  std::vector<Position> row;
  for (const Parameter& parameter : impl_->parameters) {
    const Value* value = find_value(configuration, parameter.name);
    if (!value)
      return std::nullopt;
    std::size_t v = 0;
    while (v < parameter.values.size() && !same_value(parameter.values[v], *value))
      ++v;
    if (v == parameter.values.size())
      return std::nullopt;
    row.push_back(static_cast<Position>(v));
  }
  return find(row);
}

std::vector<ConfigurationId> SearchSpace::neighbours(ConfigurationId id, Neighbourhood kind) const {
  std::vector<Position> row(impl_->parameters.size());
  positions(id, row);
  std::vector<ConfigurationId> found;
  if (kind == Neighbourhood::one_step) {
    impl_->rows->each_near(row, [&](std::uint64_t other) {
      if (other != id)
        found.push_back(other);
    });
    return found;
  }
  for (std::size_t i = 0; i < row.size(); ++i) {
    const Position own = row[i];
    for (std::size_t v = 0; v < impl_->parameters[i].values.size(); ++v) {
      if (v == own || (kind == Neighbourhood::adjacent && v + 1 != own && v != own + 1U))
        continue;
      row[i] = static_cast<Position>(v);
      if (const auto other = find(row))
        found.push_back(*other);
    }
    row[i] = own;
  }
  std::ranges::sort(found);
  return found;
}

std::vector<ConfigurationId> SearchSpace::sample(std::size_t count, Random& random) const {
  // A shuffle of 0 … size()-1 that stops after `count` and remembers only what moved.
  const std::uint64_t total = size();
  const std::uint64_t wanted = std::min<std::uint64_t>(count, total);
  std::unordered_map<std::uint64_t, std::uint64_t> moved;
  const auto at = [&](std::uint64_t i) {
    const auto found = moved.find(i);
    return found == moved.end() ? i : found->second;
  };
  std::vector<ConfigurationId> drawn;
  drawn.reserve(wanted);
  for (std::uint64_t i = 0; i < wanted; ++i) {
    const std::uint64_t j = i + below(total - i, random);
    drawn.push_back(at(j));
    moved[j] = at(i);
  }
  return drawn;
}

std::vector<std::string> SearchSpace::why_not(const Configuration& configuration) const {
  std::vector<std::string> reasons;
  for (const Constraint& constraint : impl_->constraints) {
    Bindings all = impl_->facts;
    for (const auto& [name, value] : configuration)
      all[name] = value;
    try {
      if (!is_true(constraint.expression.evaluate(all)))
        reasons.push_back("constraint '" + constraint.text + "' is not satisfied");
    } catch (const EvaluationError& error) {
      reasons.emplace_back(error.what());
    }
  }
  return reasons;
}

const std::vector<ConstraintReport>& SearchSpace::report() const {
  return impl_->report;
}

const std::vector<std::string>& SearchSpace::clash() const {
  return impl_->clash;
}

} // namespace gridsmith
