// SPDX-License-Identifier: Apache-2.0
// Searches over the sizes of several kernels on one device, in one budget.
#pragma once

#include "gridsmith/tuner/session/campaign.hpp"
#include "gridsmith/tuner/session/sources.hpp"

#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace gridsmith {

/// One kernel; stays where it was made.
class KernelSearch {
public:
  /// @param settings of all; kernel, problems, weights and across are set here. Copied.
  /// @throws InputError: the definition cannot be read
  KernelSearch(SessionSettings settings, const std::filesystem::path& definition);
  KernelSearch(const KernelSearch&) = delete;
  KernelSearch& operator=(const KernelSearch&) = delete;

  const KernelDefinition& definition() const { return *definition_; }

  /// Finds out where this problem is measured. Where there is neither device nor recording, it is left
  /// out. @throws InputError
  void add(const ProblemSize& problem, Sources& sources);

  /// What is added, to say what it begins with.
  std::vector<CampaignStop>& stops() { return stops_; }

  std::string failed;                ///< why nothing, or no more, can be measured; one line
  std::vector<std::string> left_out; ///< problems without a recording
  std::string no_device;             ///< why the last of them was left out
  std::vector<Outcome> outcomes;     ///< once it is over: of each problem that was reached

  /// Refers to this object.
  CampaignKernel as_campaign() const { return {settings_, *definition_, stops_}; }

  void end(CampaignEnd end);

private:
  SessionSettings settings_;
  std::shared_ptr<const KernelDefinition> definition_;
  std::vector<CampaignStop> stops_;
};

using KernelSearches = std::vector<std::unique_ptr<KernelSearch>>;

/// All of them; each has its end then.
/// @return whether the seconds were over before
/// @throws as run_campaign, where the others go on
bool run_together(KernelSearches& searches, const CampaignRules& rules, const Listener& listener,
                  const std::stop_token& stop);

} // namespace gridsmith
