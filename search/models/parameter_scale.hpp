// Configurations as points of the unit cube, for models that measure distance: logarithms of
// numbers that span a range, since work and time are products of powers of them, and one axis per
// value of a text.
#pragma once

#include "gridsmith/search/space/space.hpp"

#include <cstddef>
#include <vector>

namespace gridsmith {

class ParameterScale {
public:
  /// @param space outlives it.
  explicit ParameterScale(const SearchSpace& space);

  /// Number of axes; parameters with one value have none.
  std::size_t axes() const { return axes_; }

  /// Writes axes() coordinates, each 0 … 1.
  void point(ConfigurationId id, double* out) const;

private:
  struct Axis {
    std::size_t parameter = 0;
    std::vector<double> coordinate; ///< by value position
  };

  void add_axes(std::size_t parameter);

  const SearchSpace* space_;
  std::vector<Axis> table_;
  std::size_t axes_ = 0;
  mutable std::vector<Position> positions_;
};

} // namespace gridsmith
