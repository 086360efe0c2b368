// SPDX-License-Identifier: Apache-2.0
// Which configuration is the anchor of several GPUs: one that is right and, of the first such, the
// fastest, as a slow one would cost every GPU much.
#pragma once

#include "gridsmith/results/measurement/measurement.hpp"

#include <optional>
#include <vector>

namespace gridsmith {

class AnchorChoice {
public:
  /// None: not chosen yet, or nothing is right.
  const std::optional<Configuration>& anchor() const { return anchor_; }

  bool has_candidates() const { return !candidates_.empty(); }

  /// It may become the anchor, where there is none and it is right.
  void consider(const Measurement& measurement);
  /// Where there is none. @param more_to_come more candidates, so that a few are waited for
  void choose(bool more_to_come);
  /// It fails; another one takes its place. @pre there is one
  void drop();

private:
  std::optional<Configuration> anchor_;
  std::vector<Configuration> refused_;  ///< because they fail
  std::vector<Measurement> candidates_; ///< with a time; until there is an anchor
};

} // namespace gridsmith
