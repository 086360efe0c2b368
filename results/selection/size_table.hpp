// SPDX-License-Identifier: Apache-2.0
// What one kernel costs on one device over problem sizes and configurations, with the reason where that is
// not known; and what is known of a launch at any size, measured or not. A cost is a time in ms, or that of
// another objective (Objective::cost). Pure functions of recordings and a definition.
#pragma once

#include "gridsmith/kernels/definition/definition.hpp"
#include "gridsmith/results/measurement/recording.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

enum class CellState { measured, failed, wrong, invalid, not_measured };

template <>
struct Words<CellState> {
  static constexpr std::string_view kind = "state of a time";
  static constexpr std::array<std::string_view, 5> list{"measured", "failed", "wrong", "invalid",
                                                        "not measured"};
};

/// What one configuration would launch at one problem size: what a model of its time is made of.
struct LaunchQuantities {
  bool valid = false; ///< the definition's constraints hold there; else all below is 0
  double blocks = 0;  ///< of the grid
  /// Work of one block with what it pads: that of the extents rounded up to the tile, over the blocks.
  /// FLOPs of the work model, else its bytes, else elements.
  double block_work = 0;
  double bytes = 0; ///< least bytes of the work model; 0: unknown

  bool operator==(const LaunchQuantities&) const = default;
};

/// One configuration at one problem size.
struct SizeCell {
  CellState state = CellState::not_measured;
  /// Where measured, else 0. Of time: times_without_drift() of the problem's samples (sample_drift.hpp);
  /// cost_ms() where there are no samples. For a launch dropped early too: that it is slow is known. Never a
  /// little less than the best of the finals for what was not in them.
  double cost = 0;
  double plain_cost = 0;          ///< where measured, without those corrections: what people read
  std::vector<double> samples_ms; ///< what a time is made of; empty: a reported time, or no time
  std::string reason;             ///< of a failure, one line
  LaunchQuantities launch;
};

/// A configuration as the device holds it.
struct SizedConfiguration {
  Configuration configuration;
  int resident_blocks = 1; ///< per SM, by the occupancy calculator; 1 where nothing is known
  /// Elements of each extent that one block covers: extents rounded up to multiples of it give the
  /// same grid. 1 along an extent that the grid does not follow.
  std::vector<std::int64_t> tile;
};

/// A size where nothing was measured.
struct Probe {
  ProblemSize problem;
  std::vector<LaunchQuantities> launches; ///< one per configuration
};

/// Its date is that of the newest recording.
struct SizeTable : Origin {
  Objective objective = objectives().front(); ///< of the costs
  std::vector<ProblemSize> problems;
  std::vector<double> weights; ///< one per problem, > 0
  std::vector<bool> drawn;     ///< one per problem: Recording::drawn
  std::vector<SizedConfiguration> configurations;
  std::optional<std::size_t> default_configuration; ///< the definition's, where it was tried
  std::vector<SizeCell> cells;                      ///< problem by problem
  /// Drawn around several problems where there is a definition: what is valid there.
  std::vector<Probe> probes;

  const SizeCell& cell(std::size_t at, std::size_t configuration) const {
    return cells[at * configurations.size() + configuration];
  }
};

/// The rows of a tuning to choose from: what was measured again in its finals instead of the first time.
/// Without what was pruned early and yet seems better than all others: only some samples are there.
std::vector<Measurement> rows_to_choose_from(std::vector<Measurement> rows,
                                             std::span<const Measurement> again,
                                             const Objective& objective = objectives().front(),
                                             const Workload& workload = {});

/// The table without some of its problems.
/// @param left_out one flag per problem
SizeTable without(const SizeTable& table, const std::vector<bool>& left_out);

/// Sets the costs of one problem from the samples of its cells.
void settle_times(SizeTable& table, std::size_t problem);

/// @param definition gives validity and quantities where recordings say nothing; nullptr: they are
/// known where it was measured only, and nothing can be said of other sizes
/// @param objective a launch that has no value of it counts as not measured
/// @throws InputError: none, of several kernels, devices or sources, of other parameters, a problem
/// text that is none, one problem twice.
SizeTable size_table(std::span<const Recording> recordings, const KernelDefinition* definition,
                     const Objective& objective = objectives().front());

/// What each configuration would launch at a problem, which may be one that was never measured.
/// @throws InputError as instantiate()
std::vector<LaunchQuantities> quantities_at(const KernelDefinition& definition,
                                            const Device& device, const ProblemSize& problem,
                                            std::span<const SizedConfiguration> configurations);

} // namespace gridsmith
