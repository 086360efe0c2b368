// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/guard/check.hpp"

#include "gridsmith/base/clock_text.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/source/kernel_line.hpp"
#include "gridsmith/results/check/code_change.hpp"
#include "gridsmith/results/check/counter_change.hpp"
#include "gridsmith/results/explanation/explanation.hpp"
#include "gridsmith/tuner/gpu/device_list.hpp"
#include "gridsmith/tuner/gpu/gpu_lock.hpp"
#include "gridsmith/tuner/gpu/gpu_users.hpp"
#include "gridsmith/tuner/guard/check_subjects.hpp"
#include "gridsmith/tuner/guard/pair_runs.hpp"
#include "gridsmith/tuner/guard/past_checks.hpp"
#include "gridsmith/tuner/guard/recorded_times.hpp"
#include "gridsmith/tuner/processes/clock_lock.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

namespace gridsmith {
namespace {

constexpr std::size_t most_changes = 6; ///< shown of a kernel

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
  return query_devices(settings.session.helpers.installation.programs)
      .at(settings.session.devices.front(),
          "'gridsmith check --static' compares compiled code without one");
}

class Check {
public:
  Check(std::vector<CheckSubject>& subjects, const CheckSettings& settings, const Device& device,
        const std::stop_token& stop, const CheckListener& listener)
      : settings_(settings), stop_(stop), listener_(listener), device_(device),
        subjects_(subjects) {}

  CheckResult run();

private:
  void prepare();
  void settle_identical();
  std::vector<RunningCase> judge();
  void count(std::vector<RunningCase>& running);
  bool to_be_counted(const RunningCase& running) const;
  void explain(RunningCase& running) const;
  static void explain_by_code(const CheckSubject& subject, CheckCase& one);
  void tell(const CheckSubject& subject);
  void doubt(const std::string& line);
  void take_gpu();

