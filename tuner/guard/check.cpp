#include "gridsmith/tuner/guard/check.hpp"

#include "gridsmith/base/clock_text.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/source/kernel_line.hpp"
#include "gridsmith/metrics/catalogue/counter_sets.hpp"
#include "gridsmith/results/check/code_change.hpp"
#include "gridsmith/results/check/counter_change.hpp"
#include "gridsmith/results/check/pair_plan.hpp"
#include "gridsmith/tuner/gpu/device_list.hpp"
#include "gridsmith/tuner/gpu/gpu_lock.hpp"
#include "gridsmith/tuner/gpu/gpu_users.hpp"
#include "gridsmith/tuner/gpu/open_work.hpp"
#include "gridsmith/tuner/guard/check_subject.hpp"
#include "gridsmith/tuner/guard/pair_worker.hpp"
#include "gridsmith/tuner/guard/past_checks.hpp"
#include "gridsmith/tuner/processes/clock_lock.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <tuple>
#include <utility>

namespace gridsmith {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_changes = 6; ///< shown of a kernel

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What the baseline holds; nothing where old code is of a revision or of another compiler.
std::vector<BaselineEntry> asked(const CheckSettings& settings) {
  if (!settings.against && !settings.old_nvrtc)
    return old_entries(settings.baseline);
  if (settings.kernels.empty())
    throw InputError(
        "a check without a baseline needs the kernels that are checked, by the files of "
        "their definitions");
  return {};
}

Device device_of(const CheckSettings& settings) {
  const DeviceList list = query_devices(settings.installation.helpers);
  if (list.devices.empty())
    throw NoSuchDevice(fmt::format("no CUDA device here ({}); 'gridsmith check --static' compares "
                                   "compiled code without one",
                                   list.reason));
  if (settings.device < 0 || static_cast<std::size_t>(settings.device) >= list.devices.size())
    throw NoSuchDevice(fmt::format("no device {}; there are devices 0 to {}", settings.device,
                                   list.devices.size() - 1));
  return list.devices[static_cast<std::size_t>(settings.device)];
}

/// Cold or warm as it was recorded.
Conditions conditions_of(const CheckSubject& subject, const CheckSettings& settings) {
  Conditions conditions;
  if (subject.before.time)
    conditions.cache = subject.before.time->conditions.cache;
  conditions.locked_clock_mhz = settings.locked_clock_mhz;
  conditions.timeout_s = settings.timeout_s;
  conditions.counter_set = "none";
  return conditions;
}

/// One that is judged by running it, and what came of that.
struct Running {
  CheckSubject* subject = nullptr;
  CheckCase* one = nullptr;
  CounterValues counters_before = {}, counters_now = {};
};

class Check {
public:
  Check(const CheckSettings& settings, const std::stop_token& stop, const CheckListener& listener)
      : settings_(settings), stop_(stop), listener_(listener), entries_(asked(settings)),
        device_(device_of(settings)) {}

  CheckResult run();

private:
  void prepare();
  void settle_identical();
  void judge_by_times(CheckSubject& subject, CheckCase& one);
  void judge_by_pairs(std::vector<Running>& running);
  void tell_doubts(const CheckCase& one);
  bool take(Running& running, const PairStep& step, std::vector<PairsOfWorker>& to);
  void count(Running& running);
  void tell_uncounted(const std::string& why);
  void explain(Running& running) const;
  static void explain_by_code(const CheckSubject& subject, CheckCase& one);
  std::unique_ptr<PairWorker> process_for(const CheckSubject& subject,
                                          const std::string& counters) const;
  OpenWork work_of(const CheckSubject& subject, const std::string& counters) const;
  std::uint64_t number_of(const CheckSubject& subject) const;
  WorkerSettings worker_settings() const;
  static PairSides sides_of(const CheckSubject& subject);
  bool fail(Running& running, const PairExecutions& executions) const;
  void tell(const CheckSubject& subject);
  void note(const std::string& line) const;
  void take_gpu();

