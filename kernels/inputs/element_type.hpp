// SPDX-License-Identifier: Apache-2.0
// Types of elements. The host and the worker's device code share this text, so that both number the
// types alike: nothing here needs the standard library.
#pragma once

namespace gridsmith {

enum class ElementType {
  float16,
  float32,
  float64,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64
};

/// In bytes.
constexpr decltype(sizeof 0) size_of(ElementType type) {
  switch (type) {
  case ElementType::int8:
  case ElementType::uint8:
    return 1;
  case ElementType::float16:
  case ElementType::int16:
  case ElementType::uint16:
    return 2;
  case ElementType::float32:
  case ElementType::int32:
  case ElementType::uint32:
    return 4;
  default:
    return 8;
  }
}

constexpr bool is_real(ElementType type) {
  return type == ElementType::float16 || type == ElementType::float32 ||
         type == ElementType::float64;
}

constexpr bool is_signed_integer(ElementType type) {
  return type == ElementType::int8 || type == ElementType::int16 || type == ElementType::int32 ||
         type == ElementType::int64;
}

} // namespace gridsmith
