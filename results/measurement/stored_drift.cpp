// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/measurement/stored_drift.hpp"

#include "gridsmith/base/statistics.hpp"
#include "gridsmith/results/measurement/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace gridsmith {
namespace {

constexpr double noticed = 0.02; // a race and a final of one run differ by less
constexpr double far = 0.05;     // FinalsRules::within

/// The last such one that was right and measured to its end.
const Measurement* newest_of(std::span<const Measurement> all, const Configuration& configuration) {
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const Measurement& one) {
    return one.configuration == configuration && one.correct() && !one.pruned_early &&
           !one.times_ms.empty();
  });
  return found == all.rend() ? nullptr : &*found;
}

double middle_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return median(values);
}

/// Time of a final ÷ time of its race, of then.
double final_to_race(std::span<const Measurement> stored, std::span<const Measurement> finals) {
  std::vector<double> ratios;
  for (const Measurement& race : stored)
    if (const Measurement* final = newest_of(finals, race.configuration);
        final && newest_of({&race, 1}, race.configuration))
      ratios.push_back(*cost_ms(*final) / *cost_ms(race));
  return ratios.empty() ? 1 : middle_of(std::move(ratios));
}

} // namespace

bool StoredDrift::too_far() const {
  return std::max(ratio, 1 / ratio) > 1 + far;
}

std::optional<StoredDrift> stored_drift(std::span<const Measurement> stored,
                                        std::span<const Measurement> finals,
                                        std::span<const Measurement> again) {
  const double usual = final_to_race(stored, finals);
  std::vector<double> ratios;
  for (const Measurement& now : again) {
    const Measurement* race = newest_of(stored, now.configuration);
    const Measurement* final = newest_of(finals, now.configuration);
    if (!race || !newest_of({&now, 1}, now.configuration))
      continue;
    const auto apart = told_apart(final ? *final : *race, now);
    if (!apart)
      continue;
    if (!*apart)
      return std::nullopt;
    ratios.push_back(*cost_ms(now) / (final ? *cost_ms(*final) : usual * *cost_ms(*race)));
  }
  if (ratios.size() < drift_evidence)
    return std::nullopt;
  const double middle = middle_of(ratios);
  const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
  const bool one_side = *least > 1 || *most < 1;
  if (!one_side || std::abs(middle - 1) < noticed)
    return std::nullopt;
  return StoredDrift{middle, ratios.size()};
}

std::string to_text(const StoredDrift& drift) {
  const double before = 1 / drift.ratio; // a stored time in one of now
  return fmt::format(
      "Times in the store are {:.3g} % {} than today's ({} configurations were measured again): "
      "this GPU has become {} since; {}",
      100 * std::abs(1 - before), before < 1 ? "shorter" : "longer", drift.configurations,
      before < 1 ? "slower" : "faster",
      drift.measured_anew ? "everything was measured again"
      : drift.too_far()   ? "they are no longer used, and the next run measures again"
                          : "--no-store measures everything again");
}

} // namespace gridsmith
