#include "gridsmith/tuner/presentation/report_source.hpp"

#include "gridsmith/tuner/inspection/recorded_code.hpp"
#include "gridsmith/tuner/presentation/answer_text.hpp"
#include "gridsmith/tuner/presentation/past_outcome.hpp"
#include "gridsmith/tuner/processes/disassembler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace gridsmith {
namespace {

/// The tuning that would find it again; "" where the kernel has no name to call it by.
std::string command_of(const Outcome& outcome) {
  const Subject& subject = outcome.subject;
  const FoundBy& found_by = outcome.answer.found_by;
  const std::string kernel =
      subject.definition.empty() ? subject.kernel : subject.definition.string();
  if (kernel.empty())
    return "";
  std::string text = "gridsmith tune " + shell_word(kernel);
  if (!subject.problem.empty())
    text += " --size " + shell_word(subject.problem);
  if (!found_by.objective.empty() && found_by.objective != "time")
    text += " --objective " + found_by.objective;
  if (!found_by.strategy.empty())
    text += fmt::format(" --strategy {} --seed {}", found_by.strategy, found_by.seed);
  if (subject.recording && !found_by.recording.empty())
    text += " --recording " + shell_word(found_by.recording);
  return text;
}

} // namespace

void add_code(ReportSource& source, const Installation& installation, bool confined) {
  const Export& exported = source.exported;
  if (!exported.definition || !has_best(exported))
    return;
  const auto now =
      inspect_recorded(*exported.definition, exported.recording.problem, exported.recording.device,
                       best_of(exported), installation, confined);
  if (!now || !now->machine_code)
    return;
  ReportCode& code = source.code.emplace();
  code.facts = *now->machine_code;
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
  for (const Span& span : spans) {
    const bool compiles = span.row.starts_with("compiler"); // says options and the kernel's name
    source.timeline.push_back({span.row, compiles ? "compile" : span.name,
                               compiles ? "" : span.detail, seconds(span.begin),
                               seconds(span.end)});
  }
}

ReportSource report_source(const Outcome& outcome) {
  ReportSource source;
  source.exported = outcome.exported();
  source.exported.definition = outcome.definition;
  source.origin = outcome.stored_in ? outcome.stored_in->string() : "";
  source.sentences = answer_sentences(outcome);
  source.verified = verification_text(outcome);
  source.command = command_of(outcome);
  return source;
}

ReportSource report_source(const Export& exported, const std::string& file) {
  Outcome outcome = past_outcome(exported, file);
  outcome.subject.default_configuration = report_default(exported);
  ReportSource source = report_source(outcome);
  source.exported = exported;
  source.origin = file;
  return source;
}

} // namespace gridsmith
