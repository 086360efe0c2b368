// Built-in host references: what the catalogue's kernels must compute, in double, slowly and
// plainly. For tests at small sizes, for spot checks of a reference kernel's answer at single
// elements, and for definitions without a reference kernel. Nothing here touches a GPU.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// Element of an input. Inputs are the vector arguments that are not outputs, numbered from 0 in
/// their order.
using HostInput = std::function<double(std::size_t input, std::uint64_t element)>;
/// Extents of the problem; a reference of several extents takes one extent as the square case.
using Extents = std::span<const std::int64_t>;

struct HostReference {
  std::string name;    ///< the word of the definition
  std::string summary; ///< what input 0, 1, … and the extents are
  std::size_t extents = 1;
  /// Elements of the (one) output.
  std::function<std::uint64_t(Extents)> elements;
  /// Output element `index` alone, accumulated in double. @pre index < elements(extents)
  std::function<double(const HostInput&, Extents, std::uint64_t index)> element;
  /// The whole output. Integers are exact (below 2^53).
  std::function<std::vector<double>(const HostInput&, Extents)> whole;
};

/// The visible table.
const std::vector<HostReference>& host_references();
/// @throws InputError with the nearest name.
const HostReference& find_host_reference(std::string_view name);

} // namespace gridsmith
