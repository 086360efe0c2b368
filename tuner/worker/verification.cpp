// The first launch of every configuration: warm-up, verified, and counted, all at once.
#include "gridsmith/tuner/worker/work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gridsmith {

namespace {

/// Nanoseconds of the counted launch, where the set has it.
constexpr const char* counted_time = "gpu__time_duration.sum";

} // namespace

void Work::verify(Candidates candidates, bool count) {
  while (!candidates.empty()) {
    std::size_t done = 0;
    const bool counting = count && counters_;
    try {
      const ProfiledSection section;
      done = verify_once(candidates, counting);
    } catch (const CuptiError& error) {
      // Counting broke off (another client took the counters, say): go on by time alone.
      counters_.reset();
      pending_.reset();
      opened_.uncounted_because = error.what();
      continue;
    }
    candidates.erase(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(done));
    std::erase_if(candidates, [](const Candidate* candidate) { return candidate->failed; });
  }
}

std::size_t Work::verify_once(const Candidates& candidates, bool count) {
  const auto begun = Clock::now();
  check(cudaMemsetAsync(verdicts_.get(), 0, candidates.size() * data_->verdicts() * sizeof(Verdict),
                        stream_.get()));
  std::size_t launches = 0; // body and prepare come in the order of the ranges, once per pass
  const auto first_pass = [&] { return launches < candidates.size(); };
  const auto prepare = [&](std::size_t i) { prepare_launch(candidates, i, first_pass(), count); };
  const auto body = [&](std::size_t i) {
    first_launch(*candidates[i], first_pass(), count);
    if (first_pass())
      pending_ = i;
    ++launches;
  };
  std::vector<CounterValues> values;
  if (count) {
    values = counters_->collect(candidates.size(), prepare, body);
  } else {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      prepare(i);
      body(i);
    }
  }
  judge_pending(candidates);
  const std::size_t done = read_verdicts(candidates);
  if (count)
    take_counters(candidates, values);
  share_time(candidates, since_ms(begun), count);
  return done;
}

/// Preparing and judging is verification; the rest of a counting session is counting.
void Work::share_time(const Candidates& candidates, double whole_ms, bool count) {
  if (!count) {
    for (Candidate* candidate : candidates)
      candidate->outcome.verify_ms += whole_ms / static_cast<double>(candidates.size());
    return;
  }
  double verifying_ms = 0;
  for (Candidate* candidate : candidates) {
    candidate->outcome.verify_ms += candidate->prepare_ms;
    verifying_ms += std::exchange(candidate->prepare_ms, 0);
  }
  for (Candidate* candidate : candidates)
    candidate->outcome.count_ms +=
        (whole_ms - verifying_ms) / static_cast<double>(candidates.size());
}

Verdict* Work::verdict_slots(std::size_t index) const {
  return static_cast<Verdict*>(verdicts_.get()) + index * data_->verdicts();
}

void Work::judge_pending(const Candidates& candidates) {
  if (!pending_)
    return;
  Candidate& candidate = *candidates[*pending_];
  candidate.busy.begin(stream_.get());
  if (!candidate.failed)
    data_->judge(verdict_slots(*pending_));
  candidate.busy.end(stream_.get());
  pending_.reset();
}

void Work::prepare_launch(const Candidates& candidates, std::size_t index, bool first_pass,
                          bool count) {
  const auto begun = Clock::now();
  judge_pending(candidates);
  Candidate& candidate = *candidates[index];
  candidate.busy.begin(stream_.get());
  if (first_pass)
    data_->prepare();
  else
    data_->restore();
  stopwatch_->flush();
  candidate.busy.end(stream_.get());
  if (count) // outside the range: what is counted is the launch alone
    check(cudaStreamSynchronize(stream_.get()));
  candidate.prepare_ms += since_ms(begun);
}

void Work::first_launch(Candidate& candidate, bool first_pass, bool count) {
  if (candidate.failed)
    return;
  const char* stage = count ? "count" : "verify";
  begin_stage(candidate, stage);
  const NvtxRange range(nvtx_, range_name(candidate, stage));
  guarded(candidate, [&] {
    if (!count && first_pass)
      candidate.first.begin(stream_.get());
    candidate.kernel->launch(data_->pointers(), stream_.get());
    if (!count && first_pass)
      candidate.first.end(stream_.get());
    check(cudaStreamSynchronize(stream_.get()));
  });
}

std::size_t Work::read_verdicts(const Candidates& candidates) {
  const std::size_t each = data_->verdicts();
  const auto* verdicts = static_cast<const Verdict*>(host_verdicts_.get());
  check(cudaMemcpyAsync(host_verdicts_.get(), verdicts_.get(),
                        candidates.size() * each * sizeof(Verdict), cudaMemcpyDeviceToHost,
                        stream_.get()));
  check(cudaStreamSynchronize(stream_.get()));
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    Candidate& candidate = *candidates[i];
    candidate.outcome.gpu_ms += candidate.busy.take_ms();
    candidate.first_ms = candidate.first.take_ms();
    candidate.outcome.gpu_ms += candidate.first_ms;
    if (candidate.failed)
      continue;
    const Judgement judgement = data_->judgement({verdicts + i * each, each});
    if (!judgement.complaint.empty())
      fail(candidate, Status::correctness, judgement.complaint);
    if (judgement.damage) {
      data_->repair();
      return i + 1; // whoever was launched after it saw the damage
    }
  }
  return candidates.size();
}

void Work::take_counters(const Candidates& candidates, const std::vector<CounterValues>& values) {
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i]->outcome.status == Status::runtime && candidates[i]->failed)
      continue; // its range held no launch
    candidates[i]->outcome.counters = values[i];
    if (const auto time = values[i].find(counted_time); time != values[i].end()) {
      candidates[i]->first_ms = time->second / 1e6;
      candidates[i]->outcome.gpu_ms +=
          candidates[i]->first_ms * static_cast<double>(counters_->passes());
    }
  }
}

} // namespace gridsmith
