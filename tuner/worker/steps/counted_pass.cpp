#include "gridsmith/tuner/worker/steps/counted_pass.hpp"

#include <utility>

namespace gridsmith {

namespace {

/// Nanoseconds of the counted launch, where the set has it.
constexpr const char* counted_time = "gpu__time_duration.sum";

/// Preparing and judging is verification; the rest of a counting session is counting.
void share_time(const Candidates& candidates, const std::vector<double>& preparing_ms,
                double whole_ms, bool counting) {
  const double count = static_cast<double>(candidates.size());
  double sum_ms = 0;
  for (const double ms : preparing_ms)
    sum_ms += ms;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    TimeSpent& spent = candidates[i]->execution.spent;
    spent.verify_ms += counting ? preparing_ms[i] : whole_ms / count;
    spent.count_ms += counting ? (whole_ms - sum_ms) / count : 0;
  }
}

} // namespace

CountedPass::CountedPass(Workspace& workspace, Observer& observer, Verification compared_with,
                         std::unique_ptr<CounterSource> counters,
                         std::optional<std::string> uncounted_because)
    : workspace_(workspace), observer_(observer), compared_with_(compared_with),
      counters_(std::move(counters)), uncounted_because_(std::move(uncounted_because)) {
}

void CountedPass::run(Candidates candidates, bool count) {
  while (true) {
    std::erase_if(candidates, [](const Candidate* candidate) { return candidate->failed; });
    if (candidates.empty())
      return;
    try {
      const ProfiledSection section(observer_);
      const std::size_t settled = run_once(candidates, count && counters_);
      candidates.erase(candidates.begin(),
                       candidates.begin() + static_cast<std::ptrdiff_t>(settled));
    } catch (const CuptiError& error) { // another client took the counters, say
      counters_.reset();
      uncounted_because_ = error.what();
    }
  }
}

std::size_t CountedPass::run_once(const Candidates& candidates, bool counting) {
  const HostClock whole;
  Verifier verifier(workspace_, candidates, compared_with_);
  std::vector<double> preparing_ms(candidates.size());
  const auto prepare = [&](const CountedLaunch& at) {
    const HostClock preparing;
    if (at.pass == 0)
      verifier.prepare(at.range);
    else
      verifier.prepare_replay(at.range);
    if (counting) // outside the range: what is counted is the launch alone
      workspace_.wait();
    preparing_ms[at.range] += preparing.ms();
  };
  const auto body = [&](const CountedLaunch& at) {
    launch(*candidates[at.range], at, counting);
    if (at.pass == 0)
      verifier.launched(at.range);
  };
  std::vector<CounterValues> values;
  if (counting)
    values = counters_->collect(candidates.size(), prepare, body);
  for (std::size_t i = 0; !counting && i < candidates.size(); ++i) {
    prepare({0, i});
    body({0, i});
  }
  const std::size_t settled = verifier.settle();
  if (counting)
    take_counters(candidates, values);
  share_time(candidates, preparing_ms, whole.ms(), counting);
  return settled;
}

void CountedPass::launch(Candidate& candidate, const CountedLaunch& at, bool counting) {
  if (candidate.failed)
    return;
  candidate.counted = counting;
  if (at.pass == 0)
    candidate.execution.counters.clear(); // of a launch on damaged data
  const Stage stage(observer_, candidate, counting ? "count" : "verify");
  // Events inside a counted range would be counted too, and the counters have the time.
  guarded(candidate, observer_, [&] { workspace_.launch(at.range, *candidate.kernel, !counting); });
}

void CountedPass::take_counters(const Candidates& candidates,
                                const std::vector<CounterValues>& values) {
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    Candidate& candidate = *candidates[i];
    if (candidate.failed && candidate.execution.status == Status::runtime)
      continue; // some of its ranges held no launch
    candidate.execution.counters = values[i];
    if (const auto time = values[i].find(counted_time); time != values[i].end()) {
      candidate.first_ms = time->second / 1e6;
      candidate.execution.spent.gpu_ms +=
          *candidate.first_ms * static_cast<double>(counters_->passes());
    }
  }
}

} // namespace gridsmith
