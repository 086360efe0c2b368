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

} // namespace

bool StoredDrift::too_far() const {
  return std::max(ratio, 1 / ratio) > 1 + far;
}

std::optional<StoredDrift> stored_drift(std::span<const Measurement> stored,
                                        std::span<const Measurement> again) {
  std::vector<double> ratios;
  for (const Measurement& now : again) {
    const auto before = std::find_if(stored.begin(), stored.end(), [&](const Measurement& one) {
      return one.configuration == now.configuration;
    });
    if (before == stored.end() || !before->correct() || before->pruned_early || !now.correct())
      continue;
    const auto apart = told_apart(*before, now);
    if (!apart)
      continue;
    if (!*apart)
      return std::nullopt;
    ratios.push_back(*median_ms(now) / *median_ms(*before));
  }
  if (ratios.size() < drift_evidence)
    return std::nullopt;
  std::sort(ratios.begin(), ratios.end());
  const double middle = median(ratios);
  const bool one_side = ratios.front() > 1 || ratios.back() < 1;
  if (!one_side || std::abs(middle - 1) < noticed)
    return std::nullopt;
  return StoredDrift{middle, ratios.size()};
}

std::string to_text(const StoredDrift& drift) {
  const double before = 1 / drift.ratio; // a stored time in one of now
  return fmt::format(
      "Times in the store are {:.3g} % {} than those of now ({} configurations were measured again): "
      "this GPU has become {} since; {}",
      100 * std::abs(1 - before), before < 1 ? "shorter" : "longer", drift.configurations,
      before < 1 ? "slower" : "faster",
      drift.measured_anew ? "all was measured anew"
      : drift.too_far()   ? "they serve no more, and the next run measures anew"
                          : "--no-store measures all anew");
}

} // namespace gridsmith
