// SPDX-License-Identifier: Apache-2.0
// What the tables of a store hold as JSON, read back. Internal to the store.
#pragma once

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/results/database/database.hpp"

#include <exception>
#include <string>

namespace gridsmith {

/// What is stored was written by us: JSON that does not fit means a damaged store. @throws InputError
template <typename Read>
auto held_in(const Database& database, const std::string& text, const Read& read) {
  try {
    return read(json_of_text(text));
  } catch (const std::exception& error) {
    throw InputError(database.name() + ": the store is damaged: " + plain_text(error));
  }
}

/// Who replaced a store's rows by what nothing could have measured is not believed.
/// @param objection to what was read; "": there is none. @throws InputError
template <typename T>
T fields_in(const Database& database, const std::string& text, std::string (*objection)(const T&)) {
  return held_in(database, text, [&](const nlohmann::json& json) {
    T held;
    read_fields(json, held);
    if (const std::string why = objection(held); !why.empty())
      throw InputError(why);
    return held;
  });
}

} // namespace gridsmith
