#include "gridsmith/search/space/rows.hpp"

#include "gridsmith/base/error.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace gridsmith::detail {

RowTable::RowTable(std::size_t width, std::vector<Position> rows) : width_(width) {
  if (width == 0 || rows.size() / width >= 0xffff'ffffU)
    throw InputError("a list of configurations needs parameters and fewer than 2^32 rows");
  sort_unique(std::move(rows));
  index();
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

std::uint64_t RowTable::slot_of(std::span<const Position> row) const {
  std::uint64_t hash = 0x9e37'79b9'7f4a'7c15U; // 2^64 / golden ratio, as in Fibonacci hashing
  for (const Position position : row)
    hash = std::rotl(hash ^ position, 23) * 0x9e37'79b9'7f4a'7c15U;
  return (hash >> 20) & (slots_.size() - 1);
}

void RowTable::index() {
  slots_.assign(std::bit_ceil(2 * count_ + 2), 0);
  for (std::uint64_t i = 0; i < count_; ++i) {
    std::uint64_t slot = slot_of(row(i));
    while (slots_[slot] != 0)
      slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = static_cast<std::uint32_t>(i + 1);
  }
}

std::optional<std::uint64_t> RowTable::find(std::span<const Position> wanted) const {
  for (std::uint64_t slot = slot_of(wanted); slots_[slot] != 0;
       slot = (slot + 1) & (slots_.size() - 1))
    if (std::ranges::equal(row(slots_[slot] - 1), wanted))
      return slots_[slot] - 1;
  return std::nullopt;
}

void RowTable::each_near(std::span<const Position> wanted,
                         const std::function<void(std::uint64_t)>& visit) const {
  const auto near = [](Position a, Position b) { return a <= b + 1 && b <= a + 1; };
  for (std::uint64_t i = 0; i < count_; ++i)
    if (std::ranges::equal(row(i), wanted, near))
      visit(i);
}

} // namespace gridsmith::detail
