// SPDX-License-Identifier: Apache-2.0
// What a candidate and its incumbent are launched on: the sizes that are timed; then other data, other sizes and launches
// that depend on one another, which are only verified.
#pragma once

#include "gridsmith/tuner/guard/check_subject.hpp"
#include "gridsmith/tuner/guard/judge.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gridsmith {

struct JudgedSubjects {
  std::vector<CheckSubject> all; ///< the sizes that were named first
  std::size_t smallest = 0;      ///< of these
  /// Those that need a person where they are wrong, and the code.
  std::map<std::size_t, std::string> unusual;
};

/// @param candidate, original the texts of both sources
/// @throws InputError: a size that the definition has not; what is wrong with the candidate's own configuration settles a subject
JudgedSubjects judged_subjects(const KernelDefinition& definition, const JudgeSettings& settings,
                               const std::string& candidate, const std::string& original,
                               const Device& device, std::uint64_t seed);

} // namespace gridsmith
