// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/processes/compiler_pool.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/tuner/processes/find_program.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace gridsmith {
namespace {

using namespace std::chrono_literals;

constexpr auto weighing_pause = 500ms; // between looks at what a compiler has written
constexpr int niceness = 5;            // the worker's host thread goes first …
constexpr int least_niceness = 19;     // … and what is put off last
// Bytes; NVRTC keeps growing, a fresh one is 60 MB.
constexpr std::size_t resident_limit = 300u << 20;
constexpr std::size_t enough_seen = 16;        // compilations before the time-out adapts
constexpr double patience = 20;                // times the longest good compilation so far
constexpr std::size_t most_ended_at_start = 3; // in a row, without one hello in between
constexpr std::size_t most_starved = 8; // answers in a row that the machine is short of something

/// Compiles wherever a compiler works at all.
CompileRequest simplest() {
  return {make_bundle({"probe.cu", "extern \"C\" __global__ void probe() {}\n"}), "probe", {}};
}

} // namespace

CompilerSettings compiler_settings(const HelperSettings& helpers, ReadableFolders readable,
                                   int compute_capability) {
  CompilerSettings settings;
  settings.program = helpers.installation.programs / "gridsmith-compiler";
  settings.nvrtc = helpers.nvrtc;
  settings.nvcc = helpers.nvcc;
  settings.readable = std::move(readable);
  settings.confined = helpers.confined;
  settings.processes =
      helpers.compilers.value_or(std::max(1u, std::thread::hardware_concurrency()));
  settings.compute_capability = compute_capability;
  if (helpers.cache)
    settings.cache_folder = default_cache_folder();
  settings.no_cache = settings.cache_folder.empty();
  return settings;
}

struct CompilerPool::Slot {
  RunFolder folder;                  ///< outlives the child
  std::optional<ChildProcess> child; ///< none: until `starts`
  Clock::time_point starts{};
  bool greeted = false; ///< has said its version
  Work work;
  Clock::time_point begun{};
  bool put_off = false;                      ///< its process is not to be used for anything else
  Clock::time_point weighed{};               ///< when the folder's size was looked at
  Work suspect;                              ///< crashed the last process …
  std::shared_ptr<const CodeObject> verdict; ///< … and gets this if the next one works
};

CompilerPool::CompilerPool(CompilerSettings settings)
    : settings_(std::move(settings)),
      own_cache_(settings_.no_cache ? std::make_optional<RunFolder>() : std::nullopt),
      queue_(CubinCache(own_cache_ ? own_cache_->path() : settings_.cache_folder,
                        settings_.cache_limit_bytes)) {
  for (std::size_t i = 0; i < std::max<std::size_t>(1, settings_.processes); ++i) {
    slots_.push_back(std::make_unique<Slot>());
    slots_.back()->child.emplace(start_compiler(slots_.back()->folder));
  }
  wait_for_hello(*slots_.front());
}

CompilerPool::~CompilerPool() {
  for (const std::unique_ptr<Slot>& slot : slots_) // all at once, before one is waited for
    if (slot->child)
      slot->child->kill();
}

ChildProcess CompilerPool::start_compiler(const RunFolder& folder) const {
  std::vector<std::string> arguments{"--run-folder", folder.path().string()};
  const auto add = [&](const std::string& option, const std::filesystem::path& path) {
    arguments.insert(arguments.end(), {option, path.string()});
  };
  if (settings_.nvrtc)
    add("--nvrtc", *settings_.nvrtc);
  for (const std::filesystem::path& path : settings_.readable)
    add("--read", path);
  arguments.insert(arguments.end(), nvcc_arguments_.begin(), nvcc_arguments_.end());
  if (!settings_.confined)
    arguments.push_back("--unconfined");
  return ChildProcess::start(settings_.program, arguments, niceness);
}

