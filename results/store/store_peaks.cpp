// SPDX-License-Identifier: Apache-2.0
// What devices reach, as measured on its own: of a board, whatever was tuned on it.
#include "gridsmith/results/measurement/validity.hpp"
#include "gridsmith/results/store/held.hpp"
#include "gridsmith/results/store/store.hpp"

namespace gridsmith {

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
    peaks.push_back(fields_in<Peak>(database_, statement.text(0), objection_to));
  return peaks;
}

} // namespace gridsmith
