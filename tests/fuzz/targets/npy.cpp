// SPDX-License-Identifier: Apache-2.0
// The head of a .npy file.
#include "gridsmith/kernels/inputs/npy.hpp"

#include "gridsmith/tests/fuzz/fuzz.hpp"

namespace gridsmith::fuzz::npy {

void run(const std::uint8_t* bytes, std::size_t count) {
  answered([&] {
    const NpyHead head = read_npy_head(text_of(bytes, count));
    require(head.bytes <= count && head.bytes <= longest_npy_head, "the head ends beyond the file");
    std::uint64_t elements = 1;
    for (const std::uint64_t extent : head.shape)
      elements *= extent;
    require(elements == head.elements, "the elements are not the shape's");
    require(elements <= ~std::uint64_t{0} / size_of(head.type), "the bytes are beyond 64 bits");
  });
}

} // namespace gridsmith::fuzz::npy