/// The toolkit is part of every key, so the first one is waited for (milliseconds).
void CompilerPool::wait_for_hello(Slot& slot) {
  Pauses pauses;
  auto give_up = Clock::now() + 20s;
  std::vector<pollfd> first{{slot.child->descriptor(), POLLIN, 0}};
  const auto unsaid = [&] {
    return toolkit_.empty() || (nvcc_.empty() && !nvcc_arguments_.empty());
  };
  while (unsaid()) {
    wait_for_some(first, give_up);
    give_up += pauses.late_by();
    const bool alive = slot.child->receive();
    try {
      while (auto message = slot.child->next())
        handle(slot, std::move(*message));
    } catch (const ProtocolError&) {
      refuse_stranger(settings_.program);
    }
    if (!alive && unsaid())
      throw HelperError(settings_.program.string() + " " + slot.child->reap() + " at its start");
    if (Clock::now() > give_up)
      throw HelperError(settings_.program.string() + " did not report its version within 20 s");
  }
}

std::string CompilerPool::key_of(const CompileRequest& request) {
  const bool nvcc = request.compiler == Compiler::nvcc;
  if (nvcc && nvcc_.empty())
    allow_nvcc();
  return compile_key(request, settings_.compute_capability,
                     nvcc ? nvcc_ : toolkit_ + " " + headers_);
}

std::string CompilerPool::named(Compiler compiler) const {
  if (compiler == Compiler::none)
    return "none: it was compiled before";
  return compiler == Compiler::nvrtc ? "NVRTC " + toolkit_
                                     : "nvcc " + nvcc_.substr(0, nvcc_.find(';'));
}

/// A wall is for ever, and one behind which programs may be started is for those who need it: what is there
/// ends, and what it was at is asked again.
void CompilerPool::allow_nvcc() {
  const auto programs = find_nvcc(settings_.nvcc);
  nvcc_arguments_ = {"--nvcc", programs.nvcc.string(), "--host-compiler", programs.host.string()};
  for (const auto& slot : slots_) {
    if (const auto work = std::exchange(slot->work, nullptr); work && work != probe_)
      queue_.again(work);
    rest(*slot, 0ms);
    start_again(*slot);
  }
  if (!slots_.front()->child)
    throw HelperError(settings_.program.string() + " cannot be started again");
  wait_for_hello(*slots_.front());
}

void CompilerPool::compile(std::uint64_t id, const CompileRequest& request,
                           CompileForecast forecast) {
  queue_.ask(id, key_of(request), request, forecast);
  start_some();
}

void CompilerPool::compile_ahead(const CompileRequest& request) {
  queue_.ask_ahead(key_of(request), request);
  start_some();
}

CompilerPool::Slot* CompilerPool::slot_of(std::uint64_t id) const {
  for (const auto& slot : slots_)
    if (slot->work &&
        std::count(slot->work->wanted_by.begin(), slot->work->wanted_by.end(), id) > 0)
      return slot.get();
  return nullptr;
}

std::optional<double> CompilerPool::running_s(std::uint64_t id) const {
  const Slot* slot = slot_of(id);
  return slot ? std::optional(std::chrono::duration<double>(Clock::now() - slot->begun).count())
              : std::nullopt;
}

void CompilerPool::put_off(std::uint64_t id) {
  if (Slot* slot = slot_of(id)) {
    slot->child->set_niceness(least_niceness);
    slot->put_off = true;
  }
}

void CompilerPool::give_up(std::uint64_t id) {
  Slot* slot = slot_of(id);
  queue_.withdraw(id);
  if (slot)
    end_unwanted(*slot);
}

void CompilerPool::end_ahead() {
  queue_.drop_ahead();
  for (const auto& slot : slots_)
    end_unwanted(*slot);
}

