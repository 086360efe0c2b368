// SPDX-License-Identifier: Apache-2.0
// One record: what was asked of a device, under which conditions, and what happened.
#pragma once

#include "gridsmith/base/value.hpp"
#include "gridsmith/kernels/definition/geometry.hpp"
#include "gridsmith/results/measurement/conditions.hpp"
#include "gridsmith/results/measurement/execution.hpp"
#include "gridsmith/results/measurement/time_summary.hpp"

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace gridsmith {

/// Why a configuration was measured.
enum class Mode {
  race,   ///< against the best so far; what cannot win is pruned early
  final,  ///< again, interleaved with the other finalists, verified with a second seed
  check,  ///< interleaved with a baseline
  anchor, ///< the same one on every device, so that their times can be compared
};

template <>
struct Words<Mode> {
  static constexpr std::string_view kind = "mode";
  static constexpr std::array<std::string_view, 4> list{"race", "final", "check", "anchor"};
};

/// Where several GPUs of one product measured together: which one, of those after the first.
struct OtherGpu {
  std::string uuid;
  /// Its times are multiplied by this, to be those of the first: the calibration configuration's time there ÷ here.
  double ratio = 1;
};

template <Like<OtherGpu> T>
void for_fields(T& v, auto&& visit) {
  visit("uuid", v.uuid);
  visit("ratio", v.ratio);
}

/// When, and with what, those counters of a measurement were read that were added to it later.
struct CountedLater {
  std::string date; ///< UTC, ISO 8601
  std::string driver, toolkit;
};

template <Like<CountedLater> T>
void for_fields(T& v, auto&& visit) {
  visit("date", v.date);
  visit("driver", v.driver);
  visit("toolkit", v.toolkit);
}

struct Measurement : Execution {
  Configuration configuration;
  Geometry geometry;
  /// Time that a file states where that is not the median of its samples (Kernel Tuner: the mean), or
  /// where it holds no samples; exports for the tools that search by it keep it.
  std::optional<double> reported_ms;
  Conditions conditions;
  Mode mode = Mode::race;
  std::string when;           ///< UTC, ISO 8601
  std::optional<double> at_s; ///< seconds since its evaluator was started
  /// The configuration, as to_text() says it, that was launched in its place, because its machine code,
  /// geometry and arguments are the same: what was measured is that one's. "": it was measured itself.
  std::string same_code_as = {};
  std::optional<OtherGpu> other_gpu = {};   ///< none: the one that the record is of
  std::optional<CountedLater> counted = {}; ///< none: all counters were read with the times
};

template <Like<Measurement> T>
constexpr void for_fields(T& v, auto&& visit) {
  using Ran = std::conditional_t<std::is_const_v<T>, const Execution, Execution>;
  for_fields(static_cast<Ran&>(v), visit);
  visit("configuration", v.configuration);
  visit("geometry", v.geometry);
  visit("reported_ms", v.reported_ms);
  visit("conditions", v.conditions);
  visit("mode", v.mode);
  visit("when", v.when);
  visit("at_s", v.at_s);
  visit("same_code_as", v.same_code_as);
  visit("other_gpu", v.other_gpu);
  visit("counted", v.counted);
}

static_assert(lists_all_fields<Measurement, Execution>());

/// "more counters read 2026-11-24, driver 580.159.04, toolkit 13.0"; "" where all were read with the times.
std::string counted_text(const Measurement& measurement);

/// The configuration that was launched, as text; equal for those that share a measurement.
std::string launched_as(const Measurement& measurement);

/// How many share the measurement of another.
std::size_t count_shared(std::span<const Measurement> measurements);

/// How the reason begins where a wrong result was another one when the configuration was launched once more.
inline constexpr std::string_view differs_by_launch =
    "not deterministic: another result at the next launch";

/// How the reason begins where a compilation was not waited for any longer; its status is `timeout`.
inline constexpr std::string_view given_up = "compilation cancelled";

bool compile_given_up(const Measurement& measurement);

/// The time of a measurement, wherever it is shown, compared or drawn: the median of its samples with its
/// interval, or what the file states where it holds nothing else, which is then a time of no samples.
std::optional<TimeSummary> time_of(const Measurement& measurement);

/// The same as one number; nothing unless the measurement is correct.
std::optional<double> cost_ms(const Measurement& measurement);

/// What is reported to a strategy in addition to the cost: counters by their names, and, where known, compile
/// facts as "registers", "spill_bytes", "static_shared_bytes", "local_bytes".
std::map<std::string, double> facts_of(const Measurement& measurement);

/// Whether a record answers what is asked now: a failure is not one that a longer time-out could
/// cure, no compilation was cancelled, what was dropped early is not granted more samples, and its samples would have been enough
/// under the rules asked.
/// @pre comparable_text() of both conditions is the same
bool satisfies(const Measurement& record, const Conditions& asked);

} // namespace gridsmith
