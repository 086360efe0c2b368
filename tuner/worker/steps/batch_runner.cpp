// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/worker/steps/batch_runner.hpp"

#include "gridsmith/results/measurement/time_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace gridsmith {
namespace {

DataSeed second_of(const EvaluateBatch& batch) {
  return {batch.second_seed, batch.change};
}

} // namespace

BatchRunner::BatchRunner(Load load, Workspace& workspace, JudgedLaunches& judged_launches,
                         Counting& counting, Timer& timer, BestTime& best, Observer& observer,
                         Counters counters, std::uint64_t seed)
    : load_(std::move(load)), workspace_(workspace), launches_(judged_launches),
      counting_(counting), timer_(timer), best_(best), observer_(observer),
      counters_(std::move(counters)), seed_(seed) {
}

const std::vector<std::string>& BatchRunner::counters(const EvaluateBatch& batch) const {
  return batch.mode == Mode::race ? counters_.race : counters_.others;
}

void BatchRunner::run(const EvaluateBatch& batch) {
  const bool race = batch.mode == Mode::race;
  best_.offer(batch.best_ms);
  std::vector<Candidate> all;
  all.reserve(batch.jobs.size());
  for (const LaunchJob& job : batch.jobs)
    all.push_back(loaded(job));
  Candidates alive;
  const auto keep_alive = [&](Candidate& candidate) {
    if (candidate.failed)
      finish(candidate, batch);
    else
      alive.push_back(&candidate);
  };
  for (Candidate& candidate : all)
    keep_alive(candidate);
  if (batch.for_profiler)
    return launch_only(alive, batch);
  if (!batch.time)
    return count_only(alive, batch);
  verify(alive, batch);
  if (batch.count)
    counting_.run(workspace_, alive, counters(batch));
  for (Candidate* candidate : std::exchange(alive, {}))
    keep_alive(*candidate);
  if (race || batch.order == BatchOrder::one_by_one)
    return time_one_by_one(std::move(alive), batch);
  timer_.interleave(alive, batch.order, batch.rounds);
  if (batch.vary && !alive.empty())
    workspace_.use_seed(seed_);
  confirm(alive, batch);
  if (counters_.energy)
    counters_.energy->run(alive);
  for (Candidate* candidate : alive)
    finish(*candidate, batch);
}

Candidate BatchRunner::loaded(const LaunchJob& job) {
  Candidate candidate;
  candidate.id = job.id;
  candidate.label = job.label;
  const Stage stage(observer_, candidate, "load");
  guarded(candidate, observer_, [&] {
    LoadedCandidate loaded = load_(job.launchable);
    candidate.kernel = std::move(loaded.kernel);
    candidate.execution.compile_facts = loaded.facts;
    if (loaded.launch_error)
      fail(candidate, Status::runtime, *loaded.launch_error);
  });
  return candidate;
}

void BatchRunner::judge(const Candidates& candidates, Occasion which) {
  for (std::size_t first = 0; first < candidates.size(); first += largest_batch) {
    const auto from = candidates.begin() + static_cast<std::ptrdiff_t>(first);
    const std::size_t count = std::min(largest_batch, candidates.size() - first);
    launches_.run({from, from + static_cast<std::ptrdiff_t>(count)}, which);
  }
}

/// With the second seed's data where the batch is not a race: who is right by knowing the first is
/// found out, and where that differs from others in a few elements, who skips what seems to be done.
void BatchRunner::verify(const Candidates& candidates, const EvaluateBatch& batch) {
  const bool new_data =
      batch.mode != Mode::race && second_of(batch) != DataSeed(seed_) && !candidates.empty();
  if (new_data)
    workspace_.use_seed(second_of(batch));
  if (new_data && batch.change > 0) // before anything of this data is known
    judge(candidates, Occasion::behind);
  judge(candidates, Occasion::first);
  if (new_data)
    workspace_.use_seed(seed_);
}

/// What was timed is judged once more: a ticket that is never reset, a result that was kept. What was
/// pruned cannot win.
void BatchRunner::confirm(Candidates candidates, const EvaluateBatch& batch) {
  // Two in a row find out what is right at every other launch; a race has finals behind it.
  const int launches = batch.mode == Mode::race ? 1 : 2;
  std::erase_if(candidates, [](const Candidate* candidate) {
    return candidate->failed || candidate->execution.pruned_early;
  });
  for (int launch = 0; launch < launches; ++launch)
    judge(candidates, Occasion::again);
  for (Candidate* candidate : candidates)
    refuse_sparing(*candidate);
}

