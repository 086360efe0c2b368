// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/presentation/tried_text.hpp"

#include "gridsmith/base/number_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/results/measurement/failures.hpp"
#include "gridsmith/tuner/presentation/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

namespace gridsmith {
namespace {

constexpr std::size_t reasons_shown = 3;

/// What became of a configuration, in words: "wrong", "failed to compile".
std::string_view outcome_words(Status status, const Outcome& outcome) {
  const auto& all = outcome.result.measurements;
  const bool unverified = std::all_of(all.begin(), all.end(), [](const Measurement& one) {
    return one.verification == Verification::none;
  });
  switch (status) {
  case Status::correct:
    return !unverified                 ? "correct"
           : outcome.subject.recording ? "correct by the recording"
                                       : "ran, not verified";
  case Status::constraints:
    return "outside the constraints";
  case Status::compile:
    return "failed to compile";
  case Status::runtime:
    return "failed to run";
  case Status::correctness:
    return "wrong";
  default:
    return "timed out";
  }
}

/// " 2 compilations were cancelled, the longest after 8.1 s; --compile-timeout none waits for all."
std::string given_up_text(const TuningResult& result) {
  std::size_t count = 0;
  double longest_ms = 0;
  for (const Measurement& one : result.measurements)
    if (compile_given_up(one)) {
      ++count;
      longest_ms = std::max(longest_ms, one.spent.compile_ms);
    }
  if (count == 0)
    return "";
  return fmt::format(" {} {} cancelled, {} {}; --compile-timeout none waits for all.",
                     counted(count, "compilation"), count == 1 ? "was" : "were",
                     count == 1 ? "after" : "the longest after", duration_text(longest_ms / 1000));
}

} // namespace

std::string tried_text(const Outcome& outcome) {
  const TuningResult& result = outcome.result;
  std::string tried = fmt::format("Tried {} of {}{}:", result.measurements.size(),
                                  counted(outcome.subject.configurations, "configuration"),
                                  result.seconds > 0 ? " in " + duration_text(result.seconds) : "");
  std::map<Status, std::size_t> counts;
  for (const Measurement& one : result.measurements)
    ++counts[one.status];
  for (const auto& [status, count] : counts)
    tried += fmt::format(" {} {},", count, outcome_words(status, outcome));
  const auto pruned = std::count_if(result.measurements.begin(), result.measurements.end(),
                                    [](const Measurement& one) { return one.pruned_early; });
  if (pruned > 0)
    tried += fmt::format(" {} pruned early,", pruned);
  if (result.reused > 0)
    tried += fmt::format(" {} from the store,", result.reused);
  tried.back() = '.';
  if (const std::size_t shared = count_shared(result.measurements); shared > 0)
    tried += fmt::format(" {} of {} {} the same machine code as another: measured once.", shared,
                         result.measurements.size(), shared == 1 ? "was" : "were");
  return tried + given_up_text(result);
}

std::string failures_text(const std::vector<Measurement>& measurements, std::size_t width) {
  const std::vector<FailureGroup> groups = failure_groups(measurements);
  std::string text;
  for (std::size_t i = 0; i < std::min(reasons_shown, groups.size()); ++i)
    text += cut(printable(fmt::format("  {} × {}: {}", groups[i].count, to_text(groups[i].status),
                                      groups[i].reason)),
                width) +
            '\n';
  if (groups.size() > reasons_shown)
    text += fmt::format("  and {}; the CSV has all\n",
                        counted(groups.size() - reasons_shown, "other reason"));
  return text;
}

} // namespace gridsmith
