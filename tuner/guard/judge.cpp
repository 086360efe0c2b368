// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/guard/judge.hpp"

#include "gridsmith/base/clock_text.hpp"
#include "gridsmith/base/content_hash.hpp"
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/kernels/definition/drawn_sizes.hpp"
#include "gridsmith/kernels/draft/argument_type.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/kernels/syntax/signature.hpp"
#include "gridsmith/results/check/evidence.hpp"
#include "gridsmith/results/store/store.hpp"
#include "gridsmith/tuner/gpu/device_list.hpp"
#include "gridsmith/tuner/gpu/gpu_lock.hpp"
#include "gridsmith/tuner/guard/check_subjects.hpp"
#include "gridsmith/tuner/guard/sanitizer_run.hpp"
#include "gridsmith/tuner/guard/spite.hpp"
#include "gridsmith/tuner/session/record_book.hpp"
#include "gridsmith/tuner/session/usual_configuration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <sstream>
#include <string_view>
#include <utility>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t longest_candidate = 1u << 20; // bytes

std::string text_of_file(const fs::path& file) {
  auto text = read_regular(file, longest_source);
  if (!text)
    throw InputError(file.string() + ": there is no such file, or it cannot be read");
  return *std::move(text);
}

/// The definition with another source. Its reference stays the user's.
KernelDefinition with_source(const KernelDefinition& definition, const fs::path& source) {
  KernelDefinition other = definition;
  other.source = fs::canonical(source);
  join(other.readable, {other.source});
  if (other.reference.kernel && !other.reference.source)
    other.reference.source = definition.source;
  return other;
}

// ---- the signature

/// Whether one may stand for the other. A type with a name of the source's own may be any.
bool same_parameters(const KernelSignature& one, const KernelSignature& other) {
  try {
    std::vector<FieldGuess> unused;
    const auto ours = argument_types(one, std::nullopt, unused);
    const auto theirs = argument_types(other, std::nullopt, unused);
    return std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end(),
                      [](const ArgumentType& a, const ArgumentType& b) {
                        const bool known = !a.strange && !b.strange;
                        return a.pointer == b.pointer &&
                               (!known || (a.word == b.word && a.count == b.count));
                      });
  } catch (const InputError&) { // pointers to pointers: the worker compares what they take up
    return one.parameters.size() == other.parameters.size();
  }
}

std::string signature_text(const KernelSignature& kernel) {
  std::vector<std::string> words;
  words.reserve(kernel.parameters.size());
  for (const KernelParameter& one : kernel.parameters)
    words.push_back(one.type + " " + one.name);
  return fmt::format("{}({})", kernel.name, fmt::join(words, ", "));
}

/// Those of a name; all where it is empty.
std::vector<KernelSignature> kernels_named(const Tokens& tokens, std::string_view name) {
  std::vector<KernelSignature> all = kernels_of(tokens, declarations_of(tokens));
  if (!name.empty())
    std::erase_if(all, [&](const KernelSignature& one) { return one.name != name; });
  return all;
}

/// "ns::scale<float, 4>" -> "scale"
std::string plain_name(const std::string& kernel) {
  const std::string outer = kernel.substr(0, kernel.find('<'));
  const std::size_t colon = outer.rfind(':');
  return colon == std::string::npos ? outer : outer.substr(colon + 1);
}

/// What a candidate's source has to say before it is compiled; passed, with the code "".
GateFinding looked_through(const KernelDefinition& definition, const std::string& candidate,
                           const std::string& original) {
  GateFinding finding{JudgeGate::compiles, GateState::failed, "", ""};
  if (candidate.size() > longest_candidate) {
    finding.code = "too_large";
    finding.text =
        fmt::format("{} bytes; at most {} are judged", candidate.size(), longest_candidate);
    return finding;
  }
  const std::string name = plain_name(definition.kernel);
  const Tokens own = tokens_of(candidate), old = tokens_of(original);
  const auto candidates = kernels_named(own, name), wanted = kernels_named(old, name);
  if (candidates.empty()) {
    std::vector<std::string> there;
    for (const KernelSignature& one : kernels_named(own, ""))
      there.push_back(one.name);
    finding.code = "no_kernel";
    finding.text = fmt::format("no kernel '{}' with a body; {}", name,
                               there.empty() ? "it has none"
                                             : fmt::format("it has {}", fmt::join(there, ", ")));
    return finding;
  }
  const bool same = wanted.empty() || // made by a macro, or in a header
                    std::any_of(candidates.begin(), candidates.end(), [&](const auto& one) {
                      return std::any_of(wanted.begin(), wanted.end(), [&](const auto& other) {
                        return same_parameters(one, other);
                      });
                    });
  if (!same) {
    finding.code = "other_signature";
    finding.text = fmt::format("{}; expected {}", signature_text(candidates.front()),
                               signature_text(wanted.front()));
    return finding;
  }
  finding.state = GateState::passed;
  return finding;
}

