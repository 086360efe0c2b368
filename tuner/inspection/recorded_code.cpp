// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/inspection/recorded_code.hpp"

#include "gridsmith/base/error.hpp"

namespace gridsmith {

std::optional<Inspection> inspect_recorded(const KernelDefinition& definition,
                                           const std::string& problem, const Device& device,
                                           const Measurement& recorded,
                                           const HelperSettings& helpers) {
  try {
    Inspection now =
        inspect(instantiate(definition, problem_size_from_text(problem), device),
                recorded.configuration, {.helpers = helpers, .lines = true, .fast_math = true});
    CompileFacts facts = now.code->facts;
    if (const auto& then = recorded.compile_facts) { // the driver's numbers: no compiler tells them
      facts.constant_bytes = then->constant_bytes;
      if (!then->spill_bytes())
        facts.spill_store_bytes = facts.spill_load_bytes = std::nullopt;
      if (facts.max_threads_per_block == 0)
        facts.max_threads_per_block = then->max_threads_per_block;
    }
    return facts == recorded.compile_facts ? std::optional(std::move(now)) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

} // namespace gridsmith
