// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/cupti/cupti_call.hpp"

#include "gridsmith/metrics/counters/counter_source.hpp"
#include "gridsmith/metrics/counters/cupti_reasons.hpp"

#include <fmt/format.h>

namespace gridsmith {
namespace {

std::string reason_of(CUptiResult code) {
  const auto reason = cupti_reason(code);
  const char* name = nullptr;
  if (reason.empty() && cuptiGetResultString(code, &name) == CUPTI_SUCCESS && name)
    return name;
  return std::string(reason);
}

} // namespace

void check(CUptiResult code, std::string_view doing) {
  if (code != CUPTI_SUCCESS)
    throw CuptiError(code, fmt::format("cannot {}: {} (CUPTI error {})", doing, reason_of(code),
                                       static_cast<int>(code)));
}

std::vector<const char*> pointers(const std::vector<std::string>& names) {
  std::vector<const char*> result;
  for (const auto& name : names)
    result.push_back(name.c_str());
  return result;
}

} // namespace gridsmith
