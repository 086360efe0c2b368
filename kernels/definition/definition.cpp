#include "gridsmith/kernels/definition/definition.hpp"

namespace gridsmith {

std::size_t size_of(ElementType type) {
  /// In the order of ElementType.
  constexpr std::array<std::size_t, 11> bytes{2, 4, 8, 1, 1, 2, 2, 4, 4, 8, 8};
  return bytes.at(static_cast<std::size_t>(type));
}

} // namespace gridsmith
