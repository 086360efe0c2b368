// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/inputs/fill_fields.hpp"

#include <array>

namespace gridsmith {
namespace {

using Numbers = FillNumbers;

constexpr FillField to_all{"Value", &Numbers::value, {}};
constexpr FillField from{"From", &Numbers::from, {}}, to{"To", &Numbers::to, {}};
constexpr std::array constant{to_all};
constexpr std::array range{from, to};
constexpr std::array steps{FillField{"From", &Numbers::from, 0.0},
                           FillField{"Step", &Numbers::step, 1.0}};
constexpr std::array normal{FillField{"Mean", &Numbers::mean, 0.0},
                            FillField{"Deviation", &Numbers::deviation, 1.0}};
constexpr std::array zipf{to, FillField{"Exponent", &Numbers::exponent, {}}};
constexpr std::array csr{
    FillField{"Rows", &Numbers::rows, {}}, FillField{"Columns", &Numbers::columns, {}},
    FillField{"Density", &Numbers::density, {}}, FillField{"Skew", &Numbers::skew, 0.0}};

} // namespace

std::span<const FillField> fill_fields(Fill fill) {
  switch (fill) {
  case Fill::constant:
    return constant;
  case Fill::uniform:
  case Fill::sorted:
    return range;
  case Fill::sequence:
  case Fill::permutation:
    return steps;
  case Fill::normal:
    return normal;
  case Fill::zipf:
    return zipf;
  case Fill::csr_offsets:
  case Fill::csr_columns:
    return csr;
  default:
    return {};
  }
}

} // namespace gridsmith
