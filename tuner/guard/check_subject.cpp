// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/guard/check_subject.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/results/check/baseline_binaries.hpp"
#include "gridsmith/results/measurement/time_summary.hpp"
#include "gridsmith/results/store/holdings.hpp"
#include "gridsmith/tuner/inspection/code_summary.hpp"
#include "gridsmith/tuner/processes/cubin_cache.hpp"
#include "gridsmith/tuner/processes/device_code_source.hpp"
#include "gridsmith/tuner/session/record_book.hpp"
#include "gridsmith/tuner/session/usual_configuration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

/// A baseline's kernel is asked for by its name or by its definition's file.
bool is_named(const BaselineEntry& entry, const std::string& word) {
  return word == entry.kernel || fs::path(word).stem() == entry.kernel;
}

KnownTime known_time(const Export& exported, const Measurement& best) {
  KnownTime time;
  if (const auto summary = time_of(best)) {
    time.median_ms = summary->median_ms;
    time.low_ms = summary->low_ms;
    time.high_ms = summary->high_ms;
    time.samples = summary->samples;
  }
  time.sm_clock_mhz = best.sm_clock_mhz;
  time.device = exported.recording.device.name;
  time.driver = exported.recording.device.driver_version;
  time.conditions = best.conditions;
  time.date = exported.recording.date;
  return time;
}

/// What a store or a recording knows of its best configuration.
BaselineEntry entry_of_holding(const Holding& holding) {
  const Export exported = holding.load();
  const Measurement& best = best_of(exported);
  const Device& there = exported.recording.device;
  BaselineEntry entry{.kernel = exported.recording.kernel,
                      .problem = exported.recording.problem,
                      .configuration = best.configuration};
  entry.compute_capability = there.compute_capability;
  entry.toolkit = there.toolkit_version;
  entry.source_hash = code_in(exported.recording.source_hash).value_or("");
  entry.geometry = best.geometry;
  entry.code.compile = best.compile_facts.value_or(CompileFacts{});
  if (exported.answer)
    entry.objective = guarded_name(objective_name(exported.answer->found_by),
                                   exported.answer->found_by.own_metrics);
  entry.time = known_time(exported, best);
  entry.counters = best.counters;
  return entry;
}

