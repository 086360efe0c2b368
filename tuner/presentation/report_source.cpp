// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/presentation/report_source.hpp"

#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/tuner/inspection/recorded_code.hpp"
#include "gridsmith/tuner/presentation/answer_text.hpp"
#include "gridsmith/tuner/presentation/past_outcome.hpp"
#include "gridsmith/tuner/processes/disassembler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

namespace gridsmith {
namespace {

/// The tuning that would find it again; "" where there is none: the kernel is not known here, and what was
/// measured of it is in no recording.
std::string command_of(const Outcome& outcome) {
  const Subject& subject = outcome.subject;
  const FoundBy& found_by = outcome.answer.found_by;
  const auto file = outcome.definition ? outcome.definition->file : subject.definition;
  if (!is_kept(file))
    return "";
  if (file.empty() && (!subject.recording || is_store(*subject.recording)))
    return "";
  std::string text = "gridsmith tune";
  if (!file.empty())
    text += ' ' + shell_word(kernel_word(file));
  if (!file.empty() && !subject.problem.empty())
    text += " --size " + shell_word(subject.problem);
  if (!found_by.objective.empty() && found_by.objective != "time")
    text += " --objective " + found_by.objective;
  if (!found_by.against.empty())
    text += (found_by.objective == "time" ? " --objective time," : ",") + found_by.against;
  if (!found_by.strategy.empty())
    text += fmt::format(" --strategy {} --seed {}", found_by.strategy, found_by.seed);
  if (file.empty())
    text += " --recording " + shell_word(subject.recording->string());
  else if (subject.recording && !found_by.recording.empty())
    text += " --recording " + shell_word(found_by.recording);
  return text;
}

/// What a compiler is given for it: a macro of each parameter, one after the other.
std::string macros_of(const Configuration& configuration) {
  std::string text;
  for (const auto& [name, value] : configuration)
    text += " -D" + name + "=" + to_macro(value);
  return text;
}

/// As many words of it as there are parameters, from the macro of the first on; "" where it has none.
std::string macros_in(const std::string& options, const std::vector<Parameter>& parameters) {
  const std::string all = " " + options;
  const auto begin =
      parameters.empty() ? all.npos : all.find(" -D" + parameters.front().name + "=");
  if (begin == all.npos)
    return "";
  auto end = begin;
  for (std::size_t i = 0; i < parameters.size() && end != all.npos; ++i)
    end = all.find(' ', end + 1);
  return all.substr(begin, end == all.npos ? end : end - begin);
}

} // namespace

void add_code(ReportSource& source, const HelperSettings& helpers) {
  const Export& exported = source.exported;
  if (!exported.definition || !has_best(exported))
    return;
  const auto now = inspect_recorded(*exported.definition, exported.recording.problem,
                                    exported.recording.device, best_of(exported), helpers);
  if (!now || !now->machine_code)
    return;
  ReportCode& code = source.code.emplace();
  code.facts = *now->machine_code;
  code.fast_math = now->fast_math;
  code.command = now->code->command;
  const Disassembly disassembly = Disassembler().disassemble(*now->code->cubin);
  code.kind = disassembly.sass ? "sass" : "ptx";
  code.text = disassembly.sass.value_or(now->code->ptx);
}

void add_timeline(ReportSource& source, std::span<const Span> spans, Span::Time zero) {
  if (std::none_of(spans.begin(), spans.end(),
                   [](const Span& span) { return span.row == "worker"; }))
    return;
  const auto seconds = [&](Span::Time time) {
    return std::chrono::duration<double>(time - zero).count();
  };
  const Recording& recording = source.exported.recording;
  std::map<std::string, std::string> compiled; // configurations by their macros
  for (const Measurement& one : recording.measurements)
    compiled.emplace(macros_of(one.configuration), to_text(one.configuration));
  for (const Span& span : spans) {
    ReportSpan shown{span.row, span.name, span.detail, seconds(span.begin), seconds(span.end)};
    if (span.row.starts_with("compiler")) { // says the kernel's name and its options
      const auto found = compiled.find(macros_in(span.detail, recording.parameters));
      shown.what = "compile";
      shown.configuration = found == compiled.end() ? "" : found->second;
    }
    source.timeline.push_back(std::move(shown));
  }
}

ReportSource report_source(const Outcome& outcome) {
  ReportSource source;
  source.exported = outcome.exported();
  source.exported.definition = outcome.definition;
  source.origin = outcome.stored_in ? outcome.stored_in->string() : "";
  source.sentences = answer_sentences(outcome);
  if (is_replay(source.exported))
    source.sentences.insert(source.sentences.begin(),
                            fmt::format("Replayed: {}, {}; nothing ran on a GPU.",
                                        device_text(outcome.subject), date_text(outcome.subject)));
  source.verified = verification_text(outcome);
  source.command = command_of(outcome);
  return source;
}

ReportSource report_source(const Export& exported, const std::string& file) {
  Outcome outcome = past_outcome(exported, file);
  outcome.definition = exported.definition;
  ReportSource source = report_source(outcome);
  source.exported = exported;
  source.origin = file;
  return source;
}

} // namespace gridsmith