// ---- the launch shape

/// What the comments "// gridsmith: NAME=VALUE …" of a source name, over `usual`.
Configuration configuration_of(const std::string& source, Configuration usual,
                               const std::vector<Parameter>& parameters) {
  constexpr std::string_view mark = "// gridsmith:";
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos || line.compare(begin, mark.size(), mark) != 0)
      continue;
    std::istringstream words(line.substr(begin + mark.size()));
    for (std::string word; words >> word;) {
      const std::size_t equals = word.find('=');
      const std::string name = word.substr(0, equals);
      const auto parameter = std::find_if(parameters.begin(), parameters.end(),
                                          [&](const Parameter& one) { return one.name == name; });
      if (equals == std::string::npos || parameter == parameters.end())
        throw InputError(fmt::format("'{}' names no parameter of the definition", word));
      const std::string wanted = word.substr(equals + 1);
      const auto value = std::find_if(parameter->values.begin(), parameter->values.end(),
                                      [&](const Value& one) { return to_text(one) == wanted; });
      if (value == parameter->values.end())
        throw InputError(fmt::format("{} has no value {}", name, wanted));
      for (auto& [known, held] : usual)
        if (known == name)
          held = *value;
    }
  }
  return usual;
}

// ---- the judge

/// Memory that a kernel finds as an earlier launch left it, unless its user restores it.
bool has_scratch(const KernelDefinition& definition) {
  return std::any_of(definition.arguments.begin(), definition.arguments.end(),
                     [](const Argument& one) {
                       return one.is_vector && one.access == Access::read_write && !one.output;
                     });
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
        definition_(read_definition(
            find_definition(settings.definition, settings.helpers.installation.catalogue),
            settings.include)),
        candidate_(text_of_file(settings.candidate)),
        original_(text_of_file(settings.incumbent.value_or(definition_.source))),
        device_(query_devices(settings.helpers.installation.programs)
                    .at(settings.device, "'gridsmith judge' runs what it judges")),
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
  void add(const ProblemSize& problem, const KernelDefinition& then, const KernelDefinition& now,
           const std::string& data, bool only_verified);
  void add_further_sizes(const std::vector<ProblemSize>& asked);
  CheckSettings check_settings() const;
  void judge_compilation(const CheckResult& result);
  void judge_results(const CheckResult& result);
  void judge_cleanness();
  void judge_possibility();
  void judge_precision();
  void judge_speed();

  const JudgeSettings& settings_;
  const std::stop_token& stop_;
  const CheckListener& listener_;
  const KernelDefinition definition_;
  const std::string candidate_, original_;
  const Device device_;
  const std::uint64_t seed_;
  std::vector<CheckSubject> subjects_;
  CandidateVerdict found_;
};

/// @param data a word for it; "": the definition's own
void Judge::add(const ProblemSize& problem, const KernelDefinition& then,
                const KernelDefinition& now, const std::string& data, bool only_verified) {
  const auto old = std::make_shared<KernelInstance>(instantiate(then, problem, device_));
  const auto tuning =
      settings_.store ? newest_tuning(*settings_.store, {now.name, to_text(problem), device_.name})
                      : std::nullopt;
  const Configuration usual = usual_configuration(*old, tuning).configuration;
  const Configuration incumbents = configuration_of(original_, usual, old->parameters);
  CheckSubject subject;
  try {
    subject = subject_of_versions(old, incumbents, now,
                                  configuration_of(candidate_, usual, old->parameters));
  } catch (const InputError& error) { // with the incumbent's source all is well
    subject.settle(CheckVerdict::missing, error.what());
  }
  subject.data = data;
  subject.only_verified = only_verified;
  subjects_.push_back(std::move(subject));
}

