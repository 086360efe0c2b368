// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/shipping/shipments.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/file.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/results/formats/header.hpp"
#include "gridsmith/tuner/inspection/exported_definition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace gridsmith {
namespace {

bool is_by_time(const Shipment& one) {
  return one.objective == objective_name({});
}

} // namespace

std::vector<Shipment> shipments_in(const std::filesystem::path& file, const HoldingChoice& choice,
                                   const Installation& installation) {
  const std::string text = is_store(file) ? "" : read_unpacked(file);
  try {
    if (!is_store(file))
      return read_header(text);
    std::vector<Export> exports;
    for (const Holding& one :
         newest_by_objective(with_older_answers(chosen(holdings_of(file), choice))))
      if (one.best_ms)
        exports.push_back(one.load());
    add_definitions(exports, {}, installation);
    return shipments_of(exports);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", printable(file.string()), error.what()));
  }
}

std::vector<Shipment> shipments_to_check(const std::filesystem::path& file,
                                         const Installation& installation) {
  std::vector<Shipment> shipped = shipments_in(file, {}, installation);
  if (is_store(file)) {
    if (std::any_of(shipped.begin(), shipped.end(), is_by_time))
      std::erase_if(shipped, std::not_fn(is_by_time)); // no header that would lose them
    return shipped;
  }
  for (const Shipment& one : shipped)
    if (one.identifier != shipped.front().identifier)
      throw InputError(fmt::format(
          "{}: ships for {} and {}; retune needs a header of one device ('gridsmith export header "
          "--device')",
          printable(file.string()), shipped.front().identifier, one.identifier));
  return shipped;
}

} // namespace gridsmith
