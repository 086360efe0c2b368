// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/processes/supervisor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace gridsmith {
namespace {

constexpr int deaths_until_guilty = 2;
constexpr std::size_t most_restarts_without_result = 3; // in a row, without one result in between
constexpr int interleaved_patience = 3; // stages: a round over all configurations says nothing

bool can_be_split(const EvaluateBatch& batch) {
  return batch.mode == Mode::race; // others are interleaved: all or nothing
}

/// The first `count` jobs of a batch, removed from it.
EvaluateBatch take_front(EvaluateBatch& batch, std::size_t count) {
  EvaluateBatch part = batch;
  const auto cut = static_cast<std::ptrdiff_t>(count);
  part.jobs.resize(count);
  batch.jobs.erase(batch.jobs.begin(), batch.jobs.begin() + cut);
  return part;
}

} // namespace

Supervisor::Supervisor(WorkerLimits limits, Time now) : limits_(limits), last_heard_(now) {
}

void Supervisor::evaluate(EvaluateBatch batch) {
  if (!batch.jobs.empty())
    waiting_.push_back(std::move(batch));
}

void Supervisor::best_so_far(std::optional<double> best_ms) {
  best_ms_ = best_ms;
}

void Supervisor::withdraw(std::uint64_t id) {
  if (!remove(waiting_, id))
    for (const EvaluateBatch& batch : in_flight_)
      for (const LaunchJob& job : batch.jobs)
        if (job.id == id)
          withdrawn_.insert(id);
}

void Supervisor::opening(Time now, std::optional<std::chrono::milliseconds> limit) {
  ready_ = false;
  open_limit_ = limit;
  awaited_ = true;
  heard(now);
}

void Supervisor::at_rest(Time now) {
  awaited_ = false;
  heard(now);
}

void Supervisor::replaced(Time now) {
  in_flight_.clear();
  withdrawn_.clear();
  stage_.reset();
  restarts_without_result_ = 0;
  opening(now);
}

void Supervisor::opened(Time now) {
  ready_ = true;
  awaited_ = false;
  if (!held_.empty())
    restarts_without_result_ = 0;
  for (Executed& verdict : std::exchange(held_, {}))
    done_.push_back(std::move(verdict));
  heard(now);
}

void Supervisor::heard(Time now) {
  last_heard_ = now;
  note_idle(now);
}

void Supervisor::paused(Clock::duration by, Time now) {
  last_heard_ = std::min(last_heard_ + by, now);
}

void Supervisor::stage_begun(StageBegun stage, Time now) {
  stage_ = std::move(stage);
  heard(now);
}

void Supervisor::executed(Executed result, Time now) {
  restarts_without_result_ = 0;
  if (stage_ && stage_->id == result.id)
    stage_.reset();
  report(std::move(result), done_);
  heard(now);
}

void Supervisor::context_lost(const ContextLost& lost, Time now) {
  blame(lost.id, lost.status, lost.reason);
  heard(now);
}

bool Supervisor::ended(Status status, const std::string& how, Time now, bool from_outside) {
  ++restarts_;
  const bool silent_opening = !ready_ && status == Status::timeout;
  if (silent_opening || ++restarts_without_result_ > most_restarts_without_result)
    return false;
  if (const auto stage = std::exchange(stage_, std::nullopt); stage && !from_outside)
    if (status == Status::timeout || ++deaths_[stage->id] >= deaths_until_guilty)
      blame(stage->id, status, fmt::format("{} ({})", how, stage->stage));
  for (const std::uint64_t id : std::exchange(withdrawn_, {}))
    remove(in_flight_, id);
  waiting_.insert(waiting_.begin(), std::make_move_iterator(in_flight_.begin()),
                  std::make_move_iterator(in_flight_.end()));
  in_flight_.clear();
  opening(now);
  return true;
}

std::chrono::milliseconds Supervisor::pause() const {
  using namespace std::chrono_literals;
  constexpr auto first = 100ms;
  return restarts_without_result_ <= 1 ? 0ms : first * (1 << restarts_without_result_);
}

std::vector<EvaluateBatch> Supervisor::batches_to_send(Time now) {
  std::vector<EvaluateBatch> batches;
  while (ready_ && !waiting_.empty()) {
    EvaluateBatch& next = waiting_.front();
    const std::size_t busy = in_flight();
    const std::size_t room = limits_.most_in_flight - std::min(limits_.most_in_flight, busy);
    const bool fits = next.jobs.size() <= room;
    if (!fits && busy > 0 && (!can_be_split(next) || room == 0))
      break;
    if (busy == 0)
      last_heard_ = now; // the watchdog counts from now
    EvaluateBatch batch = fits || !can_be_split(next)
                              ? std::exchange(next, {})
                              : take_front(next, std::max<std::size_t>(room, 1));
    if (next.jobs.empty())
      waiting_.pop_front();
    if (batch.mode == Mode::race && best_ms_)
      batch.best_ms = best_ms_;
    in_flight_.push_back(batch);
    batches.push_back(std::move(batch));
  }
  note_idle(now);
  return batches;
}

std::vector<Executed> Supervisor::take() {
  return std::exchange(done_, {});
}

Supervisor::Time Supervisor::deadline() const {
  if (awaited_)
    return last_heard_ + open_limit_.value_or(limits_.open_limit);
  if (in_flight_.empty())
    return Time::max();
  const bool interleaved = std::any_of(in_flight_.begin(), in_flight_.end(),
                                       [](const auto& batch) { return !can_be_split(batch); });
  return last_heard_ + limits_.stage_limit * (interleaved ? interleaved_patience : 1);
}

std::chrono::milliseconds Supervisor::silent_for(Time now) const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(now - last_heard_);
}

std::size_t Supervisor::count(const Batches& batches) {
  std::size_t jobs = 0;
  for (const EvaluateBatch& batch : batches)
    jobs += batch.jobs.size();
  return jobs;
}

/// True when it was there. A batch that becomes empty goes too.
bool Supervisor::remove(Batches& batches, std::uint64_t id) {
  for (auto batch = batches.begin(); batch != batches.end(); ++batch)
    if (std::erase_if(batch->jobs, [&](const LaunchJob& job) { return job.id == id; }) > 0) {
      if (batch->jobs.empty())
        batches.erase(batch);
      return true;
    }
  return false;
}

void Supervisor::report(Executed result, std::vector<Executed>& to) {
  if (remove(in_flight_, result.id) && withdrawn_.erase(result.id) == 0)
    to.push_back(std::move(result));
}

/// Gives the guilty configuration its result, for when a worker is open again.
void Supervisor::blame(std::uint64_t id, Status status, const std::string& reason) {
  stage_.reset();
  Executed result{id, {}};
  result.execution.status = status;
  result.execution.reason = reason;
  report(std::move(result), held_);
}

void Supervisor::note_idle(Time now) {
  const bool idle = ready_ && in_flight_.empty();
  if (idle && !idle_since_)
    idle_since_ = now;
  else if (!idle && idle_since_) {
    idle_ms_ += std::chrono::duration<double, std::milli>(now - *idle_since_).count();
    idle_since_.reset();
  }
}

} // namespace gridsmith
