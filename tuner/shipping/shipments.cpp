// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/shipping/shipments.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/file.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/results/formats/header.hpp"
#include "gridsmith/tuner/inspection/exported_definition.hpp"

#include <fmt/format.h>

namespace gridsmith {

std::vector<Shipment> shipments_in(const std::filesystem::path& file, const HoldingChoice& choice,
                                   const Installation& installation) {
  const std::string text = is_store(file) ? "" : read_unpacked(file);
  try {
    if (!is_store(file))
      return read_header(text);
    std::vector<Export> exports;
    for (const Holding& one : newest(chosen(holdings_of(file), choice)))
      if (one.best_ms)
        exports.push_back(one.load());
    add_definitions(exports, {}, installation);
    return shipments_of(exports);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", printable(file.string()), error.what()));
  }
}

} // namespace gridsmith