  const CheckSettings& settings_;
  const std::stop_token& stop_;
  const CheckListener& listener_;
  std::vector<BaselineEntry> entries_; ///< of a file; read before the device is asked for
  Device device_;
  std::optional<Checkout> checkout_; ///< outlives the subjects
  std::vector<CheckSubject> subjects_;
  CheckResult result_;
  std::optional<GpuLock> lock_; ///< outlives all that uses the GPU
  std::unique_ptr<ClockLock> clock_;
  std::unique_ptr<PairWorker> worker_; ///< of all kernels, one after the other
  std::size_t process_ = 0;            ///< its number
  const CheckSubject* told_ = nullptr;
  bool uncounted_ = false; ///< said once
};

void Check::note(const std::string& line) const {
  if (listener_.note)
    listener_.note(line);
}

void Check::tell(const CheckSubject& subject) {
  if (!listener_.progress || std::exchange(told_, &subject) == &subject)
    return;
  listener_.progress(
      {subject.before.kernel + " " + subject.before.problem, number_of(subject), subjects_.size()});
}

void Check::prepare() {
  if (settings_.against) {
    const Repository repository(
        find_definition(settings_.kernels.front(), settings_.installation.catalogue));
    const std::string commit = repository.commit(*settings_.against);
    checkout_.emplace(repository, commit);
    result_.baseline = repository.title(commit);
    subjects_ = subjects_of_revision(settings_, device_, &*checkout_);
  } else if (settings_.old_nvrtc) {
    result_.baseline = settings_.old_nvrtc->string();
    subjects_ = subjects_of_revision(settings_, device_, nullptr);
  } else {
    result_.baseline = settings_.baseline.string();
    subjects_ = subjects_of_file(std::move(entries_), settings_, device_);
  }
  compile_subjects(subjects_, settings_, device_, stop_);
  settle_identical();
  for (const CheckSubject& subject : subjects_) {
    CheckCase& one = result_.cases.emplace_back();
    one.kernel = subject.before.kernel;
    one.problem = subject.before.problem;
    one.where = device_.name;
    one.configuration = to_text(subject.before.configuration);
    if (subject.instance) {
      const KernelDefinition& definition = subject.instance->definition;
      one.file = definition.source.string();
      one.line = kernel_line(subject.instance->source->main.text, definition.kernel);
    }
  }
}

/// The same instructions in the same shape take the same time.
void Check::settle_identical() {
  for (CheckSubject& subject : subjects_)
    if (!subject.settled && !settings_.identical_too && !subject.before.code_hash.empty() &&
        subject.before.code_hash == subject.now.code_hash &&
        subject.before.geometry == subject.now.geometry)
      subject.settle(CheckVerdict::same, "the same machine code");
}

/// Our turn on the GPU, and its clock.
void Check::take_gpu() {
  const std::filesystem::path folder = gpu_lock_folder();
  if (!device_.uuid.empty() && !folder.empty()) {
    lock_.emplace(folder, device_.uuid);
    wait_for_gpu(
        *lock_, fmt::format("GPU {} ({})", device_.ordinal, device_.name), settings_.share,
        [this](const std::string& line) { note(line); }, stop_);
  }
  for (const std::string& user : other_users(settings_.installation.helpers, device_.uuid))
    result_.notes.push_back("beside another process on this GPU: " + user);
  if (settings_.locked_clock_mhz)
    clock_ = std::make_unique<ClockLock>(settings_.installation.helpers, device_.uuid,
                                         *settings_.locked_clock_mhz);
}

WorkerSettings Check::worker_settings() const {
  WorkerSettings worker;
  worker.program = settings_.installation.helpers / "gridsmith-worker";
  worker.confined = settings_.confined;
  worker.limits.stage_limit =
      std::chrono::milliseconds(static_cast<std::int64_t>(settings_.timeout_s * 1000));
  return worker;
}

std::unique_ptr<PairWorker> Check::process_for(const CheckSubject& subject,
                                               const std::string& counters) const {
  Conditions conditions = conditions_of(subject, settings_);
  conditions.counter_set = counters;
  UseDevice device = use_device(*subject.instance, conditions);
  device.device_code = subject.device_code->cubin;
  return std::make_unique<PairWorker>(worker_settings(), std::move(device));
}

std::uint64_t Check::number_of(const CheckSubject& subject) const {
  return static_cast<std::uint64_t>(&subject - subjects_.data()) + 1;
}

/// Where the definition has no reference, old and new are compared with each other.
OpenWork Check::work_of(const CheckSubject& subject, const std::string& counters) const {
  Conditions conditions = conditions_of(subject, settings_);
  conditions.counter_set = counters;
  OpenWork open = open_work(*subject.instance, conditions, settings_.seed);
  open.work = number_of(subject);
  open.counters.clear(); // of a race, which there is none of
  open.measure_copy = false;
  if (subject.reference)
    open.reference.kernel =
        Launchable{subject.reference->cubin, subject.reference->kernel,
                   reference_geometry(*subject.instance, subject.now.configuration)};
  else if (!subject.instance->definition.reference.any()) {
    open.reference.kernel = sides_of(subject).before;
    open.reference.default_configuration = true;
  }
  return open;
}

PairSides Check::sides_of(const CheckSubject& subject) {
  const std::string old_kernel =
      subject.before.binary ? subject.before.binary->kernel : subject.code->kernel;
  return {{subject.old_binary, old_kernel, subject.before.geometry},
          {subject.code->cubin, subject.code->kernel, subject.now.geometry}};
}

/// What it means that one of the two, or both, did not give a right result.
bool Check::fail(Running& running, const PairExecutions& executions) const {
  CheckCase& one = *running.one;
  const auto say = [](const Execution& execution) {
    return fmt::format("{}{}{}", to_text(execution.status), execution.reason.empty() ? "" : ": ",
                       execution.reason);
  };
  if (!executions.now.correct()) {
    one.verdict = CheckVerdict::wrong;
    one.reason = say(executions.now);
    if (!executions.before.correct())
      one.reason += fmt::format(" (the old code: {})", say(executions.before));
  } else {
    one.verdict = CheckVerdict::incomparable;
    one.reason = "the old code, with the data of now: " + say(executions.before);
  }
  return false;
}

/// Adds pairs of the process that the step asks for. False: `one` says why there are none.
bool Check::take(Running& running, const PairStep& step, std::vector<PairsOfWorker>& to) {
  const CheckSubject& subject = *running.subject;
  const auto start = Clock::now();
  tell(subject);
  if (stop_.stop_requested()) {
    running.one->reason = "interrupted";
    return false;
  }
  try {
    if (!worker_ || process_ != step.process) {
      worker_.reset(); // its memory first
      worker_ = process_for(subject, "none");
      process_ = step.process;
    }
    if (!worker_->works_on(number_of(subject)))
      worker_->open(work_of(subject, "none"));
    if (step.process == to.size())
      to.emplace_back();
    const auto executions =
        worker_->run(sides_of(subject), step.pairs, loads_new_first(step.process), stop_);
    running.one->seconds += seconds_since(start);
    if (!executions) {
      running.one->reason = "interrupted";
      return false;
    }
    tell_doubts(*running.one);
    if (!executions->good())
      return fail(running, *executions);
    add_samples(*executions, to.back());
    return true;
  } catch (const WorkerRefused& refused) {
    if (refused.no_device())
      throw;
    worker_.reset();
    running.one->verdict = CheckVerdict::incomparable;
    running.one->reason = refused.what();
    return false;
  } catch (const InputError& error) { // a file of elements
    running.one->verdict = CheckVerdict::missing;
    running.one->reason = error.what();
    return false;
  }
}

/// What is wrong with what both were compared with, once.
void Check::tell_doubts(const CheckCase& one) {
  const auto& opened = worker_->opened();
  for (const auto& doubt : {opened->reference_problem, opened->unverified_because})
    if (doubt) {
      std::string line = title_of(one) + ": not verified: " + *doubt;
      if (std::find(result_.notes.begin(), result_.notes.end(), line) == result_.notes.end())
        result_.notes.push_back(std::move(line));
    }
}

void Check::judge_by_pairs(std::vector<Running>& running) {
  const auto judged = judge_kernels(
      running.size(),
      [&](std::size_t kernel, const PairStep& step, std::vector<PairsOfWorker>& to) {
        return take(running[kernel], step, to);
      },
      settings_.pairs);
  worker_.reset();
  for (std::size_t i = 0; i < running.size(); ++i)
    if (judged[i]) {
      CheckCase& one = *running[i].one;
      one.verdict = judged[i]->verdict;
      one.reason = judged[i]->reason;
      one.time = judged[i]->time;
    }
}

/// By recorded times of the same device, which drift from session to session.
void Check::judge_by_times(CheckSubject& subject, CheckCase& one) {
  one.weaker = true;
  const auto& time = subject.before.time;
  if (!time || !(time->low_ms > 0)) {
    one.verdict = CheckVerdict::incomparable;
    one.reason = subject.no_old_binary + ", and no time was recorded";
    return;
  }
  if (time->device != device_.name) {
    one.verdict = CheckVerdict::incomparable;
    one.reason = fmt::format("{}, and its time is of {}", subject.no_old_binary, time->device);
    return;
  }
  tell(subject);
  const auto start = Clock::now();
  SessionSettings session{.kernel = subject.instance->definition.file.string(),
                          .include = settings_.include,
                          .problems = {subject.instance->problem},
                          .devices = {settings_.device},
                          .conditions = conditions_of(subject, settings_),
                          .only = {subject.now.configuration},
                          .seed = settings_.seed,
                          .compilers = settings_.compilers,
                          .cache = settings_.cache,
                          .confined = settings_.confined,
                          .share = settings_.share,
                          .installation = settings_.installation};
  session.finals.most = 0;
  std::vector<double> now_ms;
  std::optional<double> clock_mhz;
  for (int process = 0; process < 2; ++process)
    for (const Outcome& outcome : Session(session).run(stop_))
      for (const Measurement& measured : outcome.result.measurements) {
        if (!measured.correct()) {
          one.verdict = CheckVerdict::wrong;
          one.reason = fmt::format("{}: {}", to_text(measured.status), measured.reason);
          return;
        }
        now_ms.insert(now_ms.end(), measured.times_ms.begin(), measured.times_ms.end());
        clock_mhz = measured.sm_clock_mhz;
      }
  one.seconds = seconds_since(start);
  const Judged judged =
      judge_times(now_ms, time->median_ms, time->low_ms, time->high_ms, settings_.pairs);
  one.time = judged.time;
  one.verdict = judged.verdict;
  one.reason = fmt::format("{}; {}, so times of two sessions are compared, which is weaker: only "
                           "beyond {:g} %",
                           judged.reason, subject.no_old_binary,
                           100 * settings_.pairs.widened * settings_.pairs.least_effect);
  constexpr double same_clock = 0.02;
  if (time->sm_clock_mhz && clock_mhz &&
      std::abs(*clock_mhz / *time->sm_clock_mhz - 1) > same_clock) {
    one.verdict = CheckVerdict::incomparable;
    one.reason = fmt::format("the SM clock was {:.0f} MHz and is {:.0f} MHz; {}",
                             *time->sm_clock_mhz, *clock_mhz, subject.no_old_binary);
  }
}

/// Both sides once, in a process of their own: a profiler disturbs times.
void Check::count(Running& running) {
  if (stop_.stop_requested())
    return;
  try {
    const auto worker = process_for(*running.subject, "default");
    worker->open(work_of(*running.subject, "default"));
    const auto executions = worker->run(sides_of(*running.subject), 1, false, stop_);
    if (!executions || !executions->good())
      return;
    running.counters_before = executions->before.counters;
    running.counters_now = executions->now.counters;
    if (const auto& why = executions->now.uncounted_because)
      tell_uncounted(*why);
  } catch (const WorkerRefused& refused) { // it has run: without counters it is judged all the same
    tell_uncounted(refused.what());
  }
}

/// Once for all kernels.
void Check::tell_uncounted(const std::string& why) {
  if (!std::exchange(uncounted_, true))
    result_.notes.push_back("no counters: " + why);
}

void Check::explain(Running& running) const {
  CheckCase& one = *running.one;
  std::size_t exact = 0;
  for (const CounterChange& change :
       counter_changes(running.counters_before, running.counters_now)) {
    exact += change.exact ? 1 : 0;
    if (one.changes.size() < most_changes)
      one.changes.push_back(to_text(change));
  }
  const bool passes = one.verdict == CheckVerdict::same || one.verdict == CheckVerdict::faster ||
                      one.verdict == CheckVerdict::undecided;
  if (settings_.counters != CounterUse::exact || !passes)
    return;
  if (running.counters_now.empty()) {
    one.verdict = CheckVerdict::incomparable;
    one.reason = "its counters could not be read";
  } else if (exact > 0) {
    one.verdict = CheckVerdict::changed;
    one.reason = counted(exact, "exact counter") + " changed";
  }
}

/// What was compiled differs in, before what was counted.
void Check::explain_by_code(const CheckSubject& subject, CheckCase& one) {
  if (one.verdict == CheckVerdict::same || subject.before.code_hash.empty() ||
      subject.now.code_hash.empty())
    return;
  std::vector<std::string> words;
  for (const CodeChange& change : code_changes(subject.before, subject.now))
    if (words.size() < most_changes)
      words.push_back(change.what);
  one.changes.insert(one.changes.begin(), words.begin(), words.end());
}

CheckResult Check::run() {
  result_.date = utc_now();
  result_.least_effect = settings_.pairs.least_effect;
  result_.rules = settings_.failures;
  prepare();
  result_.how = fmt::format("old and new in turn on {}", device_.name);
  std::vector<Running> running;
  for (std::size_t i = 0; i < subjects_.size() && !stop_.stop_requested(); ++i) {
    CheckSubject& subject = subjects_[i];
    CheckCase& one = result_.cases[i];
    if (subject.settled)
      std::tie(one.verdict, one.reason) = *subject.settled;
    else if (subject.old_binary)
      running.push_back({&subject, &one});
    else
      judge_by_times(subject, one); // before the GPU is ours: a session takes it on its own
  }
  if (!running.empty() && !stop_.stop_requested()) {
    take_gpu();
    judge_by_pairs(running);
  }
  for (Running& one : running) {
    const bool wanted =
        settings_.counters == CounterUse::exact ||
        (settings_.counters == CounterUse::explain && one.one->verdict != CheckVerdict::same);
    if (wanted && one.one->time) {
      count(one);
      explain(one);
    }
  }
  for (std::size_t i = 0; i < subjects_.size(); ++i)
    explain_by_code(subjects_[i], result_.cases[i]);
  result_.interrupted = stop_.stop_requested();
  if (settings_.store && !result_.interrupted)
    keep_checks(*settings_.store, result_, subjects_, device_);
  return std::move(result_);
}

} // namespace

CheckResult run_check(const CheckSettings& settings, const std::stop_token& stop,
                      const CheckListener& listener) {
  check(settings.pairs);
  return Check(settings, stop, listener).run();
}

} // namespace gridsmith
