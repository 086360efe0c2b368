// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/guard/baseline_save.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/results/check/baseline_binaries.hpp"
#include "gridsmith/results/check/code_change.hpp"
#include "gridsmith/results/check/counter_change.hpp"
#include "gridsmith/results/measurement/time_summary.hpp"
#include "gridsmith/tuner/gpu/device_list.hpp"
#include "gridsmith/tuner/guard/check_subject.hpp"
#include "gridsmith/tuner/guard/static_check.hpp"
#include "gridsmith/tuner/session/session.hpp"
#include "gridsmith/tuner/session/usual_configuration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

Device device_of(const SaveSettings& settings) {
  return query_devices(settings.session.helpers.installation.programs)
      .at(settings.session.devices.front(), "--arch 90 saves the facts that need no GPU");
}

fs::path folder_of(const fs::path& file) {
  return file.parent_path().empty() ? "." : file.parent_path();
}

/// As it is named in the baseline: "" for the catalogue's own.
std::string definition_text(const fs::path& file, const SaveSettings& settings) {
  std::error_code error;
  const fs::path catalogue =
      settings.session.helpers.installation.catalogue / file.stem() / file.filename();
  if (!settings.session.helpers.installation.catalogue.empty() &&
      fs::equivalent(file, catalogue, error))
    return "";
  return fs::proximate(file, folder_of(settings.baseline)).generic_string();
}

fs::path definition_of(const BaselineEntry& entry, const SaveSettings& settings) {
  return entry.definition.empty()
             ? find_definition(entry.kernel, settings.session.helpers.installation.catalogue)
             : folder_of(settings.baseline) / entry.definition;
}

std::vector<ProblemSize> problems_of(const KernelDefinition& definition,
                                     const SaveSettings& settings) {
  if (!settings.session.problems.empty())
    return settings.session.problems;
  if (settings.all_problems && !definition.problem_sizes.empty())
    return definition.problem_sizes;
  return {definition.default_problem()};
}

UsualConfiguration configuration_of(const KernelInstance& instance, const SaveSettings& settings) {
  if (settings.session.only.empty())
    return usual_configuration(
        instance,
        newest_tuning(settings.session.store,
                      {instance.definition.name, to_text(instance.problem), instance.device.name}));
  const Configuration& wanted = settings.session.only.front();
  auto found = in_space(completed(wanted, usual_configuration(instance, std::nullopt).configuration,
                                  instance.parameters),
                        instance);
  if (!found)
    throw InputError(fmt::format("{} {}: {} is not in the space", instance.definition.name,
                                 to_text(instance.problem), to_text(wanted)));
  return {std::move(*found), "named"};
}

/// All that a compiler knows of them. @throws Error for what does not compile
std::vector<StaticAnswer> compiled(std::span<const BaselineEntry> wanted,
                                   const std::vector<StaticSubject>& subjects,
                                   const SaveSettings& settings, const std::stop_token& stop) {
  std::vector<StaticAnswer> answers = compile_statically(subjects, settings.session.helpers, stop);
  for (std::size_t i = 0; i < answers.size(); ++i)
    if (!answers[i].entry && !answers[i].reason.empty())
      throw Error(fmt::format("{}: {}", title_of(wanted[i]), answers[i].reason));
  return answers;
}

void take(BaselineEntry& entry, const Measurement& measured, const Device& device) {
  if (const auto time = summarise(measured.times_ms))
    entry.time = KnownTime{time->median_ms,       time->low_ms,          time->high_ms,
                           time->samples,         measured.sm_clock_mhz, device.name,
                           device.driver_version, measured.conditions,   measured.when};
  entry.counters = measured.counters;
}

void keep(BaselineEntry& entry, const CodeObject& code, const SaveSettings& settings) {
  const fs::path folder =
      settings.binaries_beside ? binaries_beside(settings.baseline) : binaries_in_cache();
  if (!folder.empty())
    entry.binary = keep_binary(folder, *code.cubin, code.kernel);
}

/// Its time and counters. @return false: stopped. @throws Error: it is not correct
bool measure(BaselineEntry& entry, const KernelDefinition& definition, const SaveSettings& settings,
             const std::stop_token& stop, const CheckListener& listener) {
  SessionSettings session = session_of_one(
      settings.session, definition, problem_size_from_text(entry.problem), entry.configuration);
  session.conditions.sampling.min_samples = 15;
  if (!entry.objective.empty() && session.conditions.counter_set != "none")
    session.objective = entry.objective; // what it is made of is counted
  const auto outcomes = Session(session).run(stop, {.note = listener.note});
  if (outcomes.empty() || outcomes.front().result.measurements.empty())
    return false;
  const Measurement& measured = outcomes.front().result.measurements.front();
  if (!measured.correct() || measured.times_ms.empty())
    throw Error(fmt::format("{}: {} {}; a wrong configuration cannot be a baseline",
                            title_of(entry), to_text(measured.status), measured.reason));
  take(entry, measured, outcomes.front().subject.device);
  return true;
}

} // namespace