/// Sizes that were not named, at which a kernel that is made for some is found out.
void Judge::add_further_sizes(const std::vector<ProblemSize>& asked) {
  std::vector<std::vector<std::int64_t>> extents;
  extents.reserve(asked.size());
  for (const ProblemSize& one : asked)
    extents.push_back(one.extents);
  const KernelDefinition then =
      with_source(definition_, settings_.incumbent.value_or(definition_.source));
  const KernelDefinition now = with_source(definition_, settings_.candidate);
  drawn_sizes(extents, settings_.further_sizes, seed_, [&](const std::vector<std::int64_t>& one) {
    try {
      add({one}, then, now, "", true);
    } catch (const InputError&) { // no size of this kernel
      return false;
    }
    if (!subjects_.back().settled)
      return true;
    subjects_.pop_back();
    return false;
  });
}

/// False: the candidate is not worth compiling.
bool Judge::prepare() {
  GateFinding looked = looked_through(definition_, candidate_, original_);
  if (looked.state == GateState::failed) {
    found_.gates.push_back(std::move(looked));
    return false;
  }
  const std::vector<ProblemSize> problems = !settings_.problems.empty() ? settings_.problems
                                            : definition_.problem_sizes.empty()
                                                ? std::vector{definition_.default_problem()}
                                                : definition_.problem_sizes;
  const fs::path incumbent = settings_.incumbent.value_or(definition_.source);
  const KernelDefinition then = with_source(definition_, incumbent);
  const KernelDefinition now = with_source(definition_, settings_.candidate);
  for (const ProblemSize& problem : problems)
    add(problem, then, now, "", false);
  if (!definition_.reference.file) { // of one size, and of one set of data
    const ProblemSize smallest = *std::min_element(
        problems.begin(), problems.end(),
        [](const ProblemSize& a, const ProblemSize& b) { return a.extents < b.extents; });
    const std::vector<OtherData> olds = other_data(then), news = other_data(now);
    for (std::size_t i = 0; i < olds.size(); ++i)
      add(olds[i].at_smallest ? smallest : problems.front(), olds[i].definition, news[i].definition,
          olds[i].word, true);
    add(problems.front(), then, now, "a few elements changed", true);
    subjects_.back().nearly_same = true;
    if (has_scratch(definition_)) {
      add(smallest, then, now, "scratch memory of the launch before", true);
      subjects_.back().keep_scratch = true;
    }
    add_further_sizes(problems);
  }
  for (const CheckSubject& subject : subjects_)
    if (subject.settled) {
      find(JudgeGate::compiles, GateState::failed, "not_allowed", subject.settled->second);
      return false;
    }
  found_.candidate_hash = code_hash(*subjects_.front().instance);
  return true;
}

CheckSettings Judge::check_settings() const {
  CheckSettings check;
  check.pairs = settings_.pairs;
  check.counters = settings_.counters;
  check.identical_too = true;
  check.measure_copy = true;
  check.vary_data = true;
  check.end_when_wrong = true;
  check.most_counted = 1; // explains: the other sizes are of the same code
  check.device = settings_.device;
  check.timeout_s = settings_.timeout_s;
  check.seed = seed_;
  check.helpers = settings_.helpers;
  return check;
}

/// What did not come so far as to run.
void Judge::judge_compilation(const CheckResult& result) {
  for (std::size_t i = 0; i < subjects_.size(); ++i) {
    const auto& settled = subjects_[i].settled;
    if (!settled)
      continue;
    if (settled->first == CheckVerdict::wrong)
      return find(JudgeGate::compiles, GateState::failed, "not_compiled", settled->second);
    return find(JudgeGate::compiles, GateState::open, "not_judged", result.cases[i].reason);
  }
  find(JudgeGate::compiles, GateState::passed, "compiled");
}

