// SPDX-License-Identifier: Apache-2.0
// Element types and fills as words, for files, messages and people: the headers that the device shares
// cannot hold them.
#pragma once

#include "gridsmith/base/words.hpp"
#include "gridsmith/kernels/inputs/element_type.hpp"
#include "gridsmith/kernels/inputs/fill_kind.hpp"

namespace gridsmith {

template <>
struct Words<ElementType> {
  static constexpr std::string_view kind = "element type";
  static constexpr std::array<std::string_view, 11> list{"float16", "float32", "float64", "int8",
                                                         "uint8",   "int16",   "uint16",  "int32",
                                                         "uint32",  "int64",   "uint64"};
};

template <>
struct Words<Fill> {
  static constexpr std::string_view kind = "fill";
  static constexpr std::array<std::string_view, 12> list{
      "constant", "random", "uniform",     "sequence",    "permutation", "sorted",
      "normal",   "zipf",   "csr_offsets", "csr_columns", "expression",  "file"};
};

} // namespace gridsmith
