#include "gridsmith/tuner/processes/worker_link.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <utility>

namespace gridsmith {
namespace {

constexpr int deaths_until_guilty = 2; // a worker killed from outside is not the kernel's fault
constexpr std::size_t restarts_until_hopeless = 3; // in a row, without one outcome in between

std::chrono::milliseconds since(WorkerLink::Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(WorkerLink::Clock::now() - start);
}

} // namespace

WorkerLink::WorkerLink(WorkerSettings settings, OpenWork open)
    : settings_(std::move(settings)), open_(std::move(open)) {
  start();
}

void WorkerLink::start() {
  ready_ = false;
  finals_sent_ = false;
  stage_.reset();
  child_.emplace(ChildProcess::start(settings_.program));
  heard();
  child_->send(open_);
}

void WorkerLink::heard() {
  last_heard_ = Clock::now();
}

void WorkerLink::evaluate(EvaluateJob job) {
  waiting_.push_back(std::move(job));
  feed();
}

void WorkerLink::best_so_far(double best_ms) {
  for (EvaluateJob& job : waiting_)
    job.best_ms = best_ms;
  if (ready_ && child_)
    child_->send(BestSoFar{best_ms});
}

void WorkerLink::feed() {
  if (!ready_)
    return;
  while (!waiting_.empty() && in_flight_.size() < settings_.most_in_flight) {
    if (in_flight_.empty())
      heard(); // the watchdog counts from now
    child_->send(waiting_.front());
    in_flight_.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  if (finals_ && !finals_sent_ && in_flight_.empty() && waiting_.empty()) {
    heard();
    child_->send(*finals_);
    finals_sent_ = true;
  }
  note_idle();
}

void WorkerLink::note_idle() {
  const bool idle = ready_ && in_flight_.empty() && !finals_sent_;
  if (idle && !idle_since_)
    idle_since_ = Clock::now();
  else if (!idle && idle_since_) {
    idle_ms_ += std::chrono::duration<double, std::milli>(Clock::now() - *idle_since_).count();
    idle_since_.reset();
  }
}

double WorkerLink::idle_ms() const {
  return idle_ms_;
}

std::vector<EvaluateOutcome> WorkerLink::take() {
  return std::exchange(done_, {});
}

void WorkerLink::finals(FinalsJob job) {
  finalist_order_.clear();
  final_outcomes_.clear();
  for (const EvaluateJob& finalist : job.jobs)
    finalist_order_.push_back(finalist.id);
  finals_ = std::move(job);
  finals_sent_ = false;
  feed();
}

std::optional<FinalsOutcome> WorkerLink::take_finals() {
  return std::exchange(finals_done_, std::nullopt);
}

void WorkerLink::handle(Message message) {
  heard();
  if (auto* opened = std::get_if<WorkOpened>(&message)) {
    ready_ = true;
    opened_ = std::move(*opened);
  } else if (auto* refused = std::get_if<WorkRefused>(&message)) {
    throw WorkerRefused(refused->reason, refused->no_device);
  } else if (auto* stage = std::get_if<StageBegun>(&message)) {
    stage_ = std::move(*stage);
  } else if (auto* outcome = std::get_if<EvaluateOutcome>(&message)) {
    restarts_in_vain_ = 0;
    std::erase_if(in_flight_, [&](const EvaluateJob& job) { return job.id == outcome->id; });
    done_.push_back(std::move(*outcome));
  } else if (auto* finals = std::get_if<FinalsOutcome>(&message)) {
    for (EvaluateOutcome& result : finals->outcomes)
      final_outcomes_.insert_or_assign(result.id, std::move(result));
    FinalsOutcome all;
    for (const std::uint64_t id : finalist_order_)
      all.outcomes.push_back(final_outcomes_.at(id));
    finals_done_ = std::move(all);
    finals_.reset();
    finals_sent_ = false;
  } else if (const auto* gone = std::get_if<ContextLost>(&message)) {
    blame(gone->id, gone->status, gone->reason);
  }
}

/// Gives the guilty configuration its outcome.
void WorkerLink::blame(std::uint64_t id, Status status, const std::string& reason) {
  EvaluateOutcome outcome;
  outcome.id = id;
  outcome.status = status;
  outcome.reason = reason;
  stage_.reset();
  if (finals_sent_ && finals_) {
    std::erase_if(finals_->jobs, [&](const EvaluateJob& job) { return job.id == id; });
    final_outcomes_.insert_or_assign(id, std::move(outcome));
    return;
  }
  const auto erased =
      std::erase_if(in_flight_, [&](const EvaluateJob& job) { return job.id == id; });
  if (erased) {
    restarts_in_vain_ = 0;
    done_.push_back(std::move(outcome));
  }
}

/// The process is gone. Whoever it was working on is guilty at once after a time-out, and after the
/// second death otherwise; all others run again.
void WorkerLink::lost(Status status, const std::string& how) {
  ++restarts_;
  if (++restarts_in_vain_ > restarts_until_hopeless)
    throw WorkerRefused("the GPU worker ends again and again: " + how, false);
  if (stage_) {
    const StageBegun stage = *stage_;
    if (status == Status::timeout || ++deaths_[stage.id] >= deaths_until_guilty)
      blame(stage.id, status, fmt::format("{} ({})", how, stage.stage));
  }
  while (!in_flight_.empty()) {
    waiting_.push_front(std::move(in_flight_.back()));
    in_flight_.pop_back();
  }
  if (finals_ && finals_->jobs.empty()) { // none is left to repeat
    handle(FinalsOutcome{});
  }
  start();
}

void WorkerLink::advance() {
  const bool alive = child_->receive();
  try {
    while (auto message = child_->next())
      handle(std::move(*message));
  } catch (const ProtocolError& error) {
    child_->kill();
    return lost(Status::runtime, fmt::format("the worker answered nonsense ({})", error.what()));
  }
  if (!alive)
    return lost(Status::runtime, "the worker " + child_->reap());
  if (Clock::now() >= deadline()) {
    const auto waited = std::chrono::duration<double>(since(last_heard_)).count();
    child_->kill();
    return lost(Status::timeout, fmt::format("no answer from the GPU for {:.1f} s", waited));
  }
  feed();
  child_->send_rest();
}

void WorkerLink::add_descriptors(std::vector<pollfd>& descriptors) const {
  descriptors.push_back(
      {child_->descriptor(), static_cast<short>(POLLIN | (child_->has_unsent() ? POLLOUT : 0)), 0});
}

WorkerLink::Clock::time_point WorkerLink::deadline() const {
  if (!ready_)
    return last_heard_ + settings_.open_limit;
  if (finals_sent_)
    return last_heard_ + settings_.stage_limit * 3; // rounds over all finalists
  return in_flight_.empty() ? Clock::time_point::max() : last_heard_ + settings_.stage_limit;
}

} // namespace gridsmith