/// A launch may be late for a reason of the machine, but not three in a row, and where the machine is slow so are
/// launches as they were timed.
void BatchRunner::refuse_sparing(Candidate& candidate) {
  constexpr int more = 2;
  for (int launch = 0; launch < more && !candidate.failed && timer_.spares_work(candidate);
       ++launch)
    judge({&candidate}, Occasion::again);
  if (candidate.failed || !timer_.spares_work(candidate))
    return;
  if (const auto now_ms = timer_.time_now(candidate);
      !now_ms || !timer_.spares_work(candidate, *now_ms))
    return;
  const auto summary = summarise(candidate.execution.times_ms);
  fail(candidate, Status::correctness,
       fmt::format(
           "does less work if its last result is still in its output: {:.4g} ms as timed, {:.4g} "
           "ms with the output overwritten before the launch",
           summary->median_ms, *candidate.again_ms));
}

void BatchRunner::time_one_by_one(Candidates candidates, const EvaluateBatch& batch) {
  const bool race = batch.mode == Mode::race;
  if (race) // the fastest first: they make the best that the others have to beat
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate* a, const Candidate* b) {
                       constexpr double last = std::numeric_limits<double>::infinity();
                       return a->first_ms.value_or(last) < b->first_ms.value_or(last);
                     });
  for (Candidate* candidate : candidates) {
    if (race)
      timer_.race(*candidate, batch.sampling);
    else
      timer_.settle(*candidate, batch.sampling);
    confirm({candidate}, batch);
    if (race)
      lead(*candidate, batch);
    finish(*candidate, batch);
  }
}

/// False where nothing can be expected of that data (a formula has no value there): no race ends for it.
bool BatchRunner::can_use(DataSeed seed) {
  try {
    workspace_.use_seed(seed);
    return true;
  } catch (const DeviceError&) {
    throw;
  } catch (const Error&) {
    return false;
  }
}

/// The others are raced against it. A result that is kept in the module shows with other data than it was
/// made of, which is tried before it prunes what is right.
void BatchRunner::lead(Candidate& candidate, const EvaluateBatch& batch) {
  if (candidate.failed || candidate.execution.pruned_early)
    return;
  if (timer_.leads(candidate)) {
    if (can_use(second_of(batch)))
      judge({&candidate}, Occasion::again);
    workspace_.use_seed(seed_);
  }
  if (!candidate.failed)
    timer_.offer(candidate);
}

/// Nothing but the kernel is launched where the profiler looks: data that a launch changes in place is
/// as the launch before left it.
void BatchRunner::launch_only(const Candidates& candidates, const EvaluateBatch& batch) {
  for (Candidate* candidate : candidates) {
    const auto launch = [&] {
      {
        const Stage stage(observer_, *candidate, "warm up");
        for (int i = 0; i < batch.for_profiler->warm_ups; ++i)
          workspace_.prepare_repeat(*candidate->kernel);
      }
      const Stage stage(observer_, *candidate, "launch");
      const ProfiledSection section(observer_);
      for (int i = 0; i < batch.for_profiler->launches; ++i)
        workspace_.repeat(*candidate->kernel);
    };
    if (guarded(*candidate, observer_, launch))
      candidate->execution.status = Status::correct; // it ran; nobody looked at what it wrote
    observer_.done(*candidate);
  }
}

void BatchRunner::count_only(const Candidates& candidates, const EvaluateBatch& batch) {
  counting_.run(workspace_, candidates, counters(batch));
  for (Candidate* candidate : candidates) {
    if (!candidate->failed)
      candidate->execution.status = Status::correct; // as it was found to be
    finish(*candidate, batch);
  }
}

void BatchRunner::finish(Candidate& candidate, const EvaluateBatch& batch) {
  if (!counters(batch).empty() && !profiled(candidate.execution.counters))
    candidate.execution.uncounted_because = counting_.uncounted_because();
  if (batch.mode != Mode::race && counters_.energy && counters_.energy->unmetered_because())
    candidate.execution.uncounted_because = counters_.energy->unmetered_because();
  else if (batch.mode != Mode::race && !counters_.no_energy_because.empty())
    candidate.execution.uncounted_because = counters_.no_energy_because;
  observer_.done(candidate);
}

} // namespace gridsmith
