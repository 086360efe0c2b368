// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/worker/steps/counting.hpp"

#include <algorithm>
#include <utility>

namespace gridsmith {

namespace {

/// Nanoseconds of the counted launch, where they are counted.
constexpr const char* counted_time = "gpu__time_duration.sum";

constexpr std::size_t most_patched = 1024; // kernels that stay loaded; a new source costs 0.2 s

} // namespace

Counting::Counting(Observer& observer, Open open) : observer_(observer), open_(std::move(open)) {
}

void Counting::give_up(const CuptiError& error) { // another client took the counters, say
  close();
  uncounted_because_ = error.what();
}

void Counting::close() {
  source_.reset();
  patched_.clear();
}

void Counting::open(const std::vector<std::string>& counters) {
  if (patched_.size() >= most_patched)
    close();
  if (counters.empty() || uncounted_because_ || (source_ && counters == counters_))
    return;
  try {
    close(); // one at a time is allowed
    source_ = open_(counters);
    counters_ = counters;
    cold_ = true;
    opened_once_ = true;
  } catch (const CuptiError& error) {
    give_up(error);
  }
}

void Counting::warm_up(const std::function<void()>& launch) {
  try {
    cold_ = false;
    source_->collect(1, {}, [&](const CountedLaunch&) -> std::size_t {
      launch();
      return 1;
    });
  } catch (const CuptiError& error) {
    give_up(error);
  }
}

void Counting::begin_work() {
  if (opened_once_)
    uncounted_because_.reset();
}

void Counting::run(Workspace& workspace, Candidates candidates,
                   const std::vector<std::string>& counters) {
  std::erase_if(candidates, [](const Candidate* candidate) { return candidate->failed; });
  if (candidates.empty() || counters.empty())
    return;
  open(counters);
  for (std::size_t first = 0; first < candidates.size() && source_; first += largest_batch) {
    const auto from = candidates.begin() + static_cast<std::ptrdiff_t>(first);
    const auto size = std::min(largest_batch, candidates.size() - first);
    const Candidates together(from, from + static_cast<std::ptrdiff_t>(size));
    try {
      count(workspace, together);
    } catch (const CuptiError& error) {
      give_up(error);
    }
  }
}

std::size_t Counting::launch(Workspace& workspace, Candidate& candidate, std::size_t pass) {
  if (candidate.failed)
    return 0;
  const Stage stage(observer_, candidate, "count");
  const bool launched = guarded(candidate, observer_, [&] { workspace.repeat(*candidate.kernel); });
  if (!launched && pass > 0)
    throw CuptiError(0, "a counted kernel could not be launched again");
  return launched ? 1 : 0;
}

void Counting::count(Workspace& workspace, const Candidates& candidates) {
  const HostClock whole;
  cold_ = false;
  const auto prepare = [&](const CountedLaunch& at) {
    return workspace.prepare_repeat(*candidates[at.number]->kernel);
  };
  const auto body = [&](const CountedLaunch& at) {
    return launch(workspace, *candidates[at.number], at.pass);
  };
  if (source_->patches_code())
    for (const Candidate* candidate : candidates)
      patched_.push_back(candidate->kernel);
  const auto values = source_->collect(candidates.size(), prepare, body);
  const double share_ms = whole.ms() / static_cast<double>(candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    Execution& execution = candidates[i]->execution;
    execution.spent.count_ms += share_ms;
    if (candidates[i]->failed)
      continue;
    execution.counters.insert(values[i].begin(), values[i].end());
    if (const auto time = values[i].find(counted_time); time != values[i].end())
      execution.spent.gpu_ms += time->second / 1e6 * static_cast<double>(source_->passes());
  }
}

} // namespace gridsmith
