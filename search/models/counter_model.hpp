// From parameters over hardware counters to cost, learned while tuning. Counters are simpler than
// time: each is nearly a product of powers of the parameters, so a few observations foretell it
// where nothing was run; and time is nearly a sum of what each unit of the chip needs:
//
//   cost ≈ Σ over units u of (a_u + b_u / occupancy) work_u,   a_u, b_u >= 0
//
// (a_u: throughput; b_u: latency that few resident warps cannot hide), with a Gaussian process for
// what this leaves open. The largest term is the bottleneck. Knows counters by NVIDIA's naming
// scheme, no kernel, device or unit by its name.
#pragma once

#include "gridsmith/search/strategies/strategy.hpp"
#include "gridsmith/search/models/shared_process.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// What a counter's name says about its use here.
enum class CounterKind {
  none,      ///< no measure of work (ratios, elapsed time, whole-chip activity)
  busy,      ///< percent of a unit's peak: with the cost, the time this unit needs by itself
  amount,    ///< a sum: proportional to the time some unit needs
  occupancy, ///< percent of the warps that could be active
};
CounterKind kind_of_counter(std::string_view name);

/// Percent of the device's warps active: measured, else the predicted "occupancy" (a fraction).
std::optional<double> occupancy_percent(const std::map<std::string, double>& facts);

/// A unit's part of the predicted cost.
struct UnitShare {
  std::string counter;
  double share = 0; ///< 0 … 1
};

/// Natural log of the cost.
struct CostOutlook {
  Eigen::VectorXd mean;
  Eigen::VectorXd variance;
};

class CounterModel {
public:
  explicit CounterModel(Eigen::Index inputs);

  /// A valid observation at `point` (coordinates in 0 … 1), with or without counters.
  void add(const Eigen::VectorXd& point, double cost, const std::map<std::string, double>& facts);

  std::size_t size() const { return log_costs_.size(); }

  /// Enough observations carry counters to learn from.
  bool usable() const;

  /// Takes in what was added; call before the questions below. Learns lengths anew when the
  /// observations have grown by a quarter. Uses at most `most_points` observations: the best half
  /// and the newest. @pre usable()
  void refresh();

  /// What correlate() gives for `points` serves the questions about the same points.
  Eigen::MatrixXf correlate(const Eigen::MatrixXd& points) const {
    return process_.correlate(points);
  }

  /// Mean, and an upper bound of the variance. O(points × observations).
  CostOutlook glance(const Eigen::MatrixXd& points, const Eigen::MatrixXf& correlations) const;
  /// Mean and variance. `occupancies`: percent where known beforehand, NaN else; may be empty.
  /// O(points × observations²).
  CostOutlook estimate(const Eigen::MatrixXd& points, const Eigen::MatrixXf& correlations,
                       const std::vector<double>& occupancies) const;

  /// The units' parts of the predicted cost at one point, the bottleneck first.
  std::vector<UnitShare> bottlenecks(const Eigen::VectorXd& point) const;

private:
  struct Channel {
    std::size_t counter = 0; ///< index into names_
    CounterKind kind = CounterKind::busy;
    double reference = 1; ///< amounts are told relative to it
    double floor = 0;     ///< what counts less than this counts as this; 0: it never does
  };

  struct Observed {
    Eigen::VectorXd point;
    std::vector<double> counters; ///< by index into names_; NaN or beyond the end: not known
    double occupancy = 0;         ///< percent; NaN: not known

    double counter(std::size_t index) const;
  };

  std::size_t index_of(const std::string& name);
  std::vector<std::size_t> active() const;
  void choose_channels(const std::vector<std::size_t>& rows);
  bool add_channel(std::size_t counter, const std::vector<std::size_t>& rows,
                   Eigen::MatrixXd& work);
  double log_work(const Channel& channel, std::size_t row) const;
  bool counted(std::size_t row) const;
  void fill_uncounted(const std::vector<std::size_t>& rows, const Eigen::MatrixXd& points,
                      Eigen::MatrixXd& outputs);
  void weigh(const Eigen::MatrixXd& logs, const Eigen::VectorXd& log_costs);
  Eigen::MatrixXd terms(const Eigen::MatrixXd& logs) const;
  CostOutlook assemble(Eigen::MatrixXd outputs, const Eigen::VectorXd& variance,
                       const std::vector<double>& occupancies) const;
  Eigen::Index latency_terms() const;

  SharedProcess process_;
  std::map<std::string, std::size_t, std::less<>> index_; ///< of the counters met
  std::vector<std::string> names_;
  std::vector<CounterKind> kinds_;
  std::size_t with_counters_ = 0;
  std::vector<Observed> observed_;
  std::vector<double> log_costs_;
  std::vector<Channel> channels_;
  bool with_occupancy_ = false;
  Eigen::VectorXd weights_; ///< a of each channel, then b of each
  std::size_t learn_at_ = 0;
};

} // namespace gridsmith
