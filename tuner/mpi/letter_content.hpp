// How the content of a letter is written.
#pragma once

#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/tuner/mpi/letter.hpp"

namespace gridsmith {

template <Fielded T>
Bytes content_of(const T& value) {
  return nlohmann::json::to_cbor(to_fields(value, Fields::all));
}

template <Fielded T>
T read_content(const Bytes& content) {
  T value;
  read_fields(nlohmann::json::from_cbor(content), value, Fields::all);
  return value;
}

} // namespace gridsmith
