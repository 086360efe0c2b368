// SPDX-License-Identifier: Apache-2.0
// Hand-made records for the tests of this room.
#pragma once

#include "gridsmith/results/formats/formats.hpp"
#include "gridsmith/tests/files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace gridsmith {

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

/// What the call says when it fails; "nothing" when it does not.
template <class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing";
}

inline Measurement sample_measurement(std::int64_t tile, bool padded, double ms) {
  Measurement row;
  row.configuration = {{"tile", tile},
                       {"padded", padded},
                       {"scale", 0.5 * static_cast<double>(tile)},
                       {"mode", std::string("a,\"b\"")}};
  row.status = Status::correct;
  row.times_ms = {ms, ms * 1.5, ms * 0.75};
  row.geometry = {
      {256, 512, 1}, {static_cast<int>(std::clamp<std::int64_t>(tile, 1, 128)), 8, 1}, 4096};
  row.compile_facts = CompileFacts{32, 1056, 16, 8, 12, 360, 1024, 1};
  row.counters = {{"dram__bytes_read.sum", 268435456.0}, {"sm__warps_active.avg", 0.1 + ms}};
  row.sm_clock_mhz = 1980;
  row.spent.compile_ms = 141.25;
  row.spent.gpu_ms = 3.5;
  row.spent.verify_ms = 1.5;
  row.spent.time_ms = 2.25;
  row.spent.count_ms = 12.125;
  row.when = "2026-11-21T08:00:00Z";
  return row;
}

inline Measurement sample_failure(std::int64_t tile, Status status, const std::string& reason) {
  Measurement row;
  row.configuration = sample_measurement(tile, false, 1).configuration;
  row.status = status;
  row.reason = reason;
  row.when = "2026-11-21T08:00:01Z";
  return row;
}

inline Device sample_device(const std::string& name = "NVIDIA H200", int capability = 90) {
  Device device;
  device.name = name;
  device.uuid = "GPU-1";
  device.chip = "GH100";
  device.compute_capability = capability;
  device.sm_count = 132;
  device.max_block_extent[0] = 1024;
  device.max_grid_extent[0] = 2147483647;
  device.peak_dram_gb_per_s = 4814.5;
  device.driver_version = "580.159";
  device.toolkit_version = "13.0";
  return device;
}

inline Recording sample_recording() {
  Recording recording;
  recording.format = "gridsmith";
  recording.kernel = "transpose";
  recording.problem = "8192x8192";
  recording.date = "2026-11-21T08:00:00Z";
  recording.conditions = "cold L2 cache, counters: default";
  recording.device = sample_device();
  recording.parameters = {{"tile", {std::int64_t{16}, std::int64_t{32}}},
                          {"padded", {false, true}},
                          {"scale", {8.0, 16.0}},
                          {"mode", {std::string("a,\"b\"")}}};
  recording.measurements = {sample_measurement(16, false, 0.25),
                            sample_measurement(32, true, 0.125), sample_measurement(16, true, 0.1)};
  recording.measurements[2].pruned_early = true;
  recording.measurements.push_back(
      sample_failure(32, Status::compile, "error: too many \"resources\", line 3"));
  return recording;
}

/// In one of the formats that are written.
inline std::string text_as(const std::string& format, const Recording& recording) {
  const Export exported{recording, std::nullopt};
  return export_text(export_format(format), {&exported, 1});
}

} // namespace gridsmith