std::string names_of(std::span<const BaselineEntry> entries) {
  std::set<std::string> names;
  for (const BaselineEntry& entry : entries)
    names.insert(entry.kernel + " " + entry.problem);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Read once for all sizes of a kernel; what cannot be read is told each time.
class Definitions {
public:
  explicit Definitions(const CheckSettings& settings) : settings_(settings) {}

  const KernelDefinition& of(const BaselineEntry& entry) {
    return read(definition_file(entry, settings_));
  }

  const KernelDefinition& read(const fs::path& file) {
    const auto found = read_.find(file);
    return found != read_.end()
               ? found->second
               : read_.emplace(file, read_definition(file, settings_.session.include))
                     .first->second;
  }

private:
  const CheckSettings& settings_;
  std::map<fs::path, KernelDefinition> read_;
};

void set_now(CheckSubject& subject, const KernelDefinition& definition, const Device& device,
             const Configuration& wanted) {
  auto instance = std::make_shared<KernelInstance>(
      instantiate(definition, problem_size_from_text(subject.before.problem), device));
  const auto configuration = in_space(wanted, *instance);
  if (!configuration)
    return subject.settle(
        CheckVerdict::missing,
        fmt::format("its definition does not allow {} any more", to_text(wanted)));
  if (!instance->source)
    return subject.settle(CheckVerdict::missing, "its source cannot be read");
  subject.now.configuration = *configuration;
  subject.now.kernel = definition.name;
  subject.now.problem = subject.before.problem;
  subject.instance = std::move(instance);
}

void find_old_binary(CheckSubject& subject, const CheckSettings& settings) {
  if (!settings.session.helpers.confined)
    subject.no_old_binary = "a baseline's binary runs only in a sandboxed worker";
  else if (!subject.before.binary)
    subject.no_old_binary = "no old binary was kept";
  else {
    FoundBinary found = find_binary({binaries_beside(settings.baseline), binaries_in_cache()},
                                    *subject.before.binary);
    subject.old_binary = std::move(found.cubin);
    subject.no_old_binary = std::move(found.because);
  }
}

CheckSubject subject_of(BaselineEntry entry, Definitions& definitions,
                        const CheckSettings& settings, const Device& device) {
  CheckSubject subject;
  subject.before = std::move(entry);
  if (subject.before.compute_capability != device.compute_capability) {
    subject.settle(CheckVerdict::incomparable,
                   fmt::format("of sm_{}, and {} is sm_{}", subject.before.compute_capability,
                               device.name, device.compute_capability));
    return subject;
  }
  try {
    set_now(subject, definitions.of(subject.before), device, subject.before.configuration);
  } catch (const InputError& error) {
    subject.settle(CheckVerdict::missing, error.what());
  }
  if (!subject.settled)
    find_old_binary(subject, settings);
  return subject;
}

ReadableFolders readable_by(const std::vector<CheckSubject>& subjects) {
  ReadableFolders readable;
  for (const CheckSubject& subject : subjects)
    for (const auto& instance : {subject.instance, subject.then})
      if (instance)
        join(readable, instance->definition.readable);
  return readable;
}

/// Requests, and who is told the answers.
struct Orders {
  std::vector<CompileRequest> requests;
  std::vector<std::function<void(const Code&)>> told;

  void add(CompileRequest request, std::function<void(const Code&)> tell) {
    requests.push_back(std::move(request));
    told.push_back(std::move(tell));
  }

  void run(CompilerPool& pool, const std::stop_token& stop) const {
    const std::vector<Code> codes = compile_all(pool, requests, stop);
    for (std::size_t i = 0; i < codes.size(); ++i)
      if (codes[i])
        told[i](codes[i]);
  }
};

void take_old(CheckSubject& subject, const Code& code, const std::string& toolkit) {
  if (!code->cubin)
    return subject.settle(CheckVerdict::incomparable,
                          "the old source does not compile: " + code->error.value_or(""));
  const BaselineEntry known = subject.before;
  subject.before = entry_of(*subject.then, known.configuration, *code, toolkit);
  subject.before.time = known.time;
  subject.before.objective = known.objective;
  subject.before.binary = OldBinary{"", std::ssize(*code->cubin), code->kernel};
  subject.old_binary = code->cubin;
}

void take_new(CheckSubject& subject, const Code& code, const std::string& toolkit) {
  subject.code = code;
  if (code->cubin)
    subject.now = entry_of(*subject.instance, subject.now.configuration, *code, toolkit);
  else if (code->of_machine)
    subject.settle(CheckVerdict::missing,
                   "it could not be compiled here: " + code->error.value_or(""));
  else
    subject.settle(CheckVerdict::wrong, "it does not compile: " + code->error.value_or(""));
}

void order_old(CheckSubject& subject, Orders& orders, const std::string& toolkit) {
  try {
    orders.add(compile_request(*subject.then, subject.before.configuration),
               [&](const Code& code) { take_old(subject, code, toolkit); });
  } catch (const InputError& error) { // no geometry
    subject.settle(CheckVerdict::missing, error.what());
  }
}

void order_new(CheckSubject& subject, Orders& orders, const std::string& toolkit) {
  try {
    orders.add(compile_request(*subject.instance, subject.now.configuration),
               [&](const Code& code) { take_new(subject, code, toolkit); });
    if (subject.instance->definition.reference.kernel)
      orders.add(reference_compile_request(*subject.instance, subject.now.configuration),
                 [&](const Code& code) {
                   subject.reference = code;
                   if (!code->cubin && !subject.settled)
                     subject.settle(CheckVerdict::incomparable,
                                    "the reference kernel does not compile: " +
                                        code->error.value_or(""));
                 });
  } catch (const InputError& error) { // no geometry
    subject.settle(CheckVerdict::missing, error.what());
  }
}

} // namespace

bool is_wanted(const BaselineEntry& entry, const std::vector<std::string>& kernels,
               const std::vector<ProblemSize>& problems) {
  const auto any_or_empty = [](const auto& list, const auto& test) {
    return list.empty() || std::any_of(list.begin(), list.end(), test);
  };
  return any_or_empty(kernels, [&](const std::string& word) { return is_named(entry, word); }) &&
         any_or_empty(problems,
                      [&](const ProblemSize& one) { return to_text(one) == entry.problem; });
}