void Judge::judge_results(const CheckResult& result) {
  for (std::size_t i = 0; i < subjects_.size(); ++i)
    if (const CheckCase& one = result.cases[i]; one.verdict == CheckVerdict::wrong)
      return find(JudgeGate::right, GateState::failed, wrong_code(one, !subjects_[i].only_verified),
                  fmt::format("{}{}: {}", one.problem, one.data.empty() ? "" : ", " + one.data,
                              one.reason));
  for (const CheckCase& one : result.cases)
    if (!one.data.empty() && !one.doubt.empty())
      return find(JudgeGate::right, GateState::doubtful, "unlike_incumbent",
                  fmt::format("{}, {}: {}", one.problem, one.data, one.doubt));
  for (std::size_t i = 0; i < subjects_.size(); ++i) {
    const CheckCase& one = result.cases[i];
    if (subjects_[i].only_verified)
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
  const auto smallest = std::min_element(
      subjects_.begin(), subjects_.end(), [](const CheckSubject& a, const CheckSubject& b) {
        return a.instance->problem.extents < b.instance->problem.extents;
      });
  const GpuLease lease(device_, settings_.helpers.share, listener_.note, stop_);
  found_.gates.push_back(
      clean_gate(*smallest, plain_name(definition_.kernel), seed_, settings_.helpers, stop_));
}

/// Lower precision than was declared is named from the machine code, the work against the peaks from the times.
void Judge::judge_possibility() {
  for (const CheckCase& one : found_.sizes)
    if (!one.doubt.empty())
      return find(JudgeGate::possible, GateState::doubtful, "faster_than_the_device",
                  one.problem + ": " + one.doubt);
  judge_precision();
}

void Judge::judge_precision() {
  const CheckSubject& subject = subjects_.front();
  const auto before = mix_of(*subject.old_binary, subject.before.binary->kernel);
  const auto now = mix_of(*subject.code->cubin, subject.code->kernel);
  const std::string lower = before && now ? lower_precision(definition_, *before, *now) : "";
  if (!lower.empty())
    return find(JudgeGate::possible, GateState::doubtful, "lower_precision", lower);
  if (subject.instance->model_bytes > 0 || subject.instance->model_flops > 0)
    return find(JudgeGate::possible, GateState::passed, "possible");
  find(JudgeGate::possible, GateState::not_run, "no_work_model");
}

void Judge::judge_speed() {
  if (std::error_code error;
      fs::equivalent(settings_.candidate, settings_.incumbent.value_or(definition_.source), error))
    return find(JudgeGate::faster, GateState::not_run, "not_compared");
  found_.gates.push_back(faster_gate(found_.sizes, settings_.pairs.least_effect));
}

/// Of all that decides but the seed.
std::string Judge::key() const {
  std::string all =
      fmt::format("{} {} {} {} {} {} {}", found_.candidate_hash, definition_.file_hash,
                  device_.uuid, device_.driver_version + device_.toolkit_version,
                  settings_.further_sizes, settings_.pairs.least_effect, settings_.sanitizer);
  for (const CheckSubject& subject : subjects_)
    if (!subject.only_verified)
      all += fmt::format(" {} {} {} {}", subject.before.problem, code_hash(*subject.then),
                         to_text(subject.before.configuration), to_text(subject.now.configuration));
  return sha256_hex(all);
}

void Judge::go() {
  CheckResult result = check_subjects(subjects_, check_settings(), device_, stop_, listener_);
  found_.notes = result.notes;
  found_.interrupted = result.interrupted;
  for (std::size_t i = 0; i < subjects_.size(); ++i)
    if (!subjects_[i].only_verified)
      found_.sizes.push_back(result.cases[i]);
  judge_compilation(result);
  if (passed())
    judge_results(result);
  if (!passed())
    return;
  judge_cleanness();
  judge_possibility();
  judge_speed();
}

/// None where it is to be judged again.
std::optional<Evidence> Judge::known_evidence(const std::string& key) const {
  if (settings_.recheck)
    return std::nullopt;
  if (settings_.evidence)
    if (auto known = read_evidence(*settings_.evidence); known && known->key == key)
      return known;
  return settings_.store ? Store::open(*settings_.store, Store::Mode::read_write).evidence(key)
                         : std::nullopt;
}

void Judge::keep(const Evidence& evidence) const {
  if (settings_.evidence)
    write_evidence(*settings_.evidence, evidence);
  if (settings_.store)
    Store::open(*settings_.store, Store::Mode::read_write).keep_evidence(evidence);
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
  if (const auto& place = settings_.evidence ? settings_.evidence : settings_.store)
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
