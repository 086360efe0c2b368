// SPDX-License-Identifier: Apache-2.0
// Several GPUs that measured for one answer, in words.
#pragma once

#include "gridsmith/results/measurement/answer.hpp"

#include <string>
#include <vector>

namespace gridsmith {

/// A sentence each: who measured how much, whether the winner is the same on all, who was left out.
/// Empty where there is one GPU.
std::vector<std::string> gpus_sentences(const FoundBy& found_by, const Device& device);

} // namespace gridsmith
