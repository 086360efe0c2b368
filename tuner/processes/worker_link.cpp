// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/processes/worker_link.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace gridsmith {

ChildProcess start_worker(const WorkerSettings& settings) {
  std::vector<std::string> words = settings.under;
  words.push_back(settings.program);
  if (!settings.confined)
    words.emplace_back("--unconfined");
  return ChildProcess::start(words.front(), {words.begin() + 1, words.end()});
}

WorkerSettings worker_settings(const HelperSettings& helpers, std::optional<double> timeout_s) {
  WorkerSettings settings;
  settings.program = helpers.installation.programs / "gridsmith-worker";
  settings.confined = helpers.confined;
  if (timeout_s)
    settings.limits.stage_limit =
        std::chrono::milliseconds(static_cast<std::int64_t>(*timeout_s * 1000));
  return settings;
}

WorkerLink::WorkerLink(WorkerSettings settings)
    : settings_(std::move(settings)), supervisor_(settings_.limits, Clock::now()),
      spans_(settings_.spans), child_(start_worker(settings_)) {
  spans_.started();
}

void WorkerLink::start() {
  starts_.reset();
  child_ = start_worker(settings_);
  spans_.started();
  greeted_ = device_ready_ = ready_ = refused_ = false;
  open_.clear();
  tell();
}

/// What a process is told before all else, as far as it is known.
void WorkerLink::tell() {
  if (!device_)
    return;
  child_.send(*device_);
  if (work_ && has_device())
    child_.send(*work_);
  supervisor_.opening(Clock::now());
}

void WorkerLink::use(UseDevice device) {
  device_ = std::move(device);
  if (!starts_) // else the next process is told
    tell();
}

void WorkerLink::open(OpenWork work) {
  work_ = std::move(work);
  opened_.reset();
  ready_ = false;
  supervisor_.best_so_far({});
  const auto now = Clock::now();
  if (supervisor_.in_flight() > 0 || refused_) {
    supervisor_.replaced(now);
    return start();
  }
  if (has_device())
    supervisor_.opening(now, limit_of_default());
  if (const auto found = open_.find(work_->work); found != open_.end()) {
    opened_ = found->second;
    ready_ = true;
    supervisor_.opened(now);
  } else if (has_device() && !starts_) {
    child_.send(*work_);
    spans_.opening(work_->label);
  }
}

void WorkerLink::evaluate(EvaluateBatch batch) {
  supervisor_.evaluate(std::move(batch));
  feed();
}

std::optional<std::vector<Execution>> WorkerLink::evaluate_all(EvaluateBatch batch,
                                                               const std::stop_token& stop) {
  std::map<std::uint64_t, std::size_t> places;
  for (const LaunchJob& job : batch.jobs)
    places.emplace(job.id, places.size());
  evaluate(std::move(batch));
  std::vector<Execution> done(places.size());
  for (std::size_t missing = done.size(); missing > 0;) {
    if (stop.stop_requested())
      return std::nullopt;
    turn();
    for (Executed& one : take()) {
      done[places.at(one.id)] = std::move(one.execution);
      --missing;
    }
  }
  return done;
}

void WorkerLink::best_so_far(double best_ms) {
  supervisor_.best_so_far(best_ms);
  if (ready_)
    child_.send(BestSoFar{work_->work, best_ms});
}

void WorkerLink::feed() {
  for (EvaluateBatch& batch : supervisor_.batches_to_send(Clock::now())) {
    batch.work = work_->work;
    spans_.sent(batch);
    child_.send(std::move(batch));
  }
}

