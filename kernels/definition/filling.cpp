// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/definition/filling.hpp"

#include "gridsmith/kernels/inputs/element_bits.hpp"
#include "gridsmith/kernels/inputs/fill.hpp"

#include <cstring>
#include <utility>

namespace gridsmith {

Filling filling_of(const BufferSpec& spec, std::uint64_t seed, std::uint64_t number) {
  const bool sparse = spec.fill == Fill::csr_offsets || spec.fill == Fill::csr_columns;
  Filling filling{.type = spec.type, .fill = spec.fill, .numbers = spec.numbers};
  filling.elements = spec.elements;
  filling.seed = seed;
  filling.stream = sparse ? spec.structure : number;
  filling.content = spec.content ? static_cast<const void*>(spec.content->data())
                                 : static_cast<const void*>(spec.program.data());
  filling.instructions = spec.program.size();
  if (spec.fill == Fill::zipf)
    prepare_zipf(filling);
  return filling;
}

FilledBuffer::FilledBuffer(BufferSpec spec, std::uint64_t seed, std::uint64_t number)
    : spec_(std::make_shared<const BufferSpec>(std::move(spec))),
      filling_(std::make_shared<const Filling>(filling_of(*spec_, seed, number))) {
}

std::uint64_t FilledBuffer::bits(std::uint64_t index) const {
  return filled_bits(*filling_, index);
}

double FilledBuffer::value(std::uint64_t index) const {
  return value_of_bits(spec_->type, bits(index));
}

std::string FilledBuffer::bytes() const {
  const std::size_t width = size_of(spec_->type);
  std::string all(spec_->elements * width, '\0');
  for (std::uint64_t i = 0; i < spec_->elements; ++i) {
    const std::uint64_t element = bits(i);
    std::memcpy(&all[i * width], &element, width); // little-endian, as the device
  }
  return all;
}

double filled_value(const BufferSpec& spec, std::uint64_t seed, std::uint64_t number,
                    std::uint64_t index) {
  return value_of_bits(spec.type, filled_bits(filling_of(spec, seed, number), index));
}

} // namespace gridsmith