/// No failure of anybody, so that another compiler starts without a pause, once there is work for it.
void CompilerPool::end_unwanted(Slot& slot) {
  if (!slot.work || slot.work == probe_ || !slot.work->wanted_by.empty())
    return;
  const auto work = std::exchange(slot.work, nullptr);
  tell_span(slot, *work, nullptr);
  compile_ms_ += std::chrono::duration<double, std::milli>(Clock::now() - slot.begun).count();
  queue_.forget(*work);
  slot.child->kill();
  rest(slot, 0ms);
}

std::size_t CompilerPool::running() const {
  return static_cast<std::size_t>(std::count_if(
      slots_.begin(), slots_.end(), [](const auto& slot) { return slot->work != nullptr; }));
}

void CompilerPool::start_some() {
  for (const auto& slot : slots_)
    if (!slot->work && slot->child) {
      const Work work = queue_.next(slots_.size());
      if (!work)
        return;
      give(*slot, work);
    }
}

void CompilerPool::give(Slot& slot, const Work& work) {
  slot.work = work;
  slot.begun = slot.weighed = Clock::now();
  slot.child->send(CompileJob{work->request, settings_.compute_capability, settings_.ptx,
                              work->forecast.more_follow || queue_.wanted() >= slots_.size()});
}

/// As long as the compiler says that it took: its answer may have waited for us.
/// @param code none: it was lost
void CompilerPool::tell_span(const Slot& slot, const CompileWork& work,
                             const CodeObject* code) const {
  if (!settings_.spans)
    return;
  Span span{"", work.request.kernel, "", slot.begun, Clock::now()};
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i].get() == &slot)
      span.row = fmt::format("compiler {}", i + 1);
  span.detail = fmt::format("{}", fmt::join(work.request.options, " "));
  if (code && !code->headers.empty())
    span.detail += ", headers " + code->headers;
  if (code)
    span.end =
        std::min(span.end, span.begin + std::chrono::duration_cast<Clock::duration>(
                                            std::chrono::duration<double, std::milli>(code->ms)));
  settings_.spans(span);
}

void CompilerPool::handle(Slot& slot, Message message) {
  if (const auto* hello = std::get_if<Hello>(&message))
    return greet(slot, *hello);
  if (!slot.greeted)
    refuse_stranger(settings_.program);
  if (const auto* refused = std::get_if<WorkRefused>(&message))
    throw HelperError(settings_.program.string() + ": " + refused->reason);
  auto* code = std::get_if<CodeObject>(&message);
  if (!code || !slot.work)
    return;
  const auto work = std::exchange(slot.work, nullptr);
  tell_span(slot, *work, code);
  if (work == probe_)
    return condemn(slot, *code);
  if (code->of_machine)
    return starve(slot, work, std::move(*code));
  losses_in_a_row_ = 0;
  if (code->cubin)
    starved_in_a_row_ = 0;
  ++compiled_;
  tally_.compilations += 1;
  tally_.headers_used += code->headers == "used" ? 1 : 0;
  tally_.headers_made += code->headers == "made" ? 1 : 0;
  compile_ms_ += code->ms;
  longest_ms_ = std::max(longest_ms_, code->ms);
  queue_.finish(work, std::make_shared<const CodeObject>(std::move(*code)));
}

void CompilerPool::check_capability(const Hello& hello) const {
  const auto& known = hello.capabilities;
  const int wanted = settings_.compute_capability;
  if (wanted == 0 || known.empty() || std::find(known.begin(), known.end(), wanted) != known.end())
    return;
  std::string list;
  for (const int one : known)
    list += fmt::format("{}{}.{}", list.empty() ? "" : ", ", one / 10, one % 10);
  throw InputError(
      fmt::format("NVRTC {} does not compile for compute capability {}.{}, only for {}",
                  hello.toolkit, wanted / 10, wanted % 10, list));
}

void CompilerPool::compile_for(int compute_capability) {
  settings_.compute_capability = compute_capability;
  check_capability(first_hello_);
}

