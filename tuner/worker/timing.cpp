// Timing one configuration against the best so far, and the finalists in turn.
#include "gridsmith/results/measurement/measurement.hpp"
#include "gridsmith/tuner/worker/expected_answer.hpp"
#include "gridsmith/tuner/worker/work.hpp"

#include <algorithm>

namespace gridsmith {

void Work::evaluate(std::vector<EvaluateJob> jobs) {
  std::vector<Candidate> batch(jobs.size());
  Candidates alive;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    inbox_.hear_best(jobs[i].best_ms);
    batch[i].job = std::move(jobs[i]);
    load(batch[i]);
    if (batch[i].failed)
      finish(batch[i]);
    else
      alive.push_back(&batch[i]);
  }
  verify(alive, true);
  // The fastest first: they make the best that the others are raced against.
  std::stable_sort(alive.begin(), alive.end(), [](const Candidate* a, const Candidate* b) {
    return a->first_ms < b->first_ms;
  });
  for (Candidate* candidate : alive) {
    if (!candidate->failed)
      time(*candidate);
    finish(*candidate);
  }
}

void Work::finish(Candidate& candidate) {
  if (!open_.counters.empty() && !counters_)
    candidate.outcome.uncounted_because = opened_.uncounted_because;
  write_message(output_, candidate.outcome);
}

void Work::time(Candidate& candidate) {
  begin_stage(candidate, "time");
  const NvtxRange range(nvtx_, range_name(candidate, "time"));
  const ProfiledSection section;
  const auto begun = Clock::now();
  const SamplingRules rules{.interval = open_.interval,
                            .min_samples = static_cast<std::size_t>(std::max(open_.min_samples, 1)),
                            .max_samples = static_cast<std::size_t>(std::max(open_.max_samples, 1)),
                            .max_ms = open_.max_ms};
  if (guarded(candidate, [&] { sample(candidate, rules); }))
    candidate.outcome.status = Status::correct;
  candidate.outcome.time_ms = since_ms(begun);
}

/// 0, which nobody fails to beat, where there is no best yet or no racing.
double Work::to_beat_ms() const {
  return open_.racing ? inbox_.best_ms() : 0;
}

/// The verified launch is timed with a flushed cache too. Without a profiler in it, and long enough
/// that being the first launch of its code (some microseconds) does not matter, it can be the one
/// sample that shows a configuration to be hopeless; it is never part of a result that counts.
bool Work::first_launch_decides(const Candidate& candidate) const {
  constexpr double long_enough_ms = 0.5;
  return !counters_ && !stopwatch_->warm() && candidate.first_ms >= long_enough_ms &&
         hopeless({&candidate.first_ms, 1}, to_beat_ms());
}

void Work::sample(Candidate& candidate, const SamplingRules& rules) {
  EvaluateOutcome& outcome = candidate.outcome;
  if (first_launch_decides(candidate)) {
    outcome.times_ms = {candidate.first_ms};
    outcome.raced_out = true;
    return;
  }
  const auto launch = [&] { candidate.kernel->launch(data_->pointers(), stream_.get()); };
  int launches = 1;
  Sampling next = Sampling::more;
  while (next == Sampling::more) {
    const std::size_t group = next_group(outcome.times_ms.size(), rules);
    const Samples samples = stopwatch_->take(group, launches, launch);
    outcome.gpu_ms += samples.gpu_ms;
    if (samples.sm_clock_mhz > 0)
      outcome.sm_clock_mhz = samples.sm_clock_mhz;
    outcome.times_ms.insert(outcome.times_ms.end(), samples.times_ms.begin(),
                            samples.times_ms.end());
    next = next_step(outcome.times_ms, to_beat_ms(), rules);
    // Too short for one launch per sample (warm only: a cold cache is cold once): start again.
    if (const int wanted = launches_per_sample(outcome.times_ms.front());
        stopwatch_->warm() && next == Sampling::more && launches == 1 && wanted > 1) {
      launches = wanted;
      outcome.times_ms.clear();
    }
  }
  outcome.raced_out = next == Sampling::hopeless;
  if (const auto summary = summarise(outcome.times_ms); summary && !outcome.raced_out)
    inbox_.hear_best(summary->high_ms);
}

void Work::finals(FinalsJob job) {
  std::vector<Candidate> finalists(job.jobs.size());
  Candidates alive;
  for (std::size_t i = 0; i < job.jobs.size(); ++i) {
    finalists[i].job = std::move(job.jobs[i]);
    load(finalists[i]);
    if (!finalists[i].failed)
      alive.push_back(&finalists[i]);
  }
  make_expected(open_, job.second_seed, device_, *utilities_, *data_, SpotCheck::no);
  for (std::size_t first = 0; first < alive.size(); first += largest_batch) {
    const auto from = alive.begin() + static_cast<std::ptrdiff_t>(first);
    const std::size_t count = std::min(largest_batch, alive.size() - first);
    verify(Candidates(from, from + static_cast<std::ptrdiff_t>(count)), false);
  }
  make_expected(open_, open_.seed, device_, *utilities_, *data_, SpotCheck::no);
  std::erase_if(alive, [](const Candidate* candidate) { return candidate->failed; });
  interleave(alive, job.rounds);
  FinalsOutcome outcome;
  for (Candidate& finalist : finalists)
    outcome.outcomes.push_back(std::move(finalist.outcome));
  write_message(output_, outcome);
}

/// A B C A B C …, so that drift of clocks and temperature meets all alike.
void Work::interleave(Candidates candidates, int rounds) {
  const NvtxRange range(nvtx_, open_.label + " | finals");
  const ProfiledSection section;
  const auto begun = Clock::now();
  const auto launch_of = [this](Candidate* candidate) -> Stopwatch::Launch {
    return [this, candidate] { candidate->kernel->launch(data_->pointers(), stream_.get()); };
  };
  std::vector<Stopwatch::Launch> launches;
  std::vector<int> per_sample;
  // The first round one by one, so that whoever cannot be launched again and again is known.
  std::erase_if(candidates, [&](Candidate* candidate) {
    const int count = stopwatch_->warm() ? launches_per_sample(candidate->first_ms) : 1;
    begin_stage(*candidate, "time");
    const bool good = guarded(*candidate, [&] {
      note(*candidate, stopwatch_->take(1, count, launch_of(candidate)), 0, count);
    });
    if (good) {
      launches.push_back(launch_of(candidate));
      per_sample.push_back(count);
      candidate->outcome.status = Status::correct;
    }
    return !good;
  });
  for (int round = 1; round < rounds && !candidates.empty(); ++round) {
    begin_stage(*candidates[static_cast<std::size_t>(round) % candidates.size()], "time");
    Samples samples;
    if (!guarded(*candidates.front(),
                 [&] { samples = stopwatch_->take_round(launches, per_sample); }))
      break;
    for (std::size_t i = 0; i < candidates.size(); ++i)
      note(*candidates[i], samples, i, per_sample[i]);
  }
  for (Candidate* candidate : candidates)
    candidate->outcome.time_ms = since_ms(begun) / static_cast<double>(candidates.size());
}

/// Sample number `index` is this candidate's.
void Work::note(Candidate& candidate, const Samples& samples, std::size_t index, int launches) {
  candidate.outcome.times_ms.push_back(samples.times_ms[index]);
  candidate.outcome.gpu_ms += samples.times_ms[index] * launches;
  candidate.outcome.sm_clock_mhz = samples.sm_clock_mhz;
}

} // namespace gridsmith
