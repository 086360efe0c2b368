// SPDX-License-Identifier: Apache-2.0
// How the content of a letter is written.
#pragma once

#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/tuner/mpi/letter.hpp"

namespace gridsmith {

template <Fielded T>
Bytes content_of(const T& value) {
  return nlohmann::json::to_cbor(to_fields(value, Fields::all));
}

/// @throws ProtocolError naming what is wrong
template <Fielded T>
T read_content(const Bytes& content) {
  try {
    T value;
    read_fields(json_of_cbor(content.data(), content.data() + content.size()), value, Fields::all);
    return value;
  } catch (const std::exception& error) {
    throw ProtocolError(std::string("not a letter: ") + error.what());
  }
}

} // namespace gridsmith
