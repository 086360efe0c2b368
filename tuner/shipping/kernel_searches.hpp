// SPDX-License-Identifier: Apache-2.0
// Searches over the sizes of several kernels on one device, in one budget: what comes next is where the
// most is expected of a second.
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
  void add(const ProblemSize& problem, Sources& sources, const Listener& listener);

  /// What is added, to say what it begins with.
  std::vector<CampaignStop>& stops() { return stops_; }

  /// Builds the search spaces. @param turn of all searches; outlives every step. @throws as Campaign
  void open(SharedTurn& turn, const Listener& listener, const std::stop_token& stop);

  /// @pre open
  Campaign& campaign() { return *campaign_; }

  /// Another search may have the processes until the next step.
  void rest() {
    if (campaign_)
      campaign_->rest();
  }

  std::vector<Outcome> outcomes(bool out_of_time);

  bool is_open() const { return campaign_ && failed.empty(); }

  std::uint64_t measured() const { return campaign_ ? campaign_->measured() : 0; }

  std::string failed;                ///< why nothing, or no more, can be measured; one line
  std::vector<std::string> left_out; ///< problems without a recording
  std::string no_device;             ///< why the last of them was left out

  // ---- its course

  double seconds = 0; ///< of its visits …
  std::uint64_t visits = 0;

private:
  SessionSettings settings_;
  std::shared_ptr<const KernelDefinition> definition_;
  std::vector<CampaignStop> stops_;
  Listener listener_;
  std::unique_ptr<Campaign> campaign_; ///< refers to all above
};

using KernelSearches = std::vector<std::unique_ptr<KernelSearch>>;

enum class Rounds {
  first, ///< what they begin with, and the finals
  all,
};

/// Every search's first round; then the round that promises the most per second, or without a limit of
/// seconds per evaluation, as long as one is worth while; then the finals. A kernel that cannot be
/// measured says why and does not stop the others.
/// @param budget of all together
/// @return whether the seconds were over before the end
/// @throws WorkerRefused where there is no device, NoSuchDevice, StoreError
bool run_together(KernelSearches& searches, const Budget& budget, const Listener& listener,
                  const std::stop_token& stop, Rounds rounds = Rounds::all);

} // namespace gridsmith