void check_asked(const std::vector<BaselineEntry>& entries, const std::vector<std::string>& kernels,
                 const std::vector<ProblemSize>& problems) {
  std::set<std::string> known, sizes;
  for (const BaselineEntry& entry : entries) {
    known.insert(entry.kernel);
    if (is_wanted(entry, kernels, {}))
      sizes.insert(entry.problem);
  }
  for (const std::string& word : kernels)
    if (std::none_of(entries.begin(), entries.end(),
                     [&](const BaselineEntry& entry) { return is_named(entry, word); }))
      throw InputError(unknown_name("kernel of the baseline", word,
                                    std::vector<std::string>(known.begin(), known.end())));
  for (const ProblemSize& one : problems)
    if (!sizes.contains(to_text(one)))
      throw InputError(unknown_name("size of the baseline", to_text(one),
                                    std::vector<std::string>(sizes.begin(), sizes.end())));
}

fs::path definition_file(const BaselineEntry& entry, const CheckSettings& settings) {
  const fs::path& catalogue = settings.session.helpers.installation.catalogue;
  for (const std::string& word : settings.kernels)
    if (is_named(entry, word) && word != entry.kernel)
      return find_definition(word, catalogue);
  return entry.definition.empty() ? find_definition(entry.kernel, catalogue)
                                  : settings.baseline.parent_path() / entry.definition;
}

std::string guarded_name(const std::string& name, const OwnMetrics& own) {
  try {
    return objective(name, own).by_time ? "" : name;
  } catch (const InputError&) { // of another version
    return "";
  }
}

std::optional<Objective> objective_to_count(const CheckSubject& subject,
                                            const CheckSettings& settings, CheckCase& one) {
  if (!is_guarded(subject) || !subject.instance)
    return std::nullopt;
  one.objective = GuardedObjective{.name = subject.before.objective, .unit = ""};
  if (settings.counters == CounterUse::none) {
    one.objective->reason = "no counters are read";
    return std::nullopt;
  }
  try {
    Objective by = objective(subject.before.objective, subject.instance->definition.own_metrics,
                             subject.instance->device);
    one.objective->reason = why_not_counted(by); // until it is
    return by.counted || by.in_finals ? std::optional(std::move(by)) : std::nullopt;
  } catch (const InputError& error) { // the definition has lost it
    one.objective->reason = error.what();
    return std::nullopt;
  }
}

void judge_objective(CheckCase& one) {
  if (one.objective && one.objective->worse && one.verdict != CheckVerdict::slower &&
      one.verdict != CheckVerdict::wrong && one.verdict != CheckVerdict::changed)
    one.verdict = CheckVerdict::worse;
}

std::string why_not_counted(const Objective& objective) {
  return objective.in_finals ? "energy is measured in turn with an old binary alone"
         : objective.counted ? "its counters are not known"
                             : "a check measures times, counters and energy alone";
}

fs::path binaries_in_cache() {
  const fs::path cache = default_cache_folder();
  return cache.empty() ? cache : cache / "baselines"; // within the cache's limit
}

BaselineEntry entry_of(const KernelInstance& instance, const Configuration& configuration,
                       const CodeObject& code, const std::string& toolkit) {
  BaselineEntry entry{.kernel = instance.definition.name,
                      .problem = to_text(instance.problem),
                      .configuration = configuration,
                      .compute_capability = instance.device.compute_capability,
                      .toolkit = toolkit,
                      .source_hash = code_hash(instance),
                      .code_hash = code.code_hash};
  entry.geometry = launch_geometry(instance, configuration);
  entry.code = code_summary(code, instance.device, entry.geometry);
  return entry;
}

std::vector<BaselineEntry> old_entries(const std::filesystem::path& file) {
  if (std::error_code error; is_baseline(file) || !fs::exists(file, error))
    return read_baseline(file).entries;
  std::vector<BaselineEntry> entries;
  for (const Holding& holding : newest(holdings_of(file)))
    if (holding.correct > 0)
      entries.push_back(entry_of_holding(holding));
  return entries;
}

