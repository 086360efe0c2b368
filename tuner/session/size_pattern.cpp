// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/session/size_pattern.hpp"

#include "gridsmith/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace gridsmith {
namespace {

constexpr std::int64_t largest_around = std::int64_t{1} << 60; // twice of it fits

/// The text, front to back; nothing where what is wanted does not come next.
class Reader {
public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool accept(std::string_view wanted) {
    const bool there = rest_.starts_with(wanted);
    rest_.remove_prefix(there ? wanted.size() : 0);
    return there;
  }

  /// Above 0.
  bool number(std::int64_t& value) {
    const auto [stop, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
    return error == std::errc{} && value > 0;
  }

  bool range(ExtentRange& range) {
    if (!number(range.first))
      return false;
    range.last = range.first;
    if (!accept(".."))
      return true;
    if (!number(range.last) || !accept(":"))
      return false;
    range.times = accept("x");
    return (range.times || accept("+")) && number(range.step);
  }

  bool at_end() const { return rest_.empty(); }

private:
  std::string_view rest_;
};

void check(const SizePattern& pattern, std::string_view text) {
  for (const ExtentRange& range : pattern.extents) {
    const auto fail = [&](const std::string& what) {
      throw InputError(fmt::format("'{}': {}", text, what));
    };
    if (range.first > range.last)
      fail(fmt::format("the range ends at {}, before it begins at {}", range.last, range.first));
    if (range.times && range.step < 2)
      fail("a range is multiplied by 2 or more");
    if (pattern.around && range.first > largest_around)
      fail(fmt::format("twice of {} is too large", range.first));
  }
}

std::int64_t length_of(const ExtentRange& range) {
  if (range.step == 0)
    return 1;
  if (!range.times)
    return (range.last - range.first) / range.step + 1;
  std::int64_t length = 1;
  for (std::int64_t last = range.last / range.step; last >= range.first; last /= range.step)
    ++length;
  return length;
}

std::vector<std::int64_t> values_of(const ExtentRange& range) {
  std::vector<std::int64_t> values{range.first};
  for (std::int64_t left = length_of(range) - 1; left > 0; --left)
    values.push_back(range.times ? values.back() * range.step : values.back() + range.step);
  return values;
}

std::vector<ProblemSize> grid_of(const std::vector<ExtentRange>& extents) {
  std::vector<ProblemSize> grid{{}};
  for (const ExtentRange& range : extents) {
    std::vector<ProblemSize> longer;
    for (const ProblemSize& begun : grid)
      for (const std::int64_t extent : values_of(range)) {
        longer.push_back(begun);
        longer.back().extents.push_back(extent);
      }
    grid = std::move(longer);
  }
  return grid;
}

/// Itself, then what each extent alone may become and what all may together.
std::vector<ProblemSize> neighbours_of(const ProblemSize& size) {
  using Change = std::int64_t (*)(std::int64_t);
  constexpr Change alone_too[] = {[](std::int64_t extent) { return extent / 2; },
                                  [](std::int64_t extent) { return extent * 2; },
                                  [](std::int64_t extent) { return extent + 1; }};
  constexpr Change together[] = {[](std::int64_t extent) { return extent - 1; },
                                 [](std::int64_t extent) { return extent + extent / 2; },
                                 // Odd, and one above a multiple of a warp.
                                 [](std::int64_t extent) { return (extent / 32 + 1) * 32 + 1; }};
  std::vector<ProblemSize> all{size};
  const auto add = [&](Change change, std::size_t first, std::size_t count) {
    ProblemSize changed = size;
    for (std::size_t i = first; i < first + count; ++i)
      changed.extents[i] = std::max<std::int64_t>(1, change(size.extents[i]));
    if (std::find(all.begin(), all.end(), changed) == all.end())
      all.push_back(changed);
  };
  const std::size_t extents = size.extents.size();
  for (std::size_t i = 0; i < extents; ++i)
    for (const Change change : alone_too)
      add(change, i, 1);
  for (const Change change : alone_too)
    add(change, 0, extents);
  for (const Change change : together)
    add(change, 0, extents);
  return all;
}

} // namespace

std::optional<SizePattern> size_pattern(std::string_view text) {
  constexpr std::size_t most_extents = 3;
  Reader reader(text);
  SizePattern pattern;
  pattern.around = reader.accept("around:");
  do {
    if (!reader.range(pattern.extents.emplace_back()))
      return std::nullopt;
  } while (reader.accept("x"));
  const bool ranged = std::any_of(pattern.extents.begin(), pattern.extents.end(),
                                  [](const ExtentRange& range) { return range.step > 0; });
  if (!reader.at_end() || pattern.extents.size() > most_extents || (pattern.around && ranged))
    return std::nullopt;
  check(pattern, text);
  return pattern;
}

double count_of(const SizePattern& pattern) {
  double count = 1;
  for (const ExtentRange& range : pattern.extents)
    count *= static_cast<double>(length_of(range));
  return pattern.around ? static_cast<double>(sizes_of(pattern, 0).size()) : count;
}

std::vector<ProblemSize> sizes_of(const SizePattern& pattern, std::size_t extents) {
  std::vector<ProblemSize> sizes = grid_of(pattern.extents);
  if (pattern.around)
    return neighbours_of(sizes.front());
  const bool equal = pattern.extents.size() == 1 && pattern.extents.front().step > 0;
  for (ProblemSize& size : sizes)
    if (equal && extents > 1)
      size.extents.assign(extents, size.extents.front());
  return sizes;
}

} // namespace gridsmith
