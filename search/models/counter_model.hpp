// SPDX-License-Identifier: Apache-2.0
// From hardware counters to cost, learned while tuning. Counters are simpler than time: each is
// nearly a product of powers of the parameters, so a few observations foretell it where nothing was
// run; and time is nearly a sum of what each unit of the chip needs:
//
//   cost ≈ Σ over units u of (a_u + b_u / occupancy) work_u,   a_u, b_u >= 0
//
// (a_u: throughput; b_u: latency that few resident warps cannot hide). This class chooses the units
// and learns a and b; a Gaussian process foretells its outputs, the logarithms of every work_u, of
// the occupancy where it is known, and of what the sum leaves open. Knows no kernel, device or unit
// by its name.
#pragma once

#include "gridsmith/search/models/counter_names.hpp"

#include <Eigen/Core>

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

/// What is believed of the natural log of the cost; one entry per configuration.
struct CostOutlook {
  Eigen::ArrayXf mean;
  Eigen::ArrayXf deviation;
};

class CounterModel {
public:
  /// The counters among the facts of one configuration.
  struct Reading {
    std::vector<std::optional<double>> counters; ///< in the order in which their names were met
    std::optional<double> occupancy;             ///< percent

    bool counted() const { return !counters.empty(); }

    std::optional<double> counter(std::size_t index) const;
  };

  /// One configuration to learn from.
  struct Row {
    double log_cost = 0;              ///< measured, or what stands for it
    const Reading* reading = nullptr; ///< nothing where nothing was counted
  };

  using Indices = std::vector<Eigen::Index>;
  /// What targets (rows like the first argument) foretell at the rows of the last.
  using Foretell =
      std::function<Eigen::MatrixXf(const Indices&, const Eigen::MatrixXf&, const Indices&)>;

  Reading read(const std::map<std::string, double>& facts);

  /// Enough of the rows are counted to learn from.
  static bool usable(const std::vector<Row>& rows);

  /// Learns units and weights; rows × outputs: log work of every unit, log occupancy where all
  /// tell it, what is left open last. Rows that were not counted get what the others foretell.
  /// @pre usable(rows)
  Eigen::MatrixXf learn(const std::vector<Row>& rows, const Foretell& foretell);

  /// How many of the outputs are units.
  Eigen::Index units() const { return static_cast<Eigen::Index>(channels_.size()); }

  /// Log of the sum of terms plus what it leaves open; an error of a unit's work counts by its
  /// share.
  /// @param outputs foretold, configurations × outputs
  /// @param variance of each configuration, in units of each output's scale squared
  /// @param occupancies percent, where known beforehand; may be empty
  CostOutlook outlook(Eigen::MatrixXf outputs, const Eigen::ArrayXf& variance,
                      const Eigen::ArrayXd& scales,
                      const std::vector<std::optional<double>>& occupancies) const;

private:
  struct Channel {
    std::size_t counter = 0; ///< index into kinds_
    CounterRole kind = CounterRole::busy;
    double reference = 1; ///< amounts are told relative to it
    double floor = 0;     ///< what counts less than this counts as this; 0: it never does
  };

  std::size_t index_of(const std::string& name);
  void choose_channels(const std::vector<Row>& rows);
  bool add_channel(std::size_t counter, const std::vector<Row>& rows, Eigen::MatrixXf& work);
  float log_work(const Channel& channel, const Row& row) const;
  bool complete(const Row& row) const;
  void fill_uncounted(const std::vector<Row>& rows, const Foretell& foretell,
                      Eigen::MatrixXf& outputs) const;
  void weigh(const Eigen::MatrixXf& logs, const Eigen::ArrayXf& log_costs);
  Eigen::MatrixXf terms(const Eigen::MatrixXf& logs) const;

  std::map<std::string, std::size_t, std::less<>> index_; ///< of the counters met
  std::vector<CounterRole> kinds_;
  std::vector<Channel> channels_;
  bool with_occupancy_ = false;
  Eigen::VectorXf weights_; ///< a of each channel, then b of each
};

} // namespace gridsmith
