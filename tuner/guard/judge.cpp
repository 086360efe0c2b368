// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/guard/judge.hpp"

#include "gridsmith/base/clock_text.hpp"
#include "gridsmith/base/content_hash.hpp"
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/kernels/draft/device_part.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/kernels/source/kernel_line.hpp"
#include "gridsmith/results/judge/evidence.hpp"
#include "gridsmith/results/store/store.hpp"
#include "gridsmith/tuner/gpu/device_list.hpp"
#include "gridsmith/tuner/gpu/gpu_lock.hpp"
#include "gridsmith/tuner/guard/candidate_source.hpp"
#include "gridsmith/tuner/guard/check_subjects.hpp"
#include "gridsmith/tuner/guard/judged_subjects.hpp"
#include "gridsmith/tuner/guard/sanitizer_run.hpp"
#include "gridsmith/tuner/session/record_book.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string_view>
#include <utility>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

std::string text_of_file(const fs::path& file) {
  auto text = read_regular(file, longest_source);
  if (!text)
    throw InputError(file.string() + ": there is no such file, or it cannot be read");
  return *std::move(text);
}

/// None: it is no code that can be read.
std::optional<InstructionMix> mix_of(const Bytes& cubin, const std::string& kernel) {
  try {
    return code_facts(cubin, kernel).mix;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// Half precision that was not declared, or none of the double precision that was; "": neither, or unknown.
std::string lower_precision(const KernelDefinition& definition, const InstructionMix& before,
                            const InstructionMix& now) {
  constexpr int moves = 4; // constants are moved by HFMA2
  const auto declares = [&](ElementType type) {
    return std::any_of(definition.arguments.begin(), definition.arguments.end(),
                       [type](const Argument& one) { return one.type == type; });
  };
  const auto halves = [](const InstructionMix& mix) {
    return mix.of(CodeClass::tensor) + mix.of(CodeClass::fp16);
  };
  if (!declares(ElementType::float16) && halves(now) > halves(before) + moves)
    return fmt::format("{} instructions of half precision or of tensor cores, {} in the incumbent; "
                       "no argument is half",
                       halves(now), halves(before));
  if (declares(ElementType::float64) && before.of(CodeClass::fp64) > 0 &&
      now.of(CodeClass::fp64) == 0)
    return "no instruction of double precision, and arguments are double";
  return "";
}

/// What is wrong with a launch. @param timed at a size that was named, on the definition's own data
std::string wrong_code(const CheckCase& one, bool timed) {
  const auto ended_by = [&](Status status) { return one.reason.starts_with(to_text(status)); };
  return ended_by(Status::timeout)   ? "hangs"
         : ended_by(Status::runtime) ? "fails"
         : timed                     ? "wrong"
         : one.data.empty()          ? "wrong_at_other_sizes"
                                     : "wrong_on_other_data";
}

class Judge {
public:
  Judge(const JudgeSettings& settings, const std::stop_token& stop, const CheckListener& listener)
      : settings_(settings), stop_(stop), listener_(listener),
        definition_(
            read_definition(find_definition(settings.definition,
                                            settings.check.session.helpers.installation.catalogue),
                            settings.check.session.include)),
        candidate_(text_of_file(settings.candidate)),
        original_(text_of_file(settings.incumbent.value_or(definition_.source))),
        device_(query_devices(settings.check.session.helpers.installation.programs)
                    .at(settings.check.session.devices.front(),
                        "'gridsmith judge' runs what it judges")),
        seed_(settings.seed ? *settings.seed : std::random_device{}()) {}

  CandidateVerdict run();

private:
  void find(JudgeGate gate, GateState state, std::string code, std::string text = "") {
    found_.gates.push_back({gate, state, std::move(code), std::move(text)});
  }

  /// All gates so far.
  bool passed() const {
    return std::all_of(found_.gates.begin(), found_.gates.end(),
                       [](const GateFinding& one) { return one.state == GateState::passed; });
  }

  bool prepare();
  std::string key() const;
  std::optional<Evidence> known_evidence(const std::string& key) const;
  void keep(const Evidence& evidence) const;
  void go();
  CheckResult check();
  std::optional<std::vector<CheckSubject>> without_host_code() const;
  CheckSettings check_settings() const;
  void judge_compilation(const CheckResult& result);
  void judge_results(const CheckResult& result);
  void judge_cleanness();
  void judge_possibility();
  void judge_machine_code();
  void judge_speed(const CheckResult& result);

  const JudgeSettings& settings_;
  const std::stop_token& stop_;
  const CheckListener& listener_;
  const KernelDefinition definition_;
  const std::string candidate_, original_;
  const Device device_;
  const std::uint64_t seed_;
  JudgedSubjects subjects_;
  bool without_host_code_ = false;
  CandidateVerdict found_;
};

/// False: the candidate is not worth compiling.
bool Judge::prepare() {
  GateFinding looked = looked_through(definition_, candidate_, original_);
  if (looked.state == GateState::failed) {
    found_.gates.push_back(std::move(looked));
    return false;
  }
  subjects_ = judged_subjects(definition_, settings_, candidate_, original_, device_, seed_);
  for (const CheckSubject& subject : subjects_.all)
    if (subject.settled) {
      find(JudgeGate::compiles, GateState::failed, "not_allowed", subject.settled->second);
      return false;
    }
  found_.candidate_hash = code_hash(*subjects_.all.front().instance);
  return true;
}

CheckSettings Judge::check_settings() const {
  CheckSettings check = settings_.check;
  check.identical_too = true;
  check.measure_copy = true;
  check.vary_data = true;
  check.end_when_wrong = true;
  check.most_counted = 1; // explains: the other sizes are of the same code
  check.session.seed = seed_;
  check.session.store.reset(); // holds verdicts, and no checks
  return check;
}

/// What did not come so far as to run.
void Judge::judge_compilation(const CheckResult& result) {
  for (std::size_t i = 0; i < subjects_.all.size(); ++i) {
    const auto& settled = subjects_.all[i].settled;
    if (!settled)
      continue;
    if (settled->first == CheckVerdict::wrong)
      return find(JudgeGate::compiles, GateState::failed, "not_compiled", settled->second);
    return find(JudgeGate::compiles, GateState::open, "not_judged", result.cases[i].reason);
  }
  find(JudgeGate::compiles, GateState::passed, "compiled",
       without_host_code_ ? "without its host code, which is not run" : "");
}

void Judge::judge_results(const CheckResult& result) {
  for (std::size_t i = 0; i < subjects_.all.size(); ++i)
    if (const CheckCase& one = result.cases[i]; one.verdict == CheckVerdict::wrong) {
      const auto unusual = subjects_.unusual.find(i);
      const bool fails = unusual == subjects_.unusual.end();
      return find(JudgeGate::right, fails ? GateState::failed : GateState::doubtful,
                  fails ? wrong_code(one, !subjects_.all[i].only_verified) : unusual->second,
                  fmt::format("{}{}: {}", one.problem, one.data.empty() ? "" : ", " + one.data,
                              one.reason));
    }
  for (const CheckCase& one : result.cases)
    if (!one.data.empty() && !one.doubt.empty())
      return find(JudgeGate::right, GateState::doubtful, "unlike_incumbent",
                  fmt::format("{}, {}: {}", one.problem, one.data, one.doubt));
  for (std::size_t i = 0; i < subjects_.all.size(); ++i) {
    const CheckCase& one = result.cases[i];
    if (subjects_.all[i].only_verified)
      found_.verified += one.verdict == CheckVerdict::same ? 1 : 0;
    else if (!one.time)
      return find(JudgeGate::right, GateState::open, "not_judged", one.reason);
  }
  find(JudgeGate::right, GateState::passed, "right");
}

/// At the smallest size: the tools make a launch a hundred times slower.
void Judge::judge_cleanness() {
  if (!settings_.sanitizer)
    return find(JudgeGate::clean, GateState::not_run, "not_asked");
  const GpuLease lease(device_, settings_.check.session.helpers.share, listener_.note, stop_);
  found_.gates.push_back(clean_gate(subjects_.all[subjects_.smallest],
                                    std::string(own_name(definition_.kernel)), seed_,
                                    settings_.check.session.helpers, stop_));
}

/// Lower precision than was declared is named from the machine code, the work against the peaks from the times.
void Judge::judge_possibility() {
  for (const CheckCase& one : found_.sizes)
    if (!one.doubt.empty())
      return find(JudgeGate::possible, GateState::doubtful, "faster_than_the_device",
                  one.problem + ": " + one.doubt);
  judge_machine_code();
}

void Judge::judge_machine_code() {
  const CheckSubject& subject = subjects_.all.front();
  const auto before = mix_of(*subject.old_binary, subject.before.binary->kernel);
  const auto now = mix_of(*subject.code->cubin, subject.code->kernel);
  const std::string lower = before && now ? lower_precision(definition_, *before, *now) : "";
  if (!lower.empty())
    return find(JudgeGate::possible, GateState::doubtful, "lower_precision", lower);
  if (now && now->clock_reads > (before ? before->clock_reads : 0)) // it may know when it is timed
    return find(
        JudgeGate::possible, GateState::doubtful, "reads_a_clock",
        fmt::format("a clock is read {}, in the incumbent {}",
                    counted(static_cast<std::uint64_t>(now->clock_reads), "time"),
                    counted(static_cast<std::uint64_t>(before ? before->clock_reads : 0), "time")));
  if (subject.instance->model_bytes > 0 || subject.instance->model_flops > 0)
    return find(JudgeGate::possible, GateState::passed, "possible");
  find(JudgeGate::possible, GateState::not_run, "no_work_model");
}

/// Faster where it was timed, and far slower elsewhere, as what was made for one set of data is.
std::optional<GateFinding> slow_elsewhere(const CheckResult& result,
                                          const std::vector<CheckSubject>& subjects) {
  constexpr double far = 2, least_ms = 0.02; // single launches may be late by some microseconds
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const CheckCase& one = result.cases[i];
    if (!subjects[i].only_verified || !one.time || one.time->low < far ||
        one.time->new_ms - one.time->old_ms < least_ms)
      continue;
    return GateFinding{JudgeGate::faster, GateState::doubtful,
                       one.data.empty() ? "slower_at_other_sizes" : "slower_on_other_data",
                       fmt::format("{}{}{}: {:.3g} times the incumbent's time", one.problem,
                                   one.data.empty() ? "" : ", ", one.data, one.time->ratio)};
  }
  return std::nullopt;
}

void Judge::judge_speed(const CheckResult& result) {
  if (std::error_code error;
      fs::equivalent(settings_.candidate, settings_.incumbent.value_or(definition_.source), error))
    return find(JudgeGate::faster, GateState::not_run, "not_compared");
  GateFinding found = faster_gate(found_.sizes, settings_.check.pairs.least_effect);
  if (found.state == GateState::passed)
    found = slow_elsewhere(result, subjects_.all).value_or(std::move(found));
  found_.gates.push_back(std::move(found));
}

/// Of all that decides but the seed.
std::string Judge::key() const {
  constexpr int rules = 2; // more with every change of a gate: an older verdict does not count
  std::string all =
      fmt::format("{} {} {} {} {} {} {} {}", rules, found_.candidate_hash, definition_.file_hash,
                  device_.uuid, device_.driver_version + device_.toolkit_version,
                  settings_.further_sizes, settings_.check.pairs.least_effect, settings_.sanitizer);
  for (const CheckSubject& subject : subjects_.all)
    if (!subject.only_verified)
      all += fmt::format(" {} {} {} {}", subject.before.problem, code_hash(*subject.then),
                         to_text(subject.before.configuration), to_text(subject.now.configuration));
  return sha256_hex(all);
}

/// The same without host code, of what does not compile with it. None: there is nothing to leave out.
std::optional<std::vector<CheckSubject>> Judge::without_host_code() const {
  std::vector<CheckSubject> parts = subjects_.all;
  for (CheckSubject& subject : parts) {
    if (!subject.settled || subject.settled->first != CheckVerdict::wrong)
      return std::nullopt;
    const SourceBundle& whole = *subject.instance->source;
    const DevicePart part = device_part(whole);
    if (part.left_out == 0)
      return std::nullopt;
    auto instance = std::make_shared<KernelInstance>(*subject.instance);
    instance->source =
        make_bundle({whole.main.name, part.text}, whole.headers, whole.folders, whole.before);
    instance->definition.compiler_options.emplace_back(all_is_of_device);
    subject.instance = std::move(instance);
    subject.settled.reset();
  }
  return parts;
}

CheckResult Judge::check() {
  CheckResult result = check_subjects(subjects_.all, check_settings(), device_, stop_, listener_);
  auto parts = without_host_code();
  if (!parts)
    return result;
  CheckResult of_parts = check_subjects(*parts, check_settings(), device_, stop_, listener_);
  if (std::any_of(parts->begin(), parts->end(),
                  [](const CheckSubject& one) { return one.settled.has_value(); }))
    return result; // its errors name lines of the file
  for (CheckCase& one : of_parts.cases)
    one.line = 0; // the text is in no file
  subjects_.all = *std::move(parts);
  without_host_code_ = true;
  return of_parts;
}

void Judge::go() {
  const CheckResult result = check();
  found_.notes = result.notes;
  found_.interrupted = result.interrupted;
  for (std::size_t i = 0; i < subjects_.all.size(); ++i)
    if (!subjects_.all[i].only_verified)
      found_.sizes.push_back(result.cases[i]);
  judge_compilation(result);
  if (passed())
    judge_results(result);
  if (!passed())
    return;
  judge_cleanness();
  judge_possibility();
  judge_speed(result);
}

/// None where it is to be judged again.
std::optional<Evidence> Judge::known_evidence(const std::string& key) const {
  if (settings_.recheck)
    return std::nullopt;
  if (settings_.evidence)
    if (auto known = read_evidence(*settings_.evidence); known && known->key == key)
      return known;
  return settings_.check.session.store
             ? Store::open(*settings_.check.session.store, Store::Mode::read_write).evidence(key)
             : std::nullopt;
}

void Judge::keep(const Evidence& evidence) const {
  if (settings_.evidence)
    write_evidence(*settings_.evidence, evidence);
  if (settings_.check.session.store)
    Store::open(*settings_.check.session.store, Store::Mode::read_write).keep_evidence(evidence);
}

CandidateVerdict Judge::run() {
  const auto start = std::chrono::steady_clock::now();
  found_.kernel = definition_.name;
  found_.candidate = settings_.candidate.string();
  found_.incumbent = settings_.incumbent.value_or(definition_.source).string();
  found_.device = device_.name;
  found_.date = utc_now();
  if (!prepare())
    return std::move(found_);
  const std::string now = key();
  if (auto known = known_evidence(now))
    return std::move(known->verdict);
  go();
  found_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (found_.interrupted)
    return std::move(found_);
  if (const auto& place = settings_.evidence ? settings_.evidence : settings_.check.session.store)
    found_.kept_in = place->string();
  keep({now, seed_, found_});
  return std::move(found_);
}

} // namespace

CandidateVerdict judge(const JudgeSettings& settings, const std::stop_token& stop,
                       const CheckListener& listener) {
  return Judge(settings, stop, listener).run();
}

} // namespace gridsmith
