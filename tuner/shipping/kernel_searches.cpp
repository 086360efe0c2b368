// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/shipping/kernel_searches.hpp"

#include "gridsmith/kernels/reading/read_definition.hpp"

#include <utility>

namespace gridsmith {
KernelSearch::KernelSearch(SessionSettings settings, const std::filesystem::path& definition)
    : settings_(std::move(settings)), definition_(std::make_shared<const KernelDefinition>(
                                          read_definition(definition, settings_.include))) {
  settings_.kernel = definition.string();
  settings_.across = Across::each;
  settings_.strategy = SessionSettings{}.strategy;
  settings_.weights.clear();
  settings_.problems.clear();
  settings_.budget.evaluations.reset();
  count_objective(settings_, definition_->own_metrics);
}

void KernelSearch::add(const ProblemSize& problem, Sources& sources) {
  sources.will_compile(*definition_);
  try {
    stops_.push_back({problem, sources.of(*definition_, problem).front()});
    settings_.problems.push_back(problem);
  } catch (const NoSuchDevice& absent) {
    left_out.push_back(to_text(problem));
    no_device = absent.what();
  }
}

void KernelSearch::end(CampaignEnd end) {
  failed = std::move(end.failed);
  outcomes = std::move(end.outcomes);
  for (Outcome& one : outcomes)
    one.definition = definition_;
}

bool run_together(KernelSearches& searches, const CampaignRules& rules, const Listener& listener,
                  const std::stop_token& stop) {
  std::vector<CampaignKernel> kernels;
  kernels.reserve(searches.size());
  for (const auto& one : searches)
    kernels.push_back(one->as_campaign());
  CampaignEnds ends = run_campaign(kernels, rules, listener, stop);
  for (std::size_t i = 0; i < searches.size(); ++i)
    searches[i]->end(std::move(ends.kernels[i]));
  return ends.out_of_time;
}

} // namespace gridsmith
