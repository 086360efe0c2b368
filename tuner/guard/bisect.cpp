// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/guard/bisect.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/tuner/guard/revision.hpp"

#include <algorithm>
#include <utility>

namespace gridsmith {
namespace {

bool is_bad(CheckVerdict verdict) {
  return verdict == CheckVerdict::slower || verdict == CheckVerdict::worse ||
         verdict == CheckVerdict::wrong || verdict == CheckVerdict::changed;
}

bool is_good(CheckVerdict verdict) {
  return verdict == CheckVerdict::same || verdict == CheckVerdict::faster ||
         verdict == CheckVerdict::different;
}

/// Nearest to the middle of those strictly between the two that were not tried.
std::optional<std::size_t> middle_of(std::size_t low, std::size_t high,
                                     const std::vector<bool>& tried) {
  std::optional<std::size_t> best;
  const auto distance = [&](std::size_t i) {
    const std::size_t twice = 2 * i, sum = low + high;
    return twice > sum ? twice - sum : sum - twice;
  };
  for (std::size_t i = low + 1; i < high; ++i)
    if (!tried[i] && (!best || distance(i) < distance(*best)))
      best = i;
  return best;
}

void check_one_kernel(const CheckSettings& settings) {
  if (settings.kernels.size() != 1 || settings.session.problems.size() > 1)
    throw InputError("a bisection judges one kernel at one size: name it by its definition's file");
}

/// Judges candidates by name, and keeps what was found.
template <typename Run>
BisectResult bisect_named(const std::vector<std::string>& names, const Run& run,
                          const std::stop_token& stop) {
  BisectResult result;
  const auto bad = bisect(names.size(), [&](std::size_t number) {
    if (stop.stop_requested())
      return CheckVerdict::undecided;
    CheckResult found = run(number);
    return result.steps.emplace_back(BisectStep{names[number], std::move(found.cases.at(0))})
        .found.verdict;
  });
  if (!stop.stop_requested())
    for (const std::size_t number : bad)
      result.first_bad.push_back(names[number]);
  return result;
}

} // namespace

std::vector<std::size_t> bisect(std::size_t count,
                                const std::function<CheckVerdict(std::size_t)>& judge) {
  // Counted from 1, so that 0 is what is known to be good.
  std::size_t low = 0, high = count;
  std::vector<bool> tried(count + 1, false);
  if (count == 0 || !is_bad(judge(count - 1)))
    return {};
  while (const auto middle = middle_of(low, high, tried)) {
    tried[*middle] = true;
    const CheckVerdict verdict = judge(*middle - 1);
    if (is_bad(verdict))
      high = *middle;
    else if (is_good(verdict))
      low = *middle;
  }
  std::vector<std::size_t> bad;
  for (std::size_t i = low + 1; i <= high; ++i)
    bad.push_back(i - 1);
  return bad;
}

BisectResult bisect_commits(const CheckSettings& settings, const std::string& good,
                            const std::string& bad, const std::stop_token& stop,
                            const CheckListener& listener) {
  check_one_kernel(settings);
  const std::filesystem::path file =
      find_definition(settings.kernels.front(), settings.session.helpers.installation.catalogue);
  const Repository repository(file);
  const std::vector<std::string> commits = repository.commits(good, bad);
  std::vector<std::string> titles;
  for (const std::string& commit : commits)
    titles.push_back(repository.title(commit));
  CheckSettings step = settings;
  step.against = repository.commit(good);
  return bisect_named(
      titles,
      [&](std::size_t number) {
        const Checkout now(repository, commits[number]);
        step.kernels = {now.file(file).string()};
        try {
          return run_check(step, stop, listener);
        } catch (const InputError& error) { // no such definition then: it cannot be judged
          CheckResult missing;
          missing.cases.push_back({.kernel = file.stem().string(),
                                   .verdict = CheckVerdict::missing,
                                   .reason = error.what()});
          return missing;
        }
      },
      stop);
}

BisectResult bisect_compilers(const CheckSettings& settings,
                              const std::vector<std::filesystem::path>& libraries,
                              const std::stop_token& stop, const CheckListener& listener) {
  check_one_kernel(settings);
  if (libraries.size() < 2)
    throw InputError("a bisection of compilers needs two or more libraries of NVRTC, the good one "
                     "first");
  std::vector<std::string> names;
  for (auto library = libraries.begin() + 1; library != libraries.end(); ++library)
    names.push_back(library->string());
  CheckSettings step = settings;
  step.old_nvrtc = libraries.front();
  return bisect_named(
      names,
      [&](std::size_t number) {
        step.session.helpers.nvrtc = libraries[number + 1];
        return run_check(step, stop, listener);
      },
      stop);
}

} // namespace gridsmith
