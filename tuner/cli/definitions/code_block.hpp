// SPDX-License-Identifier: Apache-2.0
// Facts of machine code as people and programs are shown them by 'gridsmith inspect'.
#pragma once

#include "gridsmith/metrics/code/code_facts.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

namespace gridsmith {

/// Lines of a label and what it is, in the order in which they are shown: classes, accesses, the
/// innermost loops, the hottest first, loads in flight and, where the cubin tells, source lines.
std::vector<std::pair<std::string, std::string>> code_lines(const CodeFacts& facts);

/// All of them.
nlohmann::ordered_json code_json(const CodeFacts& facts);

} // namespace gridsmith
