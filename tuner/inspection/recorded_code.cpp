// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/inspection/recorded_code.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/field_sums.hpp"

namespace gridsmith {

bool may_be_same(CompileFacts now, const CompileFacts& then) {
  if (now.static_shared_bytes != then.static_shared_bytes) // 0 is known
    return false;
  now.constant_bytes = 0; // the driver's number: no compiler tells it
  bool same = true;
  for_both(now, then, [&]<typename F>(const F& one, const F& other) {
    same = same && (one == other || one == F() || other == F());
  });
  return same;
}

std::optional<Inspection> inspect_recorded(const KernelDefinition& definition,
                                           const std::string& problem, const Device& device,
                                           const Measurement& recorded,
                                           const HelperSettings& helpers) {
  try {
    Inspection now =
        inspect(instantiate(definition, problem_size_from_text(problem), device),
                recorded.configuration, {.helpers = helpers, .lines = true, .fast_math = true});
    const bool same =
        recorded.compile_facts && may_be_same(now.code->facts, *recorded.compile_facts);
    return same ? std::optional(std::move(now)) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

} // namespace gridsmith
