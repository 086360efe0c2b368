// SPDX-License-Identifier: Apache-2.0
// Many problems of one kernel, or of several, on one device, tuned as one search: plans (search/campaign) say what is
// measured where, one loop measures it.
#pragma once

#include "gridsmith/tuner/session/session.hpp"
#include "gridsmith/tuner/session/task.hpp"

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace gridsmith {

/// A problem and where its measurements come from.
struct CampaignStop {
  ProblemSize problem;
  Source source;
  /// The first `most` of these that the space has are asked first, beside the definition's default,
  /// and measured again at the end.
  std::vector<Configuration> begin_with = {};
  std::size_t most = 1;
};

/// The problems of one kernel, and what comes of them.
struct CampaignKernel {
  SessionSettings settings; ///< `across` is set; its budget is not looked at
  std::shared_ptr<const KernelDefinition> definition;
  std::vector<CampaignStop> stops = {}; ///< on the same back end as those of the other kernels

  // Of the campaign:
  /// One per problem that was reached, in their order; then those added and those drawn that came to their
  /// finals.
  std::vector<Outcome> outcomes = {};
  std::string failed = {}; ///< why nothing, or no more, could be measured; one line
};

struct CampaignRules {
  Budget budget; ///< of all together
  /// What they begin with, and the finals; nothing is searched.
  bool first_round_alone = false;
  bool finals = true; ///< false: answers are by what was measured first, not interleaved
  /// A kernel that cannot be measured says why and does not stop the others; false: that is thrown.
  bool others_go_on = false;
};

/// Every problem's first round; then the rounds that promise the most per second, or without a limit of
/// seconds per evaluation, as long as one is worth while; then the finals. Then the same at the problems that are
/// added (SessionSettings::add), and at those drawn (SessionSettings::calibrate), which begin with what a header of the
/// others ships; not in a replay.
/// @return whether the seconds were over before the end
/// @throws SpaceNotBuilt, and as Session::run; where the others go on WorkerRefused where there is no device,
/// NoSuchDevice, StoreError
bool run_campaign(std::vector<CampaignKernel>& kernels, const CampaignRules& rules,
                  const Listener& listener, const std::stop_token& stop);

} // namespace gridsmith