  const CheckSettings& settings_;
  const std::stop_token& stop_;
  const CheckListener& listener_;
  const Device& device_;
  std::vector<CheckSubject>& subjects_;
  CheckResult result_;
  std::optional<GpuLease> lease_; ///< outlives all that uses the GPU
  std::unique_ptr<ClockLock> clock_;
  std::optional<PairRuns> runs_; ///< once something runs
  const CheckSubject* told_ = nullptr;
};

/// Once in the result.
void Check::doubt(const std::string& line) {
  if (std::find(result_.notes.begin(), result_.notes.end(), line) == result_.notes.end())
    result_.notes.push_back(line);
}

void Check::tell(const CheckSubject& subject) {
  if (!listener_.progress || std::exchange(told_, &subject) == &subject)
    return;
  listener_.progress({subject.before.kernel + " " + subject.before.problem +
                          (subject.data.empty() ? "" : ", " + subject.data),
                      static_cast<std::size_t>(&subject - subjects_.data()) + 1, subjects_.size()});
}

void Check::prepare() {
  compile_subjects(subjects_, settings_, device_, stop_);
  settle_identical();
  for (const CheckSubject& subject : subjects_) {
    CheckCase& one = result_.cases.emplace_back();
    one.kernel = subject.before.kernel;
    one.problem = subject.before.problem;
    one.data = subject.data;
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
    if (!subject.settled && !subject.only_verified && !settings_.identical_too &&
        !subject.before.code_hash.empty() && subject.before.code_hash == subject.now.code_hash &&
        subject.before.geometry == subject.now.geometry)
      subject.settle(CheckVerdict::same, "the same machine code");
}

/// Our turn on the GPU, and its clock.
void Check::take_gpu() {
  lease_.emplace(device_, settings_.session.helpers.share, listener_.note, stop_);
  for (const std::string& user :
       other_users(settings_.session.helpers.installation.programs, device_.uuid))
    result_.notes.push_back("another process used this GPU too: " + user);
  const std::filesystem::path& programs = settings_.session.helpers.installation.programs;
  if (lease_->alone())
    restore_left_clock(programs, gpu_lock_folder(), device_.uuid, listener_.note);
  if (const auto& mhz = settings_.session.conditions.locked_clock_mhz)
    clock_ = std::make_unique<ClockLock>(programs, gpu_lock_folder(), device_.uuid, *mhz);
}

/// "no more bank conflicts": what one of both launches has, and is worth a change.
void add_causes(const Verdict& has, const Verdict& has_not, const std::string& words,
                std::vector<std::string>& to) {
  for (const Finding& finding : has.findings) {
    const bool both = std::any_of(has_not.findings.begin(), has_not.findings.end(),
                                  [&](const Finding& one) { return one.cause == finding.cause; });
    if (!both && !is_small(finding))
      to.push_back(words + " " + plain_words(finding.cause));
  }
}

void Check::explain(RunningCase& running) const {
  CheckCase& one = *running.one;
  std::size_t worse = 0;
  std::vector<std::string> causes;
  add_causes(running.verdict_before, running.verdict_now, "no more", causes);
  add_causes(running.verdict_now, running.verdict_before, "now", causes);
  one.changes.insert(one.changes.begin(), causes.begin(), causes.end());
  if (const auto& findings = running.verdict_now.findings; !findings.empty())
    one.helps = plain_words(findings.front().cause) + ": " + gain_text(findings.front());
  for (const CounterChange& change :
       counter_changes(running.counters_before, running.counters_now)) {
    worse += change.worse ? 1 : 0;
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
  } else if (worse > 0) {
    one.verdict = CheckVerdict::changed;
    one.reason = counted(worse, "exact counter") + " worse";
  }
}

/// What was compiled differs in.
void Check::explain_by_code(const CheckSubject& subject, CheckCase& one) {
  if (one.verdict == CheckVerdict::same || subject.before.code_hash.empty() ||
      subject.now.code_hash.empty())
    return;
  std::vector<std::string> words;
  for (const CodeChange& change : code_changes(subject.before, subject.now))
    if (words.size() < most_changes)
      words.push_back(change.what);
  one.changes.insert(one.changes.end(), words.begin(), words.end());
}

/// Those that were run, and may be counted.
std::vector<RunningCase> Check::judge() {
  std::vector<RunningCase> running, verified;
  for (std::size_t i = 0; i < subjects_.size() && !stop_.stop_requested(); ++i) {
    const CheckSubject& subject = subjects_[i];
    CheckCase& one = result_.cases[i];
    if (subject.settled) {
      std::tie(one.verdict, one.reason) = *subject.settled;
    } else if (subject.old_binary) {
      (subject.only_verified ? verified : running)
          .push_back({.subject = &subject, .one = &one, .work = i + 1});
    } else { // before the GPU is ours: a session takes it on its own
      tell(subject);
      judge_by_times(subject, one, settings_, device_, stop_);
    }
  }
  if ((running.empty() && verified.empty()) || stop_.stop_requested())
    return {};
  take_gpu();
  runs_.emplace(
      settings_, stop_, [this](const CheckSubject& subject) { tell(subject); },
      [this](const std::string& line) { doubt(line); });
  runs_->judge(running);
  for (RunningCase& one : verified)
    runs_->verify(one);
  if (settings_.end_when_wrong && runs_->wrong())
    return {};
  return running;
}

bool Check::to_be_counted(const RunningCase& running) const {
  return settings_.counters == CounterUse::exact ||
         (settings_.counters == CounterUse::explain &&
          (running.one->verdict != CheckVerdict::same || is_guarded(*running.subject)));
}

/// After what was compiled was compared: what was counted says the more, and comes last.
void Check::count(std::vector<RunningCase>& running) {
  std::size_t counted = 0;
  for (RunningCase& one : running) {
    if (!one.one->time || counted == settings_.most_counted)
      continue;
    if (to_be_counted(one)) {
      runs_->count(one);
      if (const auto first = one.one->objective;
          first && first->worse) { // what scatters seldom is twice
        runs_->count(one);
        if (const auto& second = one.one->objective;
            second->reason.empty() ? second->share_lost > first->share_lost : true)
          one.one->objective = first;
      }
      judge_objective(*one.one);
      explain(one);
      ++counted;
    } else {
      objective_to_count(*one.subject, settings_, *one.one); // says that it is not
    }
  }
}

CheckResult Check::run() {
  result_.date = utc_now();
  result_.least_effect = settings_.pairs.least_effect;
  result_.rules = settings_.failures;
  prepare();
  result_.how = fmt::format("old and new in turn on {}", device_.name);
  std::vector<RunningCase> running = judge();
  for (std::size_t i = 0; i < subjects_.size(); ++i)
    explain_by_code(subjects_[i], result_.cases[i]);
  count(running);
  result_.interrupted = stop_.stop_requested();
  if (settings_.session.store && !result_.interrupted)
    keep_checks(*settings_.session.store, result_, subjects_, device_);
  return std::move(result_);
}

} // namespace

CheckResult check_subjects(std::vector<CheckSubject>& subjects, const CheckSettings& settings,
                           const Device& device, const std::stop_token& stop,
                           const CheckListener& listener) {
  check(settings.pairs);
  return Check(subjects, settings, device, stop, listener).run();
}

CheckResult run_check(const CheckSettings& settings, const std::stop_token& stop,
                      const CheckListener& listener) {
  check(settings.pairs);
  std::vector<BaselineEntry> entries = asked(settings); // before the device is asked for
  const Device device = device_of(settings);
  std::optional<Checkout> checkout; // outlives the subjects
  std::string baseline;
  std::vector<CheckSubject> subjects;
  if (settings.against) {
    const Repository repository(
        find_definition(settings.kernels.front(), settings.session.helpers.installation.catalogue));
    const std::string commit = repository.commit(*settings.against);
    checkout.emplace(repository, commit);
    baseline = repository.title(commit);
    subjects = subjects_of_revision(settings, device, &*checkout);
  } else if (settings.old_nvrtc) {
    baseline = settings.old_nvrtc->string();
    subjects = subjects_of_revision(settings, device, nullptr);
  } else {
    baseline = settings.baseline.string();
    subjects = subjects_of_file(std::move(entries), settings, device);
  }
  CheckResult result = Check(subjects, settings, device, stop, listener).run();
  result.baseline = std::move(baseline);
  return result;
}

} // namespace gridsmith
