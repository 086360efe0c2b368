// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/guard/past_checks.hpp"

#include "gridsmith/results/store/store.hpp"

namespace gridsmith {

void keep_checks(const std::filesystem::path& store, const CheckResult& result,
                 std::span<const CheckSubject> subjects, const Device& device) {
  std::vector<PastCheck> checks;
  for (std::size_t i = 0; i < result.cases.size(); ++i) {
    const CheckCase& one = result.cases[i];
    if (one.verdict == CheckVerdict::missing || one.verdict == CheckVerdict::incomparable)
      continue;
    PastCheck& check = checks.emplace_back();
    check = {.date = result.date,
             .kernel = one.kernel,
             .problem = one.problem,
             .configuration = one.configuration,
             .device = device.name,
             .device_uuid = device.uuid,
             .old_code = subjects[i].before.code_hash,
             .new_code = subjects[i].now.code_hash,
             .verdict = one.verdict};
    if (!one.time)
      continue;
    check.old_ms = one.time->old_ms;
    check.new_ms = one.time->new_ms;
    check.ratio = one.time->ratio;
    check.low = one.time->low;
    check.high = one.time->high;
    check.pairs = one.time->pairs;
  }
  Store::open(store, Store::Mode::read_write).keep_checks(checks);
}

} // namespace gridsmith
