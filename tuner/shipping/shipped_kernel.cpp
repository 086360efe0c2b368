// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/shipping/shipped_kernel.hpp"

#include "gridsmith/kernels/reading/read_definition.hpp"

#include <memory>
#include <utility>

namespace gridsmith {

RunKernel shipped_kernel(SessionSettings settings, const std::filesystem::path& definition) {
  auto read =
      std::make_shared<const KernelDefinition>(read_definition(definition, settings.include));
  settings.kernel = definition.string();
  settings.across = Across::each;
  settings.strategy = SessionSettings{}.strategy;
  settings.own_strategy = {};
  settings.weights.clear();
  settings.problems.clear();
  settings.budget.evaluations.reset();
  count_objective(settings, read->own_metrics);
  return {.settings = std::move(settings), .definition = std::move(read)};
}

std::string add_problem(RunKernel& kernel, const ProblemSize& problem, Sources& sources) {
  sources.will_compile(*kernel.definition);
  try {
    kernel.jobs.push_back({problem, sources.of(kernel.definition.get(), problem).front()});
    kernel.settings.problems.push_back(problem);
    return "";
  } catch (const NoSuchDevice& absent) {
    return absent.what();
  }
}

} // namespace gridsmith
