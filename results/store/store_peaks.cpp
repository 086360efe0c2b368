// SPDX-License-Identifier: Apache-2.0
// What devices reach, as measured on its own: of a board, whatever was tuned on it.
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/results/measurement/validity.hpp"
#include "gridsmith/results/store/store.hpp"

#include <exception>

namespace gridsmith {
namespace {

/// What is stored was written by us, else the store is damaged.
Peak peak_in(const Database& database, const std::string& text) {
  std::string objection;
  try {
    Peak peak;
    read_fields(json_of_text(text), peak);
    objection = objection_to(peak);
    if (objection.empty())
      return peak;
  } catch (const std::exception& error) {
    objection = plain_text(error);
  }
  throw InputError(database.name() + ": the store is damaged: " + objection);
}

} // namespace

void Store::keep_peaks(const Device& device, const Peaks& peaks) {
  Transaction transaction(database_);
  for (const Peak& peak : peaks) {
    Statement statement = database_.prepare("INSERT OR REPLACE INTO peaks(device_name, "
                                            "device_uuid, name, peak) VALUES(?1,?2,?3,?4)");
    statement.bind(1, device.name)
        .bind(2, device.uuid)
        .bind(3, peak.name)
        .bind(4, json_text(to_fields(peak)));
    statement.step();
  }
  transaction.commit();
}

Peaks Store::kept_peaks(const Device& device) const {
  Statement statement = database_.prepare("SELECT peak FROM peaks WHERE device_name = ?1 AND "
                                          "device_uuid = ?2 ORDER BY rowid");
  statement.bind(1, device.name).bind(2, device.uuid);
  Peaks peaks;
  while (statement.step())
    peaks.push_back(peak_in(database_, statement.text(0)));
  return peaks;
}

} // namespace gridsmith
