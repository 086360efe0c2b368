#include "gridsmith/results/measurement/problem_distance.hpp"

#include <charconv>
#include <cmath>
#include <limits>

namespace gridsmith {

std::vector<std::int64_t> extents_of(std::string_view problem) {
  std::vector<std::int64_t> extents;
  const char* at = problem.data();
  const char* const end = at + problem.size();
  while (at < end) {
    std::int64_t extent = 0;
    const auto [stop, error] = std::from_chars(at, end, extent);
    const bool more = stop < end;
    if (error != std::errc{} || extent <= 0 || (more && (*stop != 'x' || stop + 1 == end)))
      return {};
    extents.push_back(extent);
    at = stop + (more ? 1 : 0);
  }
  return extents;
}

double problem_distance(std::string_view a, std::string_view b) {
  if (a == b)
    return 0;
  const auto left = extents_of(a);
  const auto right = extents_of(b);
  if (left.empty() || left.size() != right.size())
    return std::numeric_limits<double>::infinity();
  double distance = 0;
  for (std::size_t i = 0; i < left.size(); ++i)
    distance += std::abs(std::log2(static_cast<double>(left[i]) / static_cast<double>(right[i])));
  return distance;
}

} // namespace gridsmith