std::vector<BaselineEntry> wanted_entries(const SaveSettings& settings) {
  if (settings.kernels.empty())
    throw InputError(
        "a baseline needs kernels: names of the catalogue (see 'gridsmith kernels') or "
        "JSON files");
  std::vector<Device> devices;
  devices.reserve(settings.architectures.size());
  for (const int architecture : settings.architectures)
    devices.push_back(device_of_capability(architecture));
  if (devices.empty())
    devices.push_back(device_of(settings));
  std::vector<BaselineEntry> wanted;
  for (const std::string& word : settings.kernels) {
    const KernelDefinition definition =
        read_definition(find_definition(word, settings.session.helpers.installation.catalogue),
                        settings.session.include);
    for (const ProblemSize& problem : problems_of(definition, settings))
      for (const Device& device : devices) {
        const KernelInstance instance = instantiate(definition, problem, device);
        UsualConfiguration chosen = configuration_of(instance, settings);
        wanted.push_back({.kernel = definition.name,
                          .definition = definition_text(definition.file, settings),
                          .problem = to_text(problem),
                          .configuration = std::move(chosen.configuration),
                          .objective = guarded_name(chosen.objective, definition.own_metrics),
                          .compute_capability = device.compute_capability});
      }
  }
  return wanted;
}

std::vector<BaselineEntry> made_entries(std::span<const BaselineEntry> wanted,
                                        const SaveSettings& settings, const std::stop_token& stop,
                                        const CheckListener& listener) {
  const std::optional<Device> device =
      settings.architectures.empty() ? std::optional(device_of(settings)) : std::nullopt;
  std::vector<StaticSubject> subjects;
  for (const BaselineEntry& entry : wanted) {
    const bool here = device && device->compute_capability == entry.compute_capability;
    subjects.push_back(
        {instantiate(read_definition(definition_of(entry, settings), settings.session.include),
                     problem_size_from_text(entry.problem),
                     here ? *device : device_of_capability(entry.compute_capability)),
         entry.configuration});
  }
  const std::vector<StaticAnswer> answers = compiled(wanted, subjects, settings, stop);
  std::vector<BaselineEntry> made;
  for (std::size_t i = 0; i < wanted.size() && !stop.stop_requested(); ++i) {
    if (!answers[i].entry)
      continue;
    BaselineEntry entry = *answers[i].entry;
    entry.definition = wanted[i].definition;
    entry.objective = wanted[i].objective;
    if (listener.progress)
      listener.progress({title_of(entry), i + 1, wanted.size()});
    if (device && device->compute_capability == entry.compute_capability &&
        !measure(entry, subjects[i].instance.definition, settings, stop, listener))
      break;
    keep(entry, *answers[i].code, settings);
    made.push_back(std::move(entry));
  }
  return made;
}

std::vector<BaselineEntry> tuned_entries(std::span<const Outcome* const> tunings,
                                         const SaveSettings& settings,
                                         const std::stop_token& stop) {
  std::vector<BaselineEntry> wanted;
  std::vector<StaticSubject> subjects;
  std::vector<const Outcome*> of;
  for (const Outcome* one : tunings) {
    if (one->subject.recording || !one->definition || !one->answer.winner())
      continue;
    const Subject& subject = one->subject;
    const Configuration& best = one->answer.winner()->measurement.configuration;
    wanted.push_back({.kernel = subject.kernel,
                      .definition = definition_text(subject.definition, settings),
                      .problem = subject.problem,
                      .configuration = best,
                      .objective = guarded_name(objective_name(one->answer.found_by),
                                                one->definition->own_metrics),
                      .compute_capability = subject.device.compute_capability});
    subjects.push_back(
        {instantiate(*one->definition, problem_size_from_text(subject.problem), subject.device),
         best});
    of.push_back(one);
  }
  const std::vector<StaticAnswer> answers = compiled(wanted, subjects, settings, stop);
  std::vector<BaselineEntry> made;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i].entry)
      continue;
    BaselineEntry& entry = made.emplace_back(*answers[i].entry);
    entry.definition = wanted[i].definition;
    entry.objective = wanted[i].objective;
    take(entry, of[i]->answer.winner()->measurement, of[i]->subject.device);
    keep(entry, *answers[i].code, settings);
  }
  return made;
}

void put_entries(Baseline& baseline, std::span<const BaselineEntry> entries) {
  for (const BaselineEntry& entry : entries) {
    std::erase_if(baseline.entries, [&](const BaselineEntry& one) {
      return one.kernel == entry.kernel && one.problem == entry.problem &&
             one.compute_capability == entry.compute_capability;
    });
    baseline.entries.push_back(entry);
  }
}

std::vector<std::string> differences(const BaselineEntry& before, const BaselineEntry& now) {
  std::vector<std::string> words;
  if (before.time && now.time)
    words.push_back(fmt::format("{} → {} ms ({} %)", number_text(before.time->median_ms),
                                number_text(now.time->median_ms),
                                change_text(now.time->median_ms / before.time->median_ms)));
  if (before.toolkit != now.toolkit)
    words.push_back(fmt::format("toolkit {} → {}", before.toolkit, now.toolkit));
  if (before.source_hash != now.source_hash)
    words.emplace_back("another source");
  for (const CodeChange& change : code_changes(before, now))
    words.push_back(change.what);
  for (const CounterChange& change : counter_changes(before.counters, now.counters))
    words.push_back(to_text(change));
  return words;
}

} // namespace gridsmith