std::vector<CheckSubject> subjects_of_file(std::vector<BaselineEntry> entries,
                                           const CheckSettings& settings, const Device& device) {
  std::vector<CheckSubject> subjects;
  Definitions definitions(settings);
  for (BaselineEntry& entry : entries) {
    if (entry.compute_capability == 0 && entry.time && entry.time->device == device.name)
      entry.compute_capability = device.compute_capability; // foreign files name the device alone
    if (is_wanted(entry, settings.kernels, settings.session.problems))
      subjects.push_back(subject_of(entry, definitions, settings, device));
  }
  if (subjects.empty())
    throw InputError(fmt::format("{}: contains nothing that was asked for; it contains {}",
                                 settings.baseline.string(),
                                 entries.empty() ? "nothing at all" : names_of(entries)));
  return subjects;
}

CheckSubject subject_of_versions(std::shared_ptr<const KernelInstance> then,
                                 const Configuration& configuration_then,
                                 const KernelDefinition& now,
                                 const Configuration& configuration_now) {
  CheckSubject subject;
  subject.before.kernel = now.name;
  subject.before.problem = to_text(then->problem);
  subject.before.compute_capability = then->device.compute_capability;
  subject.before.configuration = configuration_then;
  set_now(subject, now, then->device, configuration_now);
  subject.then = std::move(then);
  return subject;
}

std::vector<CheckSubject> subjects_of_revision(const CheckSettings& settings, const Device& device,
                                               const Checkout* checkout) {
  Definitions definitions(settings);
  std::vector<CheckSubject> subjects;
  for (const std::string& word : settings.kernels) {
    const KernelDefinition& now =
        definitions.read(find_definition(word, settings.session.helpers.installation.catalogue));
    const fs::path old_file = checkout ? checkout->file(now.file) : now.file;
    if (std::error_code error; !fs::exists(old_file, error))
      throw InputError(fmt::format("{}: is not there in {}", now.file.string(), *settings.against));
    const KernelDefinition& then = definitions.read(old_file);
    const std::vector<ProblemSize> problems = settings.session.problems.empty()
                                                  ? std::vector{now.default_problem()}
                                                  : settings.session.problems;
    for (const ProblemSize& problem : problems) {
      const auto old = std::make_shared<KernelInstance>(instantiate(then, problem, device));
      const UsualConfiguration usual = usual_configuration(
          *old, newest_tuning(settings.session.store, {now.name, to_text(problem), device.name}));
      subjects.push_back(subject_of_versions(old, usual.configuration, now, usual.configuration));
      subjects.back().before.objective = guarded_name(usual.objective, now.own_metrics);
    }
  }
  return subjects;
}

void compile_subjects(std::vector<CheckSubject>& subjects, const CheckSettings& settings,
                      const Device& device, const std::stop_token& stop) {
  if (std::all_of(subjects.begin(), subjects.end(),
                  [](const CheckSubject& subject) { return subject.settled.has_value(); }))
    return;
  CompilerSettings compilers =
      compiler_settings(settings.session.helpers, readable_by(subjects), device.compute_capability);
  CompilerPool pool(compilers);
  std::optional<CompilerPool> other;
  if (settings.old_nvrtc) {
    compilers.nvrtc = settings.old_nvrtc;
    other.emplace(std::move(compilers));
  }
  CompilerPool& old_pool = other ? *other : pool;
  Orders orders, old_orders;
  Code device_code;
  orders.add(device_code_request(), [&](const Code& code) { device_code = code; });
  for (CheckSubject& subject : subjects) {
    if (subject.then && !subject.settled)
      order_old(subject, old_orders, old_pool.toolkit());
    if (!subject.settled)
      order_new(subject, orders, pool.toolkit());
  }
  old_orders.run(old_pool, stop);
  orders.run(pool, stop);
  if (device_code && !device_code->cubin)
    throw HelperError("the worker's own kernels do not compile: " +
                      device_code->error.value_or(""));
  for (CheckSubject& subject : subjects)
    subject.device_code = device_code;
}

SessionSettings session_of_one(SessionSettings settings, const KernelDefinition& definition,
                               ProblemSize problem, Configuration configuration) {
  settings.kernel = definition.file.string();
  settings.problems = {std::move(problem)};
  settings.only = {std::move(configuration)};
  settings.finals.most = 0;
  settings.store.reset();
  return settings;
}

Conditions conditions_of(const CheckSubject& subject, const CheckSettings& settings) {
  Conditions conditions = settings.session.conditions;
  if (subject.before.time)
    conditions.regime = subject.before.time->conditions.regime;
  conditions.counter_set = "none";
  return conditions;
}

} // namespace gridsmith