void WorkerLink::handle(Message message) {
  const auto now = Clock::now();
  supervisor_.heard(now);
  spans_.heard(message);
  if (const auto* hello = std::get_if<Hello>(&message)) {
    check_version(*hello, settings_.program);
    greeted_ = true;
    if (!device_)
      supervisor_.at_rest(now);
  } else if (!greeted_) {
    refuse_stranger(settings_.program);
  } else if (auto* opened = std::get_if<WorkOpened>(&message)) {
    take(std::move(*opened), now);
  } else if (std::holds_alternative<DeviceReady>(message)) {
    device_ready_ = true;
    if (!work_)
      supervisor_.at_rest(now);
    else if (!ready_)
      supervisor_.opening(now, limit_of_default());
  } else if (const auto* refused = std::get_if<WorkRefused>(&message)) {
    refused_ = true;
    throw WorkerRefused(refused->reason, refused->no_device);
  } else if (auto* stage = std::get_if<StageBegun>(&message)) {
    supervisor_.stage_begun(std::move(*stage), now);
  } else if (auto* result = std::get_if<Executed>(&message)) {
    supervisor_.executed(std::move(*result), now);
  } else if (const auto* gone = std::get_if<ContextLost>(&message)) {
    supervisor_.context_lost(*gone, now);
  }
}

void WorkerLink::take(WorkOpened opened, Clock::time_point now) {
  for (const std::uint64_t closed : opened.closed)
    open_.erase(closed);
  if (works_on(opened.work)) {
    opened_ = opened;
    ready_ = true;
    supervisor_.opened(now);
  }
  open_[opened.work] = std::move(opened);
}

std::optional<std::chrono::milliseconds> WorkerLink::limit_of_default() const {
  using namespace std::chrono_literals;
  constexpr std::chrono::milliseconds others = 10s; // to fill the data, of gigabytes
  if (!device_ready_ || !work_ || !work_->reference.default_configuration)
    return std::nullopt;
  // a short limit is of launches whose length is known
  return std::max(settings_.limits.stage_limit, others) + others;
}

void WorkerLink::lost(Status status, const std::string& how, bool from_outside) {
  const bool silent = !ready_ && status == Status::timeout;
  const bool by_default = silent && limit_of_default();
  refused_ = !supervisor_.ended(status, how, Clock::now(), from_outside);
  if (refused_ && by_default)
    throw WorkerRefused(
        fmt::format("the default configuration of {}, with which results are compared, does not "
                    "end: {}; a smaller size may do, or a longer --timeout",
                    work_->label, how),
        false);
  if (refused_)
    throw WorkerRefused(silent ? "the GPU worker does not become ready: " + how
                               : "the GPU worker keeps ending: " + how,
                        false);
  spans_.ended();
  greeted_ = device_ready_ = ready_ = false;
  open_.clear();
  starts_ = Clock::now() + supervisor_.pause();
}

void WorkerLink::advance() {
  supervisor_.paused(pauses_.late_by(), Clock::now());
  if (starts_ && Clock::now() >= *starts_)
    start();
  if (starts_)
    return;
  const bool alive = child_.receive();
  try {
    while (auto message = child_.next())
      handle(std::move(*message));
  } catch (const ProtocolError& error) {
    if (!greeted_)
      refuse_stranger(settings_.program);
    child_.kill();
    return lost(Status::runtime,
                fmt::format("the worker's answer cannot be understood ({})", error.what()));
  }
  if (!alive) {
    const std::string how = "the worker " + child_.reap();
    return lost(Status::runtime, how, child_.ended_from_outside());
  }
  if (const auto now = Clock::now(); now >= deadline()) {
    const auto silent = std::chrono::duration<double>(supervisor_.silent_for(now)).count();
    child_.kill();
    return lost(Status::timeout, fmt::format("no answer from the GPU for {:.1f} s", silent));
  }
  feed();
  child_.send_rest();
}

void WorkerLink::turn() {
  std::vector<pollfd> descriptors;
  add_descriptors(descriptors);
  wait_for_some(descriptors, deadline());
  advance();
}

void WorkerLink::add_descriptors(std::vector<pollfd>& descriptors) const {
  if (starts_)
    return;
  descriptors.push_back(
      {child_.descriptor(), static_cast<short>(POLLIN | (child_.has_unsent() ? POLLOUT : 0)), 0});
}

} // namespace gridsmith
