// SPDX-License-Identifier: Apache-2.0
// The search space: all configurations that satisfy the constraints, built by constraint solving
// and kept in a form that counts exactly, reaches any configuration by its index, and never needs
// the full product.
#pragma once

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/random.hpp"
#include "gridsmith/base/value.hpp"
#include "gridsmith/search/compile/constraint.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gridsmith {

/// Index of a configuration in its space: 0 … size()-1, in an order that depends only on parameters
/// and constraints (that of their positions in the list, for a space built from rows).
using ConfigurationId = std::uint64_t;

/// What one constraint did.
struct ConstraintReport {
  std::string text;
  double removed = 0;       ///< configurations of the product that this constraint alone forbids
  bool always_true = false; ///< it never removes anything
  bool never_true = false;  ///< no configuration can satisfy it
  /// A division by zero, or other undefined arithmetic, was met at least once; it counts as "not
  /// satisfied".
  bool division_by_zero = false;
};

/// How far the building of a space is.
struct SpaceProgress {
  /// Of the parameters that belong together and are at hand: the part looked at, 0 to 1. It moves
  /// as unevenly as constraints cut.
  double part = 0;
};

/// Asked every few milliseconds while a space is built, in the thread that builds it; false ends it.
using SpaceWatch = std::function<bool(const SpaceProgress&)>;

/// The watch ended the building.
class SpaceNotBuilt : public Error {
public:
  SpaceNotBuilt() : Error("the search space was not built to its end") {}
};

enum class Neighbourhood {
  hamming,  ///< one parameter differs, any value
  adjacent, ///< one parameter moves to the next or previous value of its list
  one_step, ///< every parameter moves by at most one position, at least one moves
};

class SearchSpace {
public:
  /// @param facts names the constraints may use besides the parameters.
  /// @throws InputError: unknown name (column, nearest), duplicate parameter or value, empty value
  /// list. An unsatisfiable set is not an error: the space is empty and conflict_set() names a
  /// small unsatisfiable subset. NumberTooLarge: a constraint has no answer for a configuration
  /// that all others allow. SpaceNotBuilt
  static SearchSpace build(std::vector<Parameter> parameters,
                           std::vector<Constraint> constraints = {}, const Bindings& facts = {},
                           const SpaceWatch& watch = {});

  /// The space of exactly these configurations (a recording whose constraints are unknown); rows of
  /// value positions, duplicates dropped.
  static SearchSpace from_rows(std::vector<Parameter> parameters,
                               std::vector<std::vector<Position>> rows);

  ~SearchSpace();
  SearchSpace(SearchSpace&&) noexcept;
  SearchSpace& operator=(SearchSpace&&) noexcept;

  const std::vector<Parameter>& parameters() const;
  /// Number of valid configurations, exact (below 2^63; @throws InputError beyond).
  std::uint64_t size() const;
  /// Number of configurations of the full product.
  double product() const;

  /// Value positions of a configuration, one per parameter.
  /// @pre id < size(), out.size() == parameters().size()
  void positions(ConfigurationId id, std::span<Position> out) const;
  std::optional<ConfigurationId> find(std::span<const Position> positions) const;

  /// Value positions of the configurations first … last-1, one row of parameters().size() after
  /// the other; to the end when `last` is beyond it.
  std::vector<Position> list(ConfigurationId first = 0,
                             ConfigurationId last = ~std::uint64_t{0}) const;

  Configuration at(ConfigurationId id) const;
  /// By name and value; nothing when a name is missing, a value is not in its list, or a constraint
  /// forbids it.
  std::optional<ConfigurationId> find(const Configuration& configuration) const;

  /// Neighbours in the space, without `id` itself, ascending.
  std::vector<ConfigurationId> neighbours(ConfigurationId id, Neighbourhood kind) const;
  /// `count` different configurations, uniform and in random order; all of them when there are no
  /// more.
  std::vector<ConfigurationId> sample(std::size_t count, Random& random) const;

  /// One line per reason why a configuration is not in the space; empty when it is.
  std::vector<std::string> why_not(const Configuration& configuration) const;
  /// One entry per constraint, in the order given; found out when first asked for, which may take
  /// as long as building. @throws SpaceNotBuilt
  const std::vector<ConstraintReport>& report(const SpaceWatch& watch = {}) const;
  /// When the space is empty: the texts of a small set of constraints that cannot hold together.
  /// As report().
  const std::vector<std::string>& conflict_set(const SpaceWatch& watch = {}) const;

private:
  struct Impl;
  explicit SearchSpace(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace gridsmith
