// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/definition/filling.hpp"

#include "gridsmith/kernels/inputs/element_bits.hpp"
#include "gridsmith/kernels/inputs/fill.hpp"

#include <cstring>
#include <utility>

namespace gridsmith {

Filling filling_of(const BufferSpec& spec, DataSeed seed, std::uint64_t number) {
  const bool sparse = spec.fill == Fill::csr_offsets || spec.fill == Fill::csr_columns;
  Filling filling{.type = spec.type, .fill = spec.fill, .numbers = spec.numbers};
  filling.elements = spec.elements;
  filling.seed = seed.seed;
  filling.change = seed.change;
  filling.stream = sparse ? spec.structure : number;
  filling.content = spec.content ? static_cast<const void*>(spec.content->data())
                                 : static_cast<const void*>(spec.program.data());
  filling.instructions = spec.program.size();
  if (spec.fill == Fill::zipf)
    prepare_zipf(filling);
  return filling;
}

/// The fillings point into the specifications and to each other.
struct FilledBuffer::Made {
  BufferSpec spec;
  std::vector<BufferSpec> read = {};
  std::vector<Filling> sources = {};
  Filling filling = {};
};

FilledBuffer::FilledBuffer(BufferSpec spec, DataSeed seed, std::uint64_t number) {
  const auto made = std::make_shared<Made>(Made{.spec = std::move(spec)});
  made->filling = filling_of(made->spec, seed, number);
  made_ = made;
}

FilledBuffer::FilledBuffer(const std::vector<ArgumentSpec>& arguments, DataSeed seed,
                           std::uint64_t number) {
  const auto made = std::make_shared<Made>(Made{.spec = *arguments[number].buffer});
  for (const std::uint64_t source : made->spec.reads)
    made->read.push_back(*arguments[source].buffer);
  for (std::size_t i = 0; i < made->read.size(); ++i)
    made->sources.push_back(filling_of(made->read[i], seed, made->spec.reads[i]));
  made->filling = filling_of(made->spec, seed, number);
  made->filling.sources = made->sources.empty() ? nullptr : made->sources.data();
  made_ = made;
}

std::uint64_t FilledBuffer::bits(std::uint64_t index) const {
  return filled_bits(made_->filling, index);
}

double FilledBuffer::value(std::uint64_t index) const {
  return value_of_bits(made_->spec.type, bits(index));
}

std::string FilledBuffer::bytes() const {
  const std::size_t width = size_of(made_->spec.type);
  std::string all(made_->spec.elements * width, '\0');
  for (std::uint64_t i = 0; i < made_->spec.elements; ++i) {
    const std::uint64_t element = bits(i);
    std::memcpy(&all[i * width], &element, width); // little-endian, as the device
  }
  return all;
}

double filled_value(const BufferSpec& spec, DataSeed seed, std::uint64_t number,
                    std::uint64_t index) {
  return value_of_bits(spec.type, filled_bits(filling_of(spec, seed, number), index));
}

} // namespace gridsmith
