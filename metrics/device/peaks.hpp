// SPDX-License-Identifier: Apache-2.0
// What a device was measured to reach. Measurements, not facts: each has a date and conditions, and
// belongs to one board. The words that peaks are known by are listed here.
#pragma once

#include "gridsmith/base/fields.hpp"
#include "gridsmith/metrics/device/device.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

struct Peak {
  std::string name; ///< a word of peak_words
  double value = 0;
  std::string unit;        ///< "GB/s"
  std::string date;        ///< UTC, ISO 8601
  std::string conditions;  ///< "L2 flushed, 1.07 GB buffers, median of 11"
  std::string device_uuid; ///< the board
};

using Peaks = std::vector<Peak>;

/// A peak that can be measured. Units: GB is 10^9 bytes; a multiply-add is two GFLOP but one Gop.
struct PeakWord {
  std::string_view name, unit;
  std::string_view bounds; ///< what it is, and so what it bounds
};

inline constexpr std::array<PeakWord, 28> peak_words = {{
    {"copy", "GB/s", "device-to-device copy, bytes read + written in DRAM"},
    {"dram_read", "GB/s", "reading far more than the L2 holds"},
    {"dram_write", "GB/s", "writing far more than the L2 holds"},
    {"l2_read", "GB/s", "reading a quarter of the L2 again and again past the L1"},
    {"l1_read", "GB/s", "reading 16 KiB of global memory again and again, all SMs"},
    {"shared_read", "GB/s", "conflict-free 128-bit loads of shared memory, all SMs"},
    {"fp32_fma", "GFLOP/s", "float multiply-adds"},
    {"fp64_fma", "GFLOP/s", "double multiply-adds"},
    {"fp16_fma", "GFLOP/s", "half2 multiply-adds, without tensor cores"},
    {"tensor_fp16", "GFLOP/s", "mma.sync of halves with float sums; wgmma and tcgen05 reach more"},
    {"integer_mad", "Gop/s", "32-bit integer multiply-adds"},
    {"special_function", "Gop/s", "ex2 and rsqrt approximations"},
    {"instruction_issue", "G/s", "warp instructions, float multiply-adds among integer operations"},
    {"shared_latency", "ns", "of one dependent load of shared memory"},
    {"shared_latency_cycles", "cycles", "the same in SM cycles"},
    {"l1_latency", "ns", "of one dependent load that hits the L1"},
    {"l1_latency_cycles", "cycles", "the same in SM cycles"},
    {"l2_latency", "ns", "of one dependent load that hits the L2"},
    {"l2_latency_cycles", "cycles", "the same in SM cycles"},
    {"dram_latency", "ns", "of one dependent load that misses the L2"},
    {"dram_latency_cycles", "cycles", "the same in SM cycles"},
    {"atomic_same_address", "G/s", "32-bit additions of single threads to one global address"},
    {"atomic_spread", "G/s", "the same, each thread to an address of its own, in the L2"},
    {"shared_atomic_same_address", "G/s",
     "32-bit additions of single threads to one shared address per block, all SMs"},
    {"launch_overhead", "us", "of one empty kernel, from event to event"},
    {"launch_interval", "us", "from one empty kernel to the next where many are enqueued"},
    {"barrier", "ns", "of one __syncthreads() of 256 threads"},
    {"barrier_cycles", "cycles", "the same in SM cycles"},
}};

/// Nothing for what is no peak of ours.
const PeakWord* find_peak_word(std::string_view name);

/// The value of that name; nothing when it was not measured.
std::optional<double> peak_of(const Peaks& peaks, std::string_view name);

/// `newer`, and of `older` what `newer` does not name.
Peaks merged(Peaks newer, const Peaks& older);

/// The published rates at the device's highest clock, in the word's unit; nothing where
/// none is published, known here, or a fact of the device is missing.
/// Sources: DRAM and FP32 as in device.hpp; operations per clock and SM of the CUDA C++ Programming
/// Guide, table "Throughput of Native Arithmetic Instructions"; 32 banks of 4 bytes per clock of
/// shared memory, ibid.; one instruction per clock and scheduler, ibid.; dense tensor operations of
/// the white papers of each architecture.
std::optional<double> data_sheet_peak(std::string_view name, const Device& device);

template <Like<Peak> T>
void for_fields(T& v, auto&& visit) {
  visit("name", v.name);
  visit("value", v.value);
  visit("unit", v.unit);
  visit("date", v.date);
  visit("conditions", v.conditions);
  visit("device_uuid", v.device_uuid);
}

} // namespace gridsmith
