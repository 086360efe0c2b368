// SPDX-License-Identifier: Apache-2.0
// The words of a report with a line each, for who meets them there first.
#pragma once

#include <span>
#include <string_view>
#include <utility>

namespace gridsmith {

using ExplainedWord = std::pair<std::string_view, std::string_view>;

std::span<const ExplainedWord> report_words();

} // namespace gridsmith