void CompilerPool::greet(Slot& slot, const Hello& hello) {
  check_version(hello, settings_.program);
  check_capability(hello);
  if (first_hello_.version.empty())
    first_hello_ = hello;
  slot.greeted = true;
  ended_at_start_ = 0;
  if (nvcc_.empty())
    nvcc_ = hello.nvcc;
  if (toolkit_.empty()) {
    toolkit_ = hello.toolkit; // empty still where a refusal follows
    headers_ = hello.headers;
  } else if (!hello.toolkit.empty() &&
             (hello.toolkit != toolkit_ || hello.headers != headers_ || hello.nvcc != nvcc_)) {
    throw HelperError(fmt::format("the CUDA toolkit of {} has changed during the run: start again",
                                  settings_.program.string()));
  }
}

/// A new compiler works, so the one before was ended by what it compiled.
void CompilerPool::condemn(Slot& slot, const CodeObject& probed) {
  if (!probed.cubin)
    throw HelperError(fmt::format("{} no longer compiles anything: {}", settings_.program.string(),
                                  probed.error.value_or("")));
  losses_in_a_row_ = 0;
  queue_.finish(std::exchange(slot.suspect, nullptr), std::exchange(slot.verdict, nullptr));
}

void CompilerPool::serve(Slot& slot) {
  const bool busy = slot.work != nullptr;
  const bool alive = slot.child->receive();
  try {
    while (slot.child)
      if (auto message = slot.child->next())
        handle(slot, std::move(*message));
      else
        break;
  } catch (const ProtocolError& error) {
    if (!slot.greeted)
      refuse_stranger(settings_.program);
    return lose(slot, CompilerEnd::crashed,
                fmt::format("the compiler's answer cannot be understood ({})", error.what()));
  }
  if (!slot.child)
    return;
  if (!alive) {
    const std::string how = "the compiler " + slot.child->reap();
    return lose(slot, slot.child->ended_from_outside() ? CompilerEnd::killed : CompilerEnd::crashed,
                how);
  }
  if (busy && !slot.work &&
      (slot.put_off || slot.child->resident_bytes().value_or(0) > resident_limit))
    rest(slot, 0ms);
  else
    slot.child->send_rest();
}

/// Ends the process; another one starts after the pause.
void CompilerPool::rest(Slot& slot, std::chrono::milliseconds pause) {
  slot.child.reset();
  slot.greeted = slot.put_off = false;
  slot.starts = Clock::now() + pause;
}

/// Whether there is work for a process in it.
bool CompilerPool::wanted(const Slot& slot) const {
  return slot.suspect || !queue_.empty();
}

void CompilerPool::start_again(Slot& slot) {
  try {
    slot.folder = RunFolder();
    slot.child.emplace(start_compiler(slot.folder));
  } catch (const std::system_error& error) { // no process or socket for now
    if (++ended_at_start_ > most_ended_at_start)
      throw HelperError(error.what());
    return rest(slot, pause_after(++losses_in_a_row_ + 1));
  }
  if (slot.suspect)
    give(slot, probe_);
}

void CompilerPool::lose(Slot& slot, CompilerEnd end, const std::string& how) {
  const bool greeted = slot.greeted;
  const auto work = std::exchange(slot.work, nullptr);
  if (work)
    tell_span(slot, *work, nullptr);
  const std::string program = settings_.program.string();
  if (!greeted && end == CompilerEnd::crashed)
    throw HelperError(fmt::format("{} cannot be started: {}", program, how));
  if (!greeted && ++ended_at_start_ > most_ended_at_start)
    throw HelperError(fmt::format("{} keeps ending at its start: {}", program, how));
  ++restarts_;
  rest(slot, pause_after(++losses_in_a_row_));
  if (!work)
    return;
  CodeObject verdict;
  verdict.error = how;
  blame(slot, work, greeted ? end : CompilerEnd::not_begun, std::move(verdict));
}

