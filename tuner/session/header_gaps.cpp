// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/session/header_gaps.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/results/selection/select.hpp"

namespace gridsmith {

std::vector<std::vector<ConfigurationId>> header_gaps(std::span<const Recording> recordings,
                                                      std::span<const SearchSpace* const> spaces,
                                                      const KernelDefinition& definition) {
  std::vector<std::vector<ConfigurationId>> wanted(recordings.size());
  if (recordings.size() < 2) // one size has its own best
    return wanted;
  try {
    const SizeTable table = size_table(recordings, &definition);
    for (const Gap& gap : gaps(table))
      if (const auto id =
              spaces[gap.problem]->find(table.configurations[gap.configuration].configuration))
        wanted[gap.problem].push_back(*id);
  } catch (const InputError&) { // who writes a header says why
  }
  return wanted;
}

} // namespace gridsmith
