// SPDX-License-Identifier: Apache-2.0
// Many problems of one kernel on one device, tuned as one search: the plan (search/campaign) says
// what is measured where, tasks measure it.
#pragma once

#include "gridsmith/tuner/session/session.hpp"
#include "gridsmith/tuner/session/task.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace gridsmith {

/// Of the seconds that are allowed.
inline constexpr double kept_for_finals = 0.2;

/// Whether what is left to be counted is left uncounted: after a stop, and when the time is up.
GiveUp counting_ends(const Budget& budget, std::chrono::steady_clock::time_point start,
                     const std::stop_token& stop);

/// A problem and where its measurements come from.
struct CampaignStop {
  ProblemSize problem;
  Source source;
  /// The first `most` of these that the space has are asked first, beside the definition's default,
  /// and measured again at the end.
  std::vector<Configuration> begin_with = {};
  std::size_t most = 1;
};

/// One search, a visit at a time: who runs several decides which goes on.
class Campaign {
public:
  /// @param settings its budget is that of the whole campaign; `across` is set
  /// @param turn of all campaigns that run in turn. All outlive this.
  /// @throws as Session::run
  Campaign(const SessionSettings& settings, const KernelDefinition& definition,
           const std::vector<CampaignStop>& stops, SharedTurn& turn, const Listener& listener,
           const std::stop_token& stop);
  ~Campaign();
  Campaign(const Campaign&) = delete;
  Campaign& operator=(const Campaign&) = delete;

  /// CampaignPlan::promised().
  double promised();
  /// Plans the next round where none is under way, and has compilers begin with all of it: what is to
  /// follow for sure, whoever has the processes meanwhile.
  void prepare();
  /// One visit, of at most so many seconds and so many configurations that are new. False: there is
  /// nothing left, or a stop came.
  bool step(std::optional<double> seconds, std::optional<std::uint64_t> evaluations = {});
  /// Goes to the finals at once.
  void finish();
  /// What follows is measured for the header alone.
  bool finals_over() const;
  /// Once no step follows: counters that nobody waited for, of the best of each problem …
  void count_winners(const GiveUp& give_up);
  /// … and of all that was raced.
  void count_races(const GiveUp& give_up);
  /// Leaves the processes, which end, until the next step.
  void rest();

  /// Configurations measured, over all problems.
  std::uint64_t measured() const;
  /// One outcome per stop that was reached, in their order.
  std::vector<Outcome> outcomes(bool out_of_time);

private:
  class Course;
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// One outcome per stop, in their order; those that were never reached before a
/// stop or the end of the time have none.
/// @throws as Campaign
std::vector<Outcome> run_campaign(const SessionSettings& settings,
                                  const KernelDefinition& definition,
                                  const std::vector<CampaignStop>& stops, const Listener& listener,
                                  const std::stop_token& stop);

} // namespace gridsmith
