// What a search space holds, shared by the two files that implement it.
#pragma once

#include "gridsmith/search/space/space.hpp"
#include "gridsmith/search/space/graph.hpp"
#include "gridsmith/search/space/rows.hpp"

#include <mutex>

namespace gridsmith {

struct SearchSpace::Impl {
  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints;
  Bindings facts;
  detail::ConfigurationGraph graph;
  std::optional<detail::RowTable> rows; ///< in place of the graph, where there are no constraints
  std::vector<std::uint32_t> to_blame;  ///< constraints, when nothing is left

  mutable std::once_flag reported, clashed;
  mutable std::vector<ConstraintReport> report;
  mutable std::vector<std::string> clash;

  void make_report() const;
  void make_clash() const;
  std::string reason(const Constraint& constraint, const Bindings& all) const;
};

} // namespace gridsmith
