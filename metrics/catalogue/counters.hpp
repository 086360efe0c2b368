// SPDX-License-Identifier: Apache-2.0
// The counters we know: for each idea one portable name, and CUPTI's name for it on every chip
// family; and what else is measured of a launch that is no time: the board's energy, and how far results are
// from what is expected. Data; nothing here touches a GPU.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// Counter values by CUPTI's metric name (with rollup), e.g. "dram__bytes_read.sum", and by ours of the same form
/// for what CUPTI does not read.
using CounterValues = std::map<std::string, double>;

/// Whether any is the profiler's.
bool profiled(const CounterValues& values);

/// By whom a counter is read.
enum class CounterKind {
  profiler, ///< CUPTI
  board,    ///< the board's own sensor, while launches follow one another
  result,   ///< the comparison of a result with what is expected
};

/// By the beginning of its name: "nvml__", "result__", any other.
CounterKind counter_kind(std::string_view name);

/// One thing the hardware counts over a launch, summed over the whole GPU where the unit is plain.
struct Counter {
  /// Where it exists, found by asking CUPTI 13.0 for every chip it lists (a test repeats it).
  enum class Where {
    everywhere,
    own_dram,    ///< not on Orin, Thor and DGX Spark, whose memory is the host's
    from_ampere, ///< asynchronous copies (LDGSTS)
    from_hopper, ///< the tensor memory accelerator
    hopper,      ///< waits for warp-group matrix instructions
    to_hopper,   ///< the immediate constant cache
  };

  std::string_view name;  ///< "dram_read_bytes", as metrics' formulas use it
  std::string_view cupti; ///< "dram__bytes_read.sum"
  std::string_view says;  ///< one line for people
  Where where = Where::everywhere;
  std::string_view on_gb20x = {}; ///< CUPTI's name on GB202 … GB207, where it differs
  /// CUPTI's name of the same bytes in sectors of 32, which recordings and profiles of others have.
  std::string_view in_sectors = {};
};

const std::vector<Counter>& counter_catalogue();
/// By portable name; nullptr for a name that is none.
const Counter* find_counter(std::string_view name);

/// CUPTI's name on a chip ("GH100"); none where the chip does not count it.
std::optional<std::string_view> name_on(const Counter& counter, std::string_view chip);
/// Why a chip does not count it, one line; "" where it does.
std::string_view why_missing(const Counter& counter, std::string_view chip);

/// Its value under whichever of its names it was counted, else from its sectors.
std::optional<double> value_of(const Counter& counter, const CounterValues& values);

/// The unit of a counter, by CUPTI's way of naming: "B", "ns", "%", "cycles"; "" for plain
/// counts and ratios.
std::string_view counter_unit(std::string_view cupti_name);

} // namespace gridsmith
