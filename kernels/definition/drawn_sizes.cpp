// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/definition/drawn_sizes.hpp"

#include "gridsmith/base/random.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <utility>

namespace gridsmith {
namespace {

using Extents = std::vector<std::int64_t>;

constexpr std::size_t tries_of_each = 64;      // before few are accepted
constexpr double beyond = std::numbers::sqrt2; // half a doubling
constexpr double largest_extent = 4.6e18;      // below 2^62: what is near it fits 64 bits
constexpr double between_beyond = 0.1;         // of the way between two sizes

class Draw {
public:
  Draw(const std::vector<Extents>& asked, std::uint64_t seed) : asked_(asked), random_(seed) {
    for (std::size_t axis = 0; axis < asked.front().size(); ++axis)
      axes_.push_back(axis_of(axis));
  }

  Extents next() {
    std::vector<double> wanted = std::exchange(between_, !between_) ? on_a_line() : in_the_box();
    Extents extents;
    for (std::size_t axis = 0; axis < axes_.size(); ++axis)
      extents.push_back(axes_[axis].as < axis ? extents[axes_[axis].as]
                        : axes_[axis].fixed   ? asked_.front()[axis]
                                              : formed(wanted[axis], axes_[axis]));
    return extents;
  }

private:
  struct Axis {
    double least, most; ///< with what is drawn beyond
    bool fixed;
    std::size_t as; ///< the first axis that always has its extents; itself
  };

  Axis axis_of(std::size_t axis) const {
    const auto same_as = [&](std::size_t other) {
      return std::all_of(asked_.begin(), asked_.end(),
                         [&](const Extents& one) { return one[axis] == one[other]; });
    };
    const auto [least, most] =
        std::minmax_element(asked_.begin(), asked_.end(),
                            [&](const Extents& a, const Extents& b) { return a[axis] < b[axis]; });
    Axis result{std::min(largest_extent, static_cast<double>((*least)[axis]) / beyond),
                std::min(largest_extent, static_cast<double>((*most)[axis]) * beyond), false, axis};
    if (asked_.size() > 1) {
      result.fixed = (*least)[axis] == (*most)[axis];
      for (result.as = 0; !same_as(result.as);)
        ++result.as;
    }
    return result;
  }

  std::vector<double> in_the_box() {
    std::vector<double> wanted;
    wanted.reserve(axes_.size());
    for (const Axis& axis : axes_)
      wanted.push_back(axis.least * std::pow(axis.most / axis.least, unit(random_)));
    return wanted;
  }

  std::vector<double> on_a_line() {
    const Extents& from = asked_[below(random_, asked_.size())];
    const Extents& to = asked_[below(random_, asked_.size())];
    const double way = unit(random_) * (1 + 2 * between_beyond) - between_beyond;
    std::vector<double> wanted;
    wanted.reserve(axes_.size());
    for (std::size_t axis = 0; axis < axes_.size(); ++axis)
      wanted.push_back(
          static_cast<double>(from[axis]) *
          std::pow(static_cast<double>(to[axis]) / static_cast<double>(from[axis]), way));
    return wanted;
  }

  /// A power of two, a multiple of 32, an odd number or twice one, where one of the kind is in the range: vectors of 4,
  /// 2 and 1 elements are valid at different ones.
  std::int64_t formed(double wanted, const Axis& axis) {
    const std::uint64_t form = below(random_, 4);
    wanted = std::clamp(wanted, std::max(1.0, axis.least), axis.most);
    double shaped = wanted;
    if (form == 0)
      shaped = std::exp2(std::round(std::log2(wanted)));
    else if (form == 1)
      shaped = 32 * std::round(wanted / 32);
    else if (form == 2)
      shaped = 2 * std::floor(wanted / 2) + 1;
    else
      shaped = 4 * std::floor(wanted / 4) + 2;
    if (!(shaped >= std::max(1.0, axis.least) && shaped <= axis.most))
      shaped = std::max(1.0, std::floor(wanted));
    return static_cast<std::int64_t>(shaped);
  }

  const std::vector<Extents>& asked_;
  Random random_;
  std::vector<Axis> axes_;
  bool between_ = false;
};

} // namespace

std::vector<Extents> drawn_sizes(const std::vector<Extents>& asked, std::size_t count,
                                 std::uint64_t seed,
                                 const std::function<bool(const Extents&)>& accepts) {
  Draw draw(asked, seed);
  std::set<Extents> seen(asked.begin(), asked.end());
  std::vector<Extents> drawn;
  for (std::size_t tries = 0; drawn.size() < count && tries < count * tries_of_each; ++tries)
    if (Extents one = draw.next(); seen.insert(one).second && accepts(one))
      drawn.push_back(std::move(one));
  return drawn;
}

} // namespace gridsmith
