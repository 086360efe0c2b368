// SPDX-License-Identifier: Apache-2.0
// Makes the times of several GPUs of one product comparable. They differ from board to board (8 % on
// average, up to 22 %, arXiv 2208.11035) and drift, so each times one and the same configuration now
// and then, the anchor: a time ÷ the anchor's there × the anchor's on the first GPU is a time of the
// first GPU. Numbers only: who measures, and what, is the caller's.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

namespace gridsmith {

class Anchors {
public:
  /// @param every so many evaluations of a GPU its anchor is due again; while its times agree, twice as many, and
  ///   four times at most
  Anchors(std::size_t gpus, std::size_t every) : series_(gpus), every_(every) {}

  /// The anchor's median on this GPU, as measured now.
  void timed(std::size_t gpu, double ms);

  /// Something else was measured on it.
  void evaluated(std::size_t gpu) { ++series_[gpu].since; }

  /// The next thing that this GPU should do.
  bool is_due(std::size_t gpu) const;
  /// What a time of this GPU is multiplied by. None: it or the first has not timed the anchor yet.
  std::optional<double> ratio(std::size_t gpu) const;
  /// The anchor's time here ÷ the median of all, of two GPUs the other's, less 1. None: nobody else has
  /// timed it.
  std::optional<double> off_peers(std::size_t gpu) const;

  /// Whether another GPU has timed it.
  bool timed_elsewhere(std::size_t gpu) const { return !others(gpu).empty(); }

  /// It will not time anything any more. What it has timed still counts; where that is nothing and the
  /// others' times were to be its, they are those of the next one that is left.
  void lost(std::size_t gpu);

  /// Whose times all others become.
  std::size_t first() const { return first_; }

private:
  struct Series {
    std::deque<double> last; ///< newest at the end
    std::size_t since = 0;   ///< evaluations since
    std::size_t every = 0;   ///< evaluations until it is due
    bool lost = false;
  };

  std::optional<double> now(std::size_t gpu) const;
  std::vector<double> others(std::size_t gpu) const;

  std::vector<Series> series_;
  std::size_t every_, first_ = 0;
};

} // namespace gridsmith
