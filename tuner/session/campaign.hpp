// Many problems of one kernel on one device, tuned as one search: the plan (search/campaign) says
// what is measured where, tasks measure it.
#pragma once

#include "gridsmith/tuner/session/session.hpp"
#include "gridsmith/tuner/session/task.hpp"

#include <stop_token>
#include <vector>

namespace gridsmith {

/// A problem and where its measurements come from.
struct CampaignStop {
  ProblemSize problem;
  Source source;
};

/// One outcome per stop, in their order; those that were never reached before a
/// stop or the end of the time have none.
/// @param settings its budget is that of the whole campaign; `campaign` is set
/// @throws as Session::run
std::vector<Outcome> run_campaign(const SessionSettings& settings,
                                  const KernelDefinition& definition,
                                  const std::vector<CampaignStop>& stops, const Listener& listener,
                                  const std::stop_token& stop);

} // namespace gridsmith
