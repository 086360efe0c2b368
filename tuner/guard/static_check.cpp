// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/guard/static_check.hpp"

#include "gridsmith/base/clock_text.hpp"
#include "gridsmith/kernels/definition/compile_request.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/kernels/source/kernel_line.hpp"
#include "gridsmith/results/check/code_change.hpp"
#include "gridsmith/tuner/guard/check_subject.hpp"
#include "gridsmith/tuner/inspection/code_summary.hpp"
#include "gridsmith/tuner/session/usual_configuration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <map>
#include <set>
#include <thread>
#include <utility>

namespace gridsmith {
namespace {

ReadableFolders readable_by(std::span<const StaticSubject> subjects) {
  ReadableFolders readable;
  for (const StaticSubject& one : subjects)
    join(readable, one.instance.definition.readable);
  return readable;
}

StaticAnswer answer_of(const StaticSubject& subject, const Code& code, const std::string& toolkit,
                       const Disassembler& disassembler) {
  StaticAnswer answer;
  answer.code = code;
  answer.ms = code->ms;
  if (code->cubin) {
    answer.entry = entry_of(subject.instance, subject.configuration, *code, toolkit);
    answer.entry->code.sass = sass_summary(*code, disassembler);
  } else {
    answer.reason = "does not compile: " + code->error.value_or("no reason was given");
    answer.of_source = !code->of_machine;
  }
  return answer;
}

/// For all numbers below `count`, side by side: a disassembler is a program that is waited for.
void for_each_number(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::future<void>> running;
  running.reserve(std::min(count, cores));
  for (std::size_t i = 0; i < std::min(count, cores); ++i)
    running.push_back(std::async(std::launch::async, [&] {
      for (std::size_t number = next++; number < count; number = next++)
        work(number);
    }));
  for (std::future<void>& one : running)
    one.get();
}

/// Answers all of them that are of one architecture.
void compile_some(std::span<const StaticSubject> subjects, const std::vector<std::size_t>& numbers,
                  CompilerPool& pool, const Disassembler& disassembler, const std::stop_token& stop,
                  std::vector<StaticAnswer>& answers) {
  std::vector<CompileRequest> requests;
  std::vector<std::size_t> asked;
  for (const std::size_t number : numbers)
    try {
      requests.push_back(
          compile_request(subjects[number].instance, subjects[number].configuration));
      asked.push_back(number);
    } catch (const InputError& error) {
      answers[number].reason = error.what();
      answers[number].of_source = true;
    }
  const std::vector<Code> codes = compile_all(pool, requests, stop);
  for_each_number(asked.size(), [&](std::size_t i) {
    if (codes[i])
      answers[asked[i]] = answer_of(subjects[asked[i]], codes[i], pool.toolkit(), disassembler);
  });
}

/// Numbers of the subjects of each.
std::map<int, std::vector<std::size_t>> by_architecture(std::span<const StaticSubject> subjects) {
  std::map<int, std::vector<std::size_t>> found;
  for (std::size_t i = 0; i < subjects.size(); ++i)
    found[subjects[i].instance.device.compute_capability].push_back(i);
  return found;
}

// ---- the check

std::string architecture_text(int capability) {
  return fmt::format("sm_{}", capability);
}

KernelDefinition definition_of(const BaselineEntry& entry, const CheckSettings& settings) {
  const std::filesystem::path folder = settings.baseline.parent_path();
  const auto file =
      entry.definition.empty()
          ? find_definition(entry.kernel, settings.session.helpers.installation.catalogue)
          : (folder.empty() ? "." : folder) / entry.definition;
  return read_definition(file, settings.session.include);
}

CheckCase case_of(const BaselineEntry& entry) {
  CheckCase one;
  one.kernel = entry.kernel;
  one.problem = entry.problem;
  one.where = architecture_text(entry.compute_capability);
  one.configuration = to_text(entry.configuration);
  return one;
}

/// What a person expects to be judged and cannot be, because the baseline does not know it.
std::vector<CheckCase> missing_cases(const Baseline& baseline, const CheckSettings& settings,
                                     const std::vector<int>& architectures) {
  std::vector<CheckCase> missing;
  std::set<std::string> seen;
  for (const BaselineEntry& entry : baseline.entries)
    for (const int capability : architectures) {
      BaselineEntry wanted = entry;
      wanted.compute_capability = capability;
      const auto same = [&](const BaselineEntry& one) { return same_subject(one, wanted); };
      if (!is_wanted(wanted, settings.kernels, settings.session.problems) ||
          std::any_of(baseline.entries.begin(), baseline.entries.end(), same))
        continue;
      if (!seen.insert(title_of(wanted) + to_text(wanted.configuration)).second)
        continue;
      missing.push_back(case_of(wanted));
      missing.back().verdict = CheckVerdict::missing;
      missing.back().reason = "the baseline has no entry for " + architecture_text(capability);
    }
  return missing;
}

/// Why the code may be another one.
std::string cause(const BaselineEntry& before, const BaselineEntry& now) {
  std::string text = before.source_hash == now.source_hash ? "the same source" : "another source";
  if (before.toolkit != now.toolkit)
    text += fmt::format(", NVRTC {} → {}", before.toolkit, now.toolkit);
  return text;
}

void judge(const BaselineEntry& before, const StaticAnswer& answer, CheckCase& one) {
  one.seconds = answer.ms / 1000;
  if (!answer.entry) {
    one.verdict = answer.of_source ? CheckVerdict::wrong : CheckVerdict::incomparable;
    one.reason = answer.reason.empty() ? "stopped before it was compiled" : answer.reason;
    return;
  }
  const std::vector<CodeChange> changes = code_changes(before, *answer.entry);
  one.verdict = verdict_of(changes);
  one.changes = words_of(changes);
  if (!changes.empty())
    one.reason = cause(before, *answer.entry);
}

/// The cases of entries, each with its subject where the definition still has it.
struct Work {
  std::vector<CheckCase> cases;
  std::vector<const BaselineEntry*> entries; ///< of the subjects
  std::vector<std::size_t> numbers;          ///< of their cases
  std::vector<StaticSubject> subjects;
};

/// @throws InputError: the definition does not have it any more
StaticSubject subject_of(const BaselineEntry& entry, const KernelDefinition& definition) {
  KernelInstance instance = instantiate(definition, problem_size_from_text(entry.problem),
                                        device_of_capability(entry.compute_capability));
  auto configuration = in_space(entry.configuration, instance);
  if (!configuration)
    throw InputError(
        fmt::format("its definition does not allow {} any more", to_text(entry.configuration)));
  if (!instance.source)
    throw InputError(definition.source.string() + ": its source cannot be read");
  return {std::move(instance), std::move(*configuration)};
}

void add(Work& work, const BaselineEntry& entry, const CheckSettings& settings) {
  CheckCase one = case_of(entry);
  try {
    const KernelDefinition definition = definition_of(entry, settings);
    one.file = definition.source.string();
    StaticSubject subject = subject_of(entry, definition);
    one.line = kernel_line(subject.instance.source->main.text, definition.kernel);
    work.subjects.push_back(std::move(subject));
    work.entries.push_back(&entry);
    work.numbers.push_back(work.cases.size());
  } catch (const InputError& error) {
    one.verdict = CheckVerdict::missing;
    one.reason = error.what();
  }
  work.cases.push_back(std::move(one));
}

std::string how_text(const std::vector<StaticAnswer>& answers, const Disassembler& disassembler) {
  std::set<std::string> toolkits;
  std::set<int> architectures;
  for (const StaticAnswer& one : answers)
    if (one.entry) {
      toolkits.insert(one.entry->toolkit);
      architectures.insert(one.entry->compute_capability);
    }
  if (toolkits.empty())
    return "nothing was compiled";
  const std::string read = disassembler.program()
                               ? "and by " + disassembler.program()->filename().string()
                               : "alone: no nvdisasm or cuobjdump on PATH";
  return fmt::format(
      "compiled by NVRTC {} for sm_{}; machine code read from its instruction words {}",
      *toolkits.begin(), fmt::join(architectures, ", sm_"), read);
}

} // namespace

std::vector<StaticAnswer> compile_statically(std::span<const StaticSubject> subjects,
                                             const HelperSettings& helpers,
                                             const std::stop_token& stop) {
  const Disassembler disassembler;
  HelperSettings uncached = helpers;
  uncached.cache = false;
  std::vector<StaticAnswer> answers(subjects.size());
  for (const auto& [capability, numbers] : by_architecture(subjects)) {
    std::optional<CompilerPool> pool;
    try {
      pool.emplace(compiler_settings(uncached, readable_by(subjects), capability));
    } catch (const InputError& error) { // the compiler does not know this architecture
      for (const std::size_t number : numbers)
        answers[number].reason = error.what();
    }
    if (pool)
      compile_some(subjects, numbers, *pool, disassembler, stop, answers);
  }
  return answers;
}

CheckResult static_check(const Baseline& baseline, const CheckSettings& settings,
                         const std::vector<int>& architectures, const std::stop_token& stop) {
  check_asked(baseline.entries, settings.kernels, settings.session.problems);
  Work work;
  for (const BaselineEntry& entry : baseline.entries)
    if (is_wanted(entry, settings.kernels, settings.session.problems) &&
        (architectures.empty() || std::find(architectures.begin(), architectures.end(),
                                            entry.compute_capability) != architectures.end()))
      add(work, entry, settings);
  const std::vector<StaticAnswer> answers =
      compile_statically(work.subjects, settings.session.helpers, stop);
  for (std::size_t i = 0; i < answers.size(); ++i)
    judge(*work.entries[i], answers[i], work.cases[work.numbers[i]]);
  CheckResult result;
  result.cases = std::move(work.cases);
  for (CheckCase& one : missing_cases(baseline, settings, architectures))
    result.cases.push_back(std::move(one));
  result.date = utc_now();
  result.rules = settings.failures;
  result.how = how_text(answers, Disassembler());
  return result;
}

} // namespace gridsmith
