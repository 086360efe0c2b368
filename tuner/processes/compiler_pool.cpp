#include "gridsmith/tuner/processes/compiler_pool.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <utility>

namespace gridsmith {
namespace {

using namespace std::chrono_literals;

constexpr int niceness = 5; // the worker's host thread goes first
// Bytes; NVRTC keeps growing, a fresh one is 60 MB.
constexpr std::size_t resident_limit = 300u << 20;
constexpr std::size_t enough_seen = 16;        // compilations before the time-out adapts
constexpr double patience = 20;                // times the longest good compilation so far
constexpr std::size_t most_ended_at_start = 3; // in a row, without one hello in between
constexpr std::size_t kept_ahead = 256;        // finished ahead and not yet asked for

} // namespace

struct CompilerPool::Work {
  std::string key;
  CompileRequest request;
  std::vector<std::uint64_t> wanted_by; ///< empty: compiled ahead
  bool running = false;
  int attempts = 0;
  std::shared_ptr<const CodeObject> code; ///< when finished
};

struct CompilerPool::Slot {
  explicit Slot(ChildProcess started) : child(std::move(started)) {}

  ChildProcess child;
  bool greeted = false; ///< has said its version
  std::shared_ptr<Work> work;
  Clock::time_point begun{};
};

CompilerPool::CompilerPool(CompilerSettings settings)
    : settings_(std::move(settings)),
      cache_(settings_.no_cache ? std::filesystem::path{} : settings_.cache_folder,
             settings_.cache_limit_bytes) {
  for (std::size_t i = 0; i < std::max<std::size_t>(1, settings_.processes); ++i)
    slots_.push_back(std::make_unique<Slot>(start_compiler()));
  wait_for_hello(*slots_.front());
}

CompilerPool::~CompilerPool() = default;

ChildProcess CompilerPool::start_compiler() const {
  std::vector<std::string> arguments;
  if (settings_.nvrtc)
    arguments = {"--nvrtc", settings_.nvrtc->string()};
  return ChildProcess::start(settings_.program, arguments, niceness);
}

/// The toolkit's version is part of every key, so the first one is waited for (milliseconds).
void CompilerPool::wait_for_hello(Slot& slot) {
  const auto give_up = Clock::now() + 20s;
  pollfd first{slot.child.descriptor(), POLLIN, 0};
  while (toolkit_.empty()) {
    ::poll(&first, 1, 100);
    const bool alive = slot.child.receive();
    try {
      while (auto message = slot.child.next())
        handle(slot, std::move(*message));
    } catch (const ProtocolError&) {
      refuse_stranger(settings_.program);
    }
    if (!alive && toolkit_.empty())
      throw HelperError(settings_.program.string() + " " + slot.child.reap() + " at its start");
    if (Clock::now() > give_up)
      throw HelperError(settings_.program.string() + " has not said its version within 20 s");
  }
}

void CompilerPool::compile(std::uint64_t id, const CompileRequest& request) {
  const std::string key = compile_key(request, settings_.compute_capability, toolkit_);
  auto& work = by_key_[key];
  if (!work) {
    work = std::make_shared<Work>();
    work->key = key;
    work->request = request;
    if (auto cached = cache_.find(key)) {
      cached->ms = 0; // nothing was compiled now
      work->code = std::move(cached);
    }
  }
  if (work->code) {
    done_.push_back({id, work->code});
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
  if (by_key_.size() >= kept_ahead || by_key_.contains(key) || cache_.contains(key))
    return;
  auto work = std::make_shared<Work>();
  work->key = key;
  work->request = request;
  by_key_[key] = work;
  ahead_.push_back(work);
  start_some();
}

void CompilerPool::withdraw(std::uint64_t id) {
  std::erase_if(done_, [&](const Compiled& one) { return one.id == id; });
  for (auto at = by_key_.begin(); at != by_key_.end(); ++at) {
    const std::shared_ptr<Work> work = at->second;
    if (std::erase(work->wanted_by, id) == 0)
      continue;
    if (work->wanted_by.empty() && !work->running) {
      std::erase(urgent_, work);
      by_key_.erase(at);
    }
    return; // what runs is finished as if it had been compiled ahead
  }
}

std::vector<Compiled> CompilerPool::take() {
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
  slot.child.send(CompileJob{work->request, settings_.compute_capability});
}

void CompilerPool::finish(const std::shared_ptr<Work>& work,
                          std::shared_ptr<const CodeObject> code) {
  work->running = false;
  cache_.add(work->key, *code);
  if (work->wanted_by.empty()) {
    work->code = std::move(code); // waits until it is asked for
    return;
  }
  for (const std::uint64_t id : work->wanted_by)
    done_.push_back({id, code});
  by_key_.erase(work->key);
}

void CompilerPool::handle(Slot& slot, Message message) {
  if (const auto* hello = std::get_if<Hello>(&message)) {
    check_version(*hello, settings_.program);
    slot.greeted = true;
    ended_at_start_ = 0;
    if (toolkit_.empty())
      toolkit_ = hello->toolkit; // empty still where a refusal follows
    return;
  }
  if (!slot.greeted)
    refuse_stranger(settings_.program);
  if (const auto* refused = std::get_if<WorkRefused>(&message))
    throw HelperError(settings_.program.string() + ": " + refused->reason);
  auto* code = std::get_if<CodeObject>(&message);
  if (!code || !slot.work)
    return;
  ++compiled_;
  compile_ms_ += code->ms;
  longest_ms_ = std::max(longest_ms_, code->ms);
  finish(std::exchange(slot.work, nullptr), std::make_shared<const CodeObject>(std::move(*code)));
}

void CompilerPool::serve(Slot& slot) {
  const bool busy = slot.work != nullptr;
  const bool alive = slot.child.receive();
  try {
    while (auto message = slot.child.next())
      handle(slot, std::move(*message));
  } catch (const ProtocolError& error) {
    if (!slot.greeted)
      refuse_stranger(settings_.program);
    return lose(slot, Status::compile,
                fmt::format("the compiler's answer cannot be understood ({})", error.what()));
  }
  if (!alive)
    return lose(slot, Status::compile, "the compiler " + slot.child.reap());
  if (busy && !slot.work && slot.child.resident_bytes().value_or(0) > resident_limit)
    replace(slot);
  slot.child.send_rest();
}

void CompilerPool::replace(Slot& slot) {
  slot.child = start_compiler();
  slot.greeted = false;
}

/// The process is replaced; its configuration is tried once more when something outside may have
/// ended it.
void CompilerPool::lose(Slot& slot, Status why, const std::string& how) {
  const auto work = std::exchange(slot.work, nullptr);
  ++restarts_;
  if (!slot.greeted && ++ended_at_start_ > most_ended_at_start)
    throw HelperError(settings_.program.string() + " ends at its start again and again: " + how);
  replace(slot);
  if (!work)
    return;
  work->running = false;
  if (why == Status::compile && work->attempts < 2) {
    (work->wanted_by.empty() ? ahead_ : urgent_).push_front(work);
    return;
  }
  CodeObject code;
  code.error = how;
  finish(work, std::make_shared<const CodeObject>(std::move(code)));
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
