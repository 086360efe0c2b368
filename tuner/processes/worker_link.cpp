#include "gridsmith/tuner/processes/worker_link.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <utility>

namespace gridsmith {

namespace {

ChildProcess start_worker(const WorkerSettings& settings) {
  std::vector<std::string> arguments;
  if (!settings.confined)
    arguments.push_back("--unconfined");
  return ChildProcess::start(settings.program, arguments);
}

} // namespace

WorkerLink::WorkerLink(WorkerSettings settings, OpenWork open)
    : settings_(std::move(settings)), open_(std::move(open)),
      supervisor_(settings_.limits, Clock::now()), child_(start_worker(settings_)) {
  child_.send(open_);
}

void WorkerLink::start() {
  starts_.reset();
  child_ = start_worker(settings_);
  child_.send(open_);
}

void WorkerLink::evaluate(EvaluateBatch batch) {
  supervisor_.evaluate(std::move(batch));
  feed();
}

void WorkerLink::best_so_far(double best_ms) {
  supervisor_.best_so_far(best_ms);
  if (ready_)
    child_.send(BestSoFar{best_ms});
}

void WorkerLink::feed() {
  for (EvaluateBatch& batch : supervisor_.batches_to_send(Clock::now()))
    child_.send(std::move(batch));
}

void WorkerLink::handle(Message message) {
  const auto now = Clock::now();
  supervisor_.heard(now);
  if (const auto* hello = std::get_if<Hello>(&message)) {
    check_version(*hello, settings_.program);
    greeted_ = true;
  } else if (!greeted_) {
    refuse_stranger(settings_.program);
  } else if (auto* opened = std::get_if<WorkOpened>(&message)) {
    opened_ = std::move(*opened);
    ready_ = true;
    supervisor_.opened(now);
  } else if (const auto* refused = std::get_if<WorkRefused>(&message)) {
    throw WorkerRefused(refused->reason, refused->no_device);
  } else if (auto* stage = std::get_if<StageBegun>(&message)) {
    supervisor_.stage_begun(std::move(*stage), now);
  } else if (auto* result = std::get_if<Executed>(&message)) {
    supervisor_.executed(std::move(*result), now);
  } else if (const auto* gone = std::get_if<ContextLost>(&message)) {
    supervisor_.context_lost(*gone, now);
  }
}

void WorkerLink::lost(Status status, const std::string& how, bool from_outside) {
  const bool silent = !ready_ && status == Status::timeout;
  if (!supervisor_.ended(status, how, Clock::now(), from_outside))
    throw WorkerRefused(silent ? "the GPU worker does not become ready: " + how
                               : "the GPU worker ends again and again: " + how,
                        false);
  greeted_ = ready_ = false;
  starts_ = Clock::now() + supervisor_.pause();
}

void WorkerLink::advance() {
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

void WorkerLink::add_descriptors(std::vector<pollfd>& descriptors) const {
  if (starts_)
    return;
  descriptors.push_back(
      {child_.descriptor(), static_cast<short>(POLLIN | (child_.has_unsent() ? POLLOUT : 0)), 0});
}

} // namespace gridsmith
