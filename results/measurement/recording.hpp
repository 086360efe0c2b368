// SPDX-License-Identifier: Apache-2.0
// A recorded space: every configuration that was tried on a real device, with what happened. Serves
// as the device where there is none, and as the judge of strategies.
#pragma once

#include "gridsmith/metrics/catalogue/metrics.hpp"
#include "gridsmith/metrics/device/peaks.hpp"
#include "gridsmith/results/measurement/doubt.hpp"
#include "gridsmith/results/measurement/origin.hpp"
#include "gridsmith/search/space/observation.hpp"
#include "gridsmith/search/space/space.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace gridsmith {

/// What a loader skipped, by reason, with counts: "duplicate" -> 3.
using SetAside = std::map<std::string, std::size_t>;

/// Of our own files: what is written; older ones are read, newer ones refused.
inline constexpr int recording_version = 1;

/// Its date is that of the first record.
struct Recording : Origin, KernelModel {
  std::string format; ///< "gridsmith", "kernel_tuner", "t4", "ktt", "wisdom", "ncu", "nvprof" …
  Peaks peaks;        ///< of the device, as measured then
  std::vector<Parameter> parameters;
  std::vector<Measurement> measurements; ///< one per configuration
  SetAside set_aside;
};

/// The source_hash of a replay that was kept, and of nothing measured on a GPU: this, then the file's
/// hash.
inline constexpr std::string_view replayed_prefix = "recording ";

/// Of one kernel, problem and device goes before the others what has the greatest of these: what is measured before what
/// was only replayed, then the newer. Of one date what holds more: a wisdom file has the best of a tuning alone.
inline auto precedence(bool replayed, std::string_view date, std::size_t configurations) {
  return std::tuple(!replayed, date, configurations);
}

/// Hash of the source that was compiled; "" where it is not known, as of a kept replay.
std::string known_source(const Recording& recording);

/// One line for people on how one of its measurements was made: its own conditions where a measurement
/// of ours has them, else what the file says of all; "" unknown.
std::string conditions_of(const Recording& recording, const Measurement& measurement);

/// What its rates are held against; refers to it.
inline Board board_of(const Recording& recording) {
  return {&recording.device, &recording.peaks};
}

/// "3 duplicate, 1 no time"; "" for nothing.
std::string to_text(const SetAside& set_aside);

/// One line: "4362 configurations (4201 correct, 161 runtime), skipped: 3 duplicate".
std::string describe(const Recording& recording);

/// The recording as a space and its answers: id in `space` -> measurement.
class RecordedSpace {
public:
  explicit RecordedSpace(const Recording& recording); ///< the recording outlives it

  const Recording& recording() const { return *recording_; }

  const SearchSpace& space() const;
  const Measurement& measurement(ConfigurationId id) const;
  /// What is reported to a strategy: cost_ms() and facts_of() of the measurement.
  Observation observation(ConfigurationId id) const;
  /// Lowest cost_ms() of all correct ones. @throws InputError when none is correct.
  double optimum_ms() const;

private:
  const Recording* recording_;
  SearchSpace space_;
  std::vector<std::size_t> row_of_id_;
};

} // namespace gridsmith
