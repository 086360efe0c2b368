// SPDX-License-Identifier: Apache-2.0
// What a kernel was when it was good: small text to be checked in, one fact a line, so that a change
// of it can be read in a review. Times are kept to be shown; what is judged is judged against the
// old binary, run in turn with the new one, if that is available.
#pragma once

#include "gridsmith/base/fields.hpp"
#include "gridsmith/base/value.hpp"
#include "gridsmith/kernels/definition/geometry.hpp"
#include "gridsmith/metrics/catalogue/counters.hpp"
#include "gridsmith/metrics/code/code_summary.hpp"
#include "gridsmith/results/measurement/conditions.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// The compiled kernel itself is stored next to the text (baseline_binaries.hpp).
struct OldBinary {
  std::string hash; ///< sha256_hex() of the cubin
  std::int64_t bytes = 0;
  std::string kernel; ///< lowered name

  bool operator==(const OldBinary&) const = default;
};

template <Like<OldBinary> T>
void for_fields(T& v, auto&& visit) {
  visit("hash", v.hash);
  visit("bytes", v.bytes);
  visit("kernel", v.kernel);
}

/// As measured when it was saved, on one board.
struct KnownTime {
  double median_ms = 0, low_ms = 0, high_ms = 0; ///< with the interval of summarise()
  int samples = 0;
  std::optional<double> sm_clock_mhz; ///< mean while timing
  std::string device, driver;         ///< "NVIDIA H200"; driver's version
  Conditions conditions;
  std::string date; ///< UTC

  bool operator==(const KnownTime&) const = default;
};

template <Like<KnownTime> T>
void for_fields(T& v, auto&& visit) {
  visit("median_ms", v.median_ms);
  visit("low_ms", v.low_ms);
  visit("high_ms", v.high_ms);
  visit("samples", v.samples);
  visit("sm_clock_mhz", v.sm_clock_mhz);
  visit("device", v.device);
  visit("driver", v.driver);
  visit("conditions", v.conditions);
  visit("date", v.date);
}

/// One kernel at one size in one configuration for one architecture.
struct BaselineEntry {
  std::string kernel = {};     ///< the definition's name
  std::string definition = {}; ///< its file, from the baseline's folder; "": of the catalogue
  std::string problem = {};    ///< "8192x8192"
  Configuration configuration = {};
  std::string objective = {};   ///< that the configuration was tuned by; "": the time, or not known
  int compute_capability = 0;   ///< 90 for 9.0
  std::string toolkit = {};     ///< version of the NVRTC that compiled
  std::string source_hash = {}; ///< of the kernel's source with its own headers
  std::string code_hash = {};   ///< of the machine code without names
  Geometry geometry = {};
  CodeSummary code = {}; ///< exact for one toolkit: what a gate without a GPU compares
  std::optional<OldBinary> binary = {}; ///< none: only facts are known of it
  std::optional<KnownTime> time = {};   ///< none: saved without a GPU
  CounterValues counters = {};          ///< empty: not counted

  bool operator==(const BaselineEntry&) const = default;
};

template <Like<BaselineEntry> T>
void for_fields(T& v, auto&& visit) {
  visit("kernel", v.kernel);
  visit("definition", v.definition);
  visit("problem", v.problem);
  visit("compute_capability", v.compute_capability);
  visit("configuration", v.configuration);
  visit("objective", v.objective);
  visit("toolkit", v.toolkit);
  visit("source_hash", v.source_hash);
  visit("code_hash", v.code_hash);
  visit("geometry", v.geometry);
  visit("code", v.code);
  visit("binary", v.binary);
  visit("time", v.time);
  visit("counters", v.counters);
}

struct Baseline {
  std::vector<BaselineEntry> entries; ///< sorted when written: by kernel, size, architecture
};

/// "transpose 8192x8192 sm_90", for people and to name an entry by.
std::string title_of(const BaselineEntry& entry);
/// Whether both are of the same kernel, size, architecture and configuration, the order of whose
/// parameters does not matter.
bool same_subject(const BaselineEntry& one, const BaselineEntry& other);

/// Text as it is checked in: every field that is not empty on a line of its own.
std::string to_text(const Baseline& baseline);
/// @param name of the file, for errors
/// @throws InputError: no baseline, a newer version, an entry without what it needs or twice
Baseline baseline_of_text(std::string_view text, const std::string& name);

/// Whether the first bytes of a file say that it is a baseline.
bool is_baseline(const std::filesystem::path& file);
/// @throws InputError
Baseline read_baseline(const std::filesystem::path& file);
/// Appears whole or not at all. @throws InputError, Error as write_packed()
void write_baseline(const std::filesystem::path& file, const Baseline& baseline);

} // namespace gridsmith
