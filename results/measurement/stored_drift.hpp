// SPDX-License-Identifier: Apache-2.0
// Whether a board is as fast as it was when a store's records were made: power limits, clocks set from
// outside and heat are no part of a record's key, but every tuning measures its finalists again.
#pragma once

#include "gridsmith/base/fields.hpp"
#include "gridsmith/results/measurement/measurement.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace gridsmith {

struct StoredDrift {
  double ratio = 1; ///< time now ÷ time stored, the middle one: above 1 it is slower now
  std::size_t configurations = 0; ///< that were measured again
  bool measured_anew = false;     ///< everything was, which replaces the stored records

  /// So far that stored times cannot be compared with today's: as many percent as finalists may be
  /// behind the best.
  bool too_far() const;
};

template <Like<StoredDrift> T>
void for_fields(T& v, auto&& visit) {
  visit("ratio", v.ratio);
  visit("configurations", v.configurations);
  visit("measured_anew", v.measured_anew);
}

/// So many of the store's, at least, say something together.
inline constexpr std::size_t drift_evidence = 3;

/// Nothing where fewer than drift_evidence were measured to their end both times, where not all of them
/// moved to the same side and beyond their spreads, or by less than runs of one board differ. A final is
/// compared with the final of then; where there is none with the race of then, as much longer or shorter
/// as finals of then are than their races: their data is another.
/// @param stored races, one per configuration, that served in this run @param finals of earlier runs, in the
/// order recorded @param again new finals
std::optional<StoredDrift> stored_drift(std::span<const Measurement> stored,
                                        std::span<const Measurement> finals,
                                        std::span<const Measurement> again);

/// One sentence.
std::string to_text(const StoredDrift& drift);

} // namespace gridsmith