/// Asked again, unless it has had its chances. What a crash says counts once another compiler has
/// shown that it works: programs and libraries may be replaced while we run.
void CompilerPool::blame(Slot& slot, const Work& work, CompilerEnd end, CodeObject code) {
  using Verdict = CompileAttempts::Verdict;
  const Verdict verdict = work->attempts.after(end, limit() >= settings_.first_limit);
  const bool probed = work == probe_;
  if (probed && (verdict != Verdict::again || end == CompilerEnd::crashed))
    throw HelperError(fmt::format("{} no longer compiles even the simplest kernel: {}",
                                  settings_.program.string(), code.error.value_or("")));
  if (probed)
    return; // its slot begins with it again
  if (verdict == Verdict::again)
    return queue_.again(work);
  code.of_machine = verdict == Verdict::machine;
  auto shared = std::make_shared<const CodeObject>(std::move(code));
  if (end != CompilerEnd::crashed)
    return queue_.finish(work, std::move(shared));
  slot.suspect = work;
  slot.verdict = std::move(shared);
  if (!probe_)
    probe_ = std::make_shared<CompileWork>(CompileWork{"", simplest()});
}

/// Asked again of a fresh process; then it is said to whoever asked, who must not keep it.
void CompilerPool::starve(Slot& slot, const Work& work, CodeObject code) {
  if (++starved_in_a_row_ > most_starved)
    throw HelperError(fmt::format("{} keeps failing because this machine lacks a resource: {}",
                                  settings_.program.string(), code.error.value_or("")));
  ++restarts_;
  rest(slot, pause_after(++losses_in_a_row_));
  blame(slot, work, CompilerEnd::starved, std::move(code));
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
    if (slot->child)
      descriptors.push_back({slot->child->descriptor(),
                             static_cast<short>(POLLIN | (slot->child->has_unsent() ? POLLOUT : 0)),
                             0});
}

CompilerPool::Clock::time_point CompilerPool::end_of(const Slot& slot) const {
  return slot.begun + (slot.work->attempts.patient() ? settings_.first_limit : limit());
}

/// What takes too long, or writes without end.
void CompilerPool::end_overdue(Slot& slot) {
  const auto now = Clock::now();
  if (now > end_of(slot)) {
    const std::chrono::duration<double> allowed = end_of(slot) - slot.begun;
    slot.child->kill();
    return lose(slot, CompilerEnd::timed_out,
                fmt::format("the compiler did not answer within {:.1f} s", allowed.count()));
  }
  if (now < slot.weighed + weighing_pause)
    return;
  slot.weighed = now;
  if (slot.folder.bytes() <= settings_.folder_limit_bytes)
    return;
  slot.child->kill();
  lose(slot, CompilerEnd::crashed,
       fmt::format("the compiler wrote more than {:.1f} MiB of temporary files",
                   static_cast<double>(settings_.folder_limit_bytes) / (1 << 20)));
}

void CompilerPool::allow_for_pauses() {
  const auto by = pauses_.late_by();
  for (const auto& slot : slots_)
    if (slot->work)
      slot->begun = std::min(slot->begun + by, Clock::now());
}

void CompilerPool::advance() {
  allow_for_pauses();
  for (const auto& slot : slots_) {
    if (slot->child)
      serve(*slot);
    if (slot->child && slot->work)
      end_overdue(*slot);
    if (!slot->child && wanted(*slot) && Clock::now() >= slot->starts)
      start_again(*slot);
  }
  start_some();
}

void CompilerPool::turn() {
  std::vector<pollfd> descriptors;
  add_descriptors(descriptors);
  wait_for_some(descriptors, deadline());
  advance();
}

CompilerPool::Clock::time_point CompilerPool::deadline() const {
  auto next = Clock::time_point::max();
  for (const auto& slot : slots_)
    if (!slot->child && wanted(*slot))
      next = std::min(next, slot->starts);
    else if (slot->child && slot->work)
      next = std::min({next, end_of(*slot), slot->weighed + weighing_pause});
  return next;
}

} // namespace gridsmith
