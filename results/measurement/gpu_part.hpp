// SPDX-License-Identifier: Apache-2.0
// What one of several GPUs had to do with an answer.
#pragma once

#include "gridsmith/base/fields.hpp"
#include "gridsmith/base/value.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace gridsmith {

struct GpuPart {
  std::string name; ///< "GPU 1"
  std::string uuid;
  std::uint64_t evaluations = 0;
  /// The calibration configuration's time on the first of these ÷ its time here; none: not known.
  std::optional<double> ratio;
  std::optional<Configuration> best; ///< of the finals there; none: there were none
  /// Of the answer's winner there (excess_cost()). None: it was not measured there.
  std::optional<double> loss;
  std::string lost; ///< why it was left out, one line; "": it was not
};

template <Like<GpuPart> T>
void for_fields(T& v, auto&& visit) {
  visit("name", v.name);
  visit("uuid", v.uuid);
  visit("evaluations", v.evaluations);
  visit("ratio", v.ratio);
  visit("best", v.best);
  visit("loss", v.loss);
  visit("lost", v.lost);
}

} // namespace gridsmith
