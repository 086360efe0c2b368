// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/session/device_peaks.hpp"

#include "gridsmith/results/store/store.hpp"
#include "gridsmith/tuner/gpu/device_list.hpp"
#include "gridsmith/tuner/gpu/gpu_lock.hpp"
#include "gridsmith/tuner/gpu/gpu_users.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <fmt/format.h>

#include <vector>

namespace gridsmith {
MeasuredPeaks measure_peaks(int number, const std::optional<std::filesystem::path>& file,
                            const HelperSettings& helpers, const std::stop_token& stop,
                            const PeakListener& listener) {
  const auto& programs = helpers.installation.programs;
  const Device device = query_devices(programs).at(number);
  std::optional<Store> store;
  if (file)
    store.emplace(Store::open(*file, Store::Mode::read_write));
  const GpuLease lease(device, helpers.share, listener.note, stop);
  const std::vector<std::string> beside = other_users(programs, device.uuid);
  MeasuredPeaks found = run_peaks(device, helpers, listener.progress, stop);
  for (Peak& peak : found.peaks) {
    if (!lease.alone())
      peak.conditions += ", with another Gridsmith on the GPU";
    else if (!beside.empty())
      peak.conditions += fmt::format(", with {} on the GPU", fmt::join(beside, ", "));
  }
  if (store)
    store->keep_peaks(device, found.peaks);
  return found;
}

} // namespace gridsmith
