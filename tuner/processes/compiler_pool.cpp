#include "gridsmith/tuner/processes/compiler_pool.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <system_error>

namespace gridsmith {
namespace {

using namespace std::chrono_literals;

constexpr int courtesy = 5; // niceness: the worker's host thread goes first
constexpr std::size_t resident_limit = 300u
                                       << 20; // bytes; NVRTC keeps growing, a fresh one is 60 MB
constexpr std::size_t enough_seen = 16;       // compilations before the time-out adapts
constexpr double patience = 20;               // times the longest good compilation so far
constexpr std::size_t kept_ahead = 256;       // finished ahead and not yet asked for

} // namespace

struct CompilerPool::Work {
  std::string key;
  CompileRequest request;
  std::vector<std::uint64_t> wanted_by; ///< empty: compiled ahead
  bool running = false, finished = false;
  int attempts = 0;
  CompileOutcome outcome; ///< when finished
};

struct CompilerPool::Slot {
  explicit Slot(ChildProcess started) : child(std::move(started)) {}

  ChildProcess child;
  std::shared_ptr<Work> work;
  Clock::time_point begun{};
};

CompilerPool::CompilerPool(CompilerSettings settings)
    : settings_(std::move(settings)),
      cache_(settings_.no_cache ? std::filesystem::path{} : settings_.cache_folder,
             settings_.cache_limit_bytes) {
  toolkit_ = settings_.program.string(); // replaced by the version as soon as it is known
  for (std::size_t i = 0; i < settings_.processes; ++i)
    slots_.push_back(std::make_unique<Slot>(ChildProcess::start(settings_.program, {}, courtesy)));
  // The version is part of every key, so the first hello is waited for (milliseconds).
  pollfd first{slots_.front()->child.descriptor(), POLLIN, 0};
  const auto give_up = Clock::now() + 20s;
  for (bool known = false; !known && Clock::now() < give_up;) {
    ::poll(&first, 1, 100);
    if (!slots_.front()->child.receive())
      throw std::system_error(ENOEXEC, std::generic_category(),
                              settings_.program.string() + " ended at its start (" +
                                  slots_.front()->child.reap() + ")");
    if (const auto message = slots_.front()->child.next())
      if (const auto* hello = std::get_if<CompilerHello>(&*message)) {
        toolkit_ = hello->nvrtc_version;
        known = true;
      }
  }
}

CompilerPool::~CompilerPool() = default;

void CompilerPool::compile(std::uint64_t id, const CompileRequest& request) {
  const std::string key = compile_key(request, settings_.compute_capability, toolkit_);
  auto& work = by_key_[key];
  if (!work) {
    work = std::make_shared<Work>();
    work->key = key;
    work->request = request;
    if (auto cached = cache_.find(key)) {
      cached->ms = 0; // nothing was compiled now
      work->finished = true;
      work->outcome = std::move(*cached);
    }
  }
  if (work->finished) {
    done_.push_back(work->outcome);
    done_.back().id = id;
    by_key_.erase(key); // each configuration is asked for once; its cubin need not stay in memory
    return;
  }
  const bool was_ahead = work->wanted_by.empty();
  work->wanted_by.push_back(id);
  if (was_ahead && !work->running) {
    std::erase(ahead_, work);
    urgent_.push_back(work);
  }
  start_some();
}

void CompilerPool::compile_ahead(const CompileRequest& request) {
  const std::string key = compile_key(request, settings_.compute_capability, toolkit_);
  if (by_key_.size() >= kept_ahead || by_key_.contains(key) || cache_.find(key))
    return;
  auto work = std::make_shared<Work>();
  work->key = key;
  work->request = request;
  by_key_[key] = work;
  ahead_.push_back(work);
  start_some();
}

std::vector<CompileOutcome> CompilerPool::take() {
  return std::exchange(done_, {});
}

std::size_t CompilerPool::running() const {
  return static_cast<std::size_t>(std::count_if(
      slots_.begin(), slots_.end(), [](const auto& slot) { return slot->work != nullptr; }));
}

void CompilerPool::start_some() {
  for (const auto& slot : slots_) {
    auto& queue = urgent_.empty() ? ahead_ : urgent_;
    if (queue.empty())
      return;
    if (slot->work)
      continue;
    const auto work = queue.front();
    queue.pop_front();
    give(*slot, work);
  }
}

void CompilerPool::give(Slot& slot, const std::shared_ptr<Work>& work) {
  work->running = true;
  ++work->attempts;
  slot.work = work;
  slot.begun = Clock::now();
  CompileJob job;
  job.request = work->request;
  job.compute_capability = settings_.compute_capability;
  slot.child.send(job);
}

void CompilerPool::finish(const std::shared_ptr<Work>& work, CompileOutcome outcome) {
  work->running = false;
  work->finished = true;
  cache_.add(work->key, outcome);
  if (work->wanted_by.empty()) {
    work->outcome = std::move(outcome); // waits until it is asked for
    return;
  }
  for (const std::uint64_t id : work->wanted_by) {
    done_.push_back(outcome);
    done_.back().id = id;
  }
  by_key_.erase(work->key);
}

void CompilerPool::serve(Slot& slot) {
  const bool alive = slot.child.receive();
  try {
    while (auto message = slot.child.next()) {
      auto* outcome = std::get_if<CompileOutcome>(&*message);
      if (!outcome || !slot.work)
        continue;
      ++compiled_;
      compile_ms_ += outcome->ms;
      longest_ms_ = std::max(longest_ms_, outcome->ms);
      finish(std::exchange(slot.work, nullptr), std::move(*outcome));
      if (slot.child.resident_bytes() > resident_limit)
        slot.child = ChildProcess::start(settings_.program, {}, courtesy);
    }
  } catch (const ProtocolError& error) {
    return lose(slot, Status::compile,
                fmt::format("the compiler answered nonsense ({})", error.what()));
  }
  if (!alive)
    lose(slot, Status::compile, "the compiler " + slot.child.reap());
  else
    slot.child.send_rest();
}

/// The process is replaced; its configuration is tried once more when something outside may have
/// ended it.
void CompilerPool::lose(Slot& slot, Status why, const std::string& how) {
  const auto work = std::exchange(slot.work, nullptr);
  ++restarts_;
  slot.child = ChildProcess::start(settings_.program, {}, courtesy);
  if (!work)
    return;
  work->running = false;
  if (why == Status::compile && work->attempts < 2) {
    urgent_.push_front(work);
    return;
  }
  CompileOutcome outcome;
  outcome.ok = false;
  outcome.reason = how;
  finish(work, std::move(outcome));
}

std::chrono::milliseconds CompilerPool::limit() const {
  if (compiled_ < enough_seen)
    return settings_.first_limit;
  const auto adaptive =
      std::chrono::milliseconds(static_cast<std::int64_t>(patience * longest_ms_));
  return std::clamp(adaptive, settings_.least_limit, settings_.first_limit);
}

void CompilerPool::add_descriptors(std::vector<pollfd>& descriptors) const {
  for (const auto& slot : slots_)
    descriptors.push_back({slot->child.descriptor(),
                           static_cast<short>(POLLIN | (slot->child.has_unsent() ? POLLOUT : 0)),
                           0});
}

void CompilerPool::advance() {
  for (const auto& slot : slots_) {
    serve(*slot);
    if (slot->work && Clock::now() - slot->begun > limit()) {
      const auto seconds = std::chrono::duration<double>(limit()).count();
      slot->child.kill();
      lose(*slot, Status::timeout,
           fmt::format("the compiler did not answer within {:.1f} s", seconds));
    }
  }
  start_some();
}

CompilerPool::Clock::time_point CompilerPool::deadline() const {
  auto next = Clock::time_point::max();
  for (const auto& slot : slots_)
    if (slot->work)
      next = std::min(next, slot->begun + limit());
  return next;
}

} // namespace gridsmith
