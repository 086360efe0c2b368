// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/session/run.hpp"

#include "gridsmith/tuner/session/session_job.hpp"
#include "gridsmith/tuner/session/shared_run.hpp"

namespace gridsmith {

bool run_jobs(std::vector<RunKernel>& kernels, const RunRules& rules, const Listener& listener,
              const std::stop_token& stop) {
  for (RunKernel& kernel : kernels)
    kernel.settings.budget = rules.budget;
  if (!kernels.empty() && kernels.front().settings.across)
    return run_together(kernels, rules, listener, stop);
  for (RunKernel& kernel : kernels)
    for (const RunJob& one : kernel.jobs) {
      SessionJob job(kernel.settings, kernel.definition.get(), one.problem, one.source, listener,
                     stop);
      kernel.outcomes.push_back(job.run(stop));
      kernel.outcomes.back().definition = kernel.definition;
    }
  return false;
}

} // namespace gridsmith
