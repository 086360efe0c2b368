// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/space/rows.hpp"

#include "gridsmith/base/error.hpp"

#include <algorithm>
#include <numeric>

namespace gridsmith::detail {
namespace {

std::uint64_t hash_of(std::span<const Position> row) {
  std::uint64_t hash = 0;
  for (const Position position : row)
    hash = mix(hash, position);
  return hash;
}

} // namespace

RowTable::RowTable(std::size_t width, std::vector<Position> rows) : width_(width) {
  if (width == 0 || rows.size() / width >= 0xffff'ffffU)
    throw InputError("a list of configurations needs parameters and fewer than 2^32 rows");
  sort_unique(std::move(rows));
  index_ = InternTable(count_);
  const auto stored_hash = [this](std::uint32_t i) { return hash_of(row(i)); };
  const auto never = [](std::uint32_t) { return false; }; // no two rows are the same
  for (std::uint64_t i = 0; i < count_; ++i)
    index_.intern(hash_of(row(i)), never, stored_hash);
}

std::span<const Position> RowTable::row(std::uint64_t index) const {
  return {rows_.data() + index * width_, width_};
}

void RowTable::sort_unique(std::vector<Position> rows) {
  rows_ = std::move(rows);
  std::vector<std::uint32_t> order(rows_.size() / width_);
  std::iota(order.begin(), order.end(), 0U);
  const auto less = [this](std::uint32_t a, std::uint32_t b) {
    return std::ranges::lexicographical_compare(row(a), row(b));
  };
  const auto same = [this](std::uint32_t a, std::uint32_t b) {
    return std::ranges::equal(row(a), row(b));
  };
  std::ranges::sort(order, less);
  order.erase(std::unique(order.begin(), order.end(), same), order.end());
  std::vector<Position> sorted;
  sorted.reserve(order.size() * width_);
  for (const std::uint32_t i : order)
    sorted.insert(sorted.end(), row(i).begin(), row(i).end());
  rows_ = std::move(sorted);
  count_ = order.size();
}

std::optional<std::uint64_t> RowTable::find(std::span<const Position> wanted) const {
  return index_.find(hash_of(wanted),
                     [&](std::uint32_t i) { return std::ranges::equal(row(i), wanted); });
}

void RowTable::each_near(std::span<const Position> wanted,
                         const std::function<void(std::uint64_t)>& visit) const {
  const auto near = [](Position a, Position b) { return a <= b + 1 && b <= a + 1; };
  for (std::uint64_t i = 0; i < count_; ++i)
    if (std::ranges::equal(row(i), wanted, near))
      visit(i);
}

} // namespace gridsmith::detail
