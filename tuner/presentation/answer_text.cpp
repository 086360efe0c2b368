// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/presentation/answer_text.hpp"

#include "gridsmith/base/named.hpp"
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/base/statistics.hpp"
#include "gridsmith/base/text_table.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/metrics/counters/counter_remedy.hpp"
#include "gridsmith/results/explanation/explanation.hpp"
#include "gridsmith/results/formats/answer_json.hpp"
#include "gridsmith/results/influence/no_effect.hpp"
#include "gridsmith/results/measurement/derived.hpp"
#include "gridsmith/results/measurement/failures.hpp"
#include "gridsmith/tuner/presentation/answer_tables.hpp"
#include "gridsmith/tuner/presentation/explanation_text.hpp"
#include "gridsmith/tuner/presentation/front_text.hpp"
#include "gridsmith/tuner/presentation/gpus_text.hpp"
#include "gridsmith/tuner/presentation/shown_file.hpp"
#include "gridsmith/tuner/presentation/stores_text.hpp"
#include "gridsmith/tuner/presentation/tried_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string_view>

namespace gridsmith {
namespace {

/// Without blanks at their ends; none that is empty.
std::vector<std::string> sentences_in(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (const auto first = line.find_first_not_of(' '); first != line.npos)
      lines.push_back(line.substr(first));
  return lines;
}

/// How the winner was told from those that time could not tell from the fastest.
std::string tie_text(const Outcome& outcome, std::size_t width) {
  const Objective& objective = objective_of(outcome.answer.found_by);
  const std::vector<std::string> steps = tie_break(outcome.answer.ranking, outcome.answer.found_by);
  if (steps.empty())
    return "";
  std::string text =
      fmt::format("\n{} configurations are tied{}; chosen by\n", outcome.answer.ties() + 1,
                  objective.by_time ? "" : " in " + objective.name + ", the same within 1 %");
  for (const std::string& step : steps)
    text += "  " + wrapped(step, width - 2, 4) + '\n';
  return text;
}

/// What stands for several: the configurations whose machine code is that of a winner or of one tied
/// with it, a line for each that has any.
std::string same_code_text(const Outcome& outcome, std::size_t width) {
  constexpr std::size_t most_named = 3;
  const std::vector<Ranked>& ranking = outcome.answer.ranking;
  std::string text;
  for (const Ranked& one : ranking) {
    const auto same = same_code(outcome.result.measurements, one.measurement);
    if (same.empty() || (!one.tied && &one != &ranking.front()))
      continue;
    std::string names;
    for (const Measurement* other : std::span(same).first(std::min(most_named, same.size())))
      names += (names.empty() ? "" : "; ") +
               short_text(other->configuration, outcome.subject.parameters);
    if (same.size() > most_named)
      names += fmt::format("; and {}", counted(same.size() - most_named, "other"));
    text += wrapped(printable(fmt::format(
                        "The same machine code as {}: {}",
                        &one == &ranking.front()
                            ? "the best"
                            : short_text(one.measurement.configuration, outcome.subject.parameters),
                        names)),
                    width, 2) +
            '\n';
  }
  return text.empty() ? "" : '\n' + text;
}

/// Parameters that changed nothing wherever they could be seen to, a line for each, and results that are
/// written many times over.
std::string suspicions_text(const Outcome& outcome, std::size_t width) {
  std::string text;
  if (const std::string stores = stores_text(outcome); !stores.empty())
    text += wrapped(printable(stores), width, 2) + '\n';
  for (const NoEffect& one :
       without_effect(outcome.subject.parameters, outcome.result.measurements))
    text += wrapped(printable(to_text(one)), width, 2) + '\n';
  return text.empty() ? "" : '\n' + text;
}

std::string title_text(const Outcome& outcome, std::size_t width) {
  const Configuration& best = outcome.answer.ranking.front().measurement.configuration;
  const std::string what =
      fmt::format("{} on {}: {}",
                  outcome.answer.found_by.unconfirmed ? "Not confirmed, as first measured" : "Best",
                  device_text(outcome.subject), short_text(best, outcome.subject.parameters));
  return wrapped(printable(what), width, 2);
}

std::string best_text(const Outcome& outcome, std::size_t width) {
  const Subject& subject = outcome.subject;
  const Ranked& best = outcome.answer.ranking.front();
  std::string how =
      fmt::format("  {} ms, {}", number_text(best.time.median_ms), time_words(best.time));
  if (best.time.samples > 1)
    how += fmt::format(", middle half {} to {}", number_text(best.time.first_quartile_ms),
                       number_text(best.time.third_quartile_ms));
  if (const std::string value = best_by_objective(outcome); !value.empty())
    how = "  " + value + "; " + how.substr(2);
  how += fmt::format("; {}; {}; {}", verification_text(outcome), subject.conditions,
                     date_text(subject));
  if (const std::string counted = counted_text(best.measurement); !counted.empty())
    how += "; " + counted;
  return title_text(outcome, width) + '\n' + wrapped(printable(how), width, 2) + '\n';
}

/// The first rate that cannot be, and what is said against it or for it.
std::string doubt_text(const Outcome& outcome, std::size_t width) {
  const Ranked* first = nullptr;
  std::size_t others = 0;
  for (const Ranked& one : outcome.answer.ranking)
    if (doubt_of(outcome.subject, one))
      first ? void(++others) : void(first = &one);
  if (!first)
    return "";
  std::string text =
      fmt::format("  ? {}{}; {}", to_text(*doubt_of(outcome.subject, *first)),
                  others > 0 ? fmt::format(", and {}", counted(others, "other")) : "",
                  first->measurement.compared_after
                      ? "its outputs were compared again after timing: is the work model correct?"
                      : "its outputs were not compared after timing, so it cannot win");
  return wrapped(printable(text), width, 4) + '\n';
}

/// Medians of all that was timed, ascending.
std::vector<double> times_of(const Outcome& outcome) {
  std::vector<double> times;
  for (const Measurement& one : outcome.result.measurements)
    if (const auto time = cost_ms(one))
      times.push_back(*time);
  std::sort(times.begin(), times.end());
  return times;
}

/// "1.09 times faster than the default (0.1436 ms), 7.6 times than the slowest (1.003 ms)"; an
/// objective other than time may have chosen one that is slower.
std::string speedup_text(const Outcome& outcome) {
  if (outcome.answer.ranking.empty() || outcome.answer.found_by.unconfirmed)
    return "";
  constexpr double worth_saying = 1.005; // less is shown as "1 times"
  const double best = outcome.answer.ranking.front().time.median_ms;
  std::string faster, slower;
  const auto add = [&](const std::string& name, double other_ms) {
    const bool slow = other_ms < best;
    const double ratio = slow ? best / other_ms : other_ms / best;
    if (std::string& text = slow ? slower : faster; ratio >= worth_saying)
      text += fmt::format("{}{} times {}than {} ({} ms)", text.empty() ? "" : ", ",
                          number_text(ratio, 3),
                          !text.empty() ? ""
                          : slow        ? "slower "
                                        : "faster ",
                          name, number_text(other_ms));
  };
  if (const auto usual = default_of(outcome))
    add("the default", usual->time.median_ms);
  if (const std::vector<double> times = times_of(outcome); times.size() > 2) {
    add("the median of all tried", median(times));
    add("the slowest", times.back());
  }
  const std::string text = faster + (faster.empty() || slower.empty() ? "" : "; ") + slower;
  return text.empty() ? "" : "The best is " + text + ".\n";
}

/// "Stopped after 47 of 82984: a gain of more than 1 % in the next 20 is unlikely (3 %)."
std::string stopped_text(const Outcome& outcome) {
  const TuningResult& result = outcome.result;
  const double percent = 100 * *result.chance_of_gain;
  const std::uint64_t tried =
      outcome.answer.found_by.evaluations; // a store may have more of other searches
  return fmt::format(
      "Stopped after {} of {}: a gain of more than {:g} % in the next {} is unlikely "
      "({}).",
      tried > 0 ? tried : result.measurements.size(), outcome.subject.configurations,
      100 * StopRule::worthwhile, StopRule::ahead,
      percent < 1 ? "below 1 %" : fmt::format("{:.0f} %", percent));
}

std::string time_spent_text(const TuningResult& result) {
  const EvaluatorState& state = result.evaluator;
  std::string text = fmt::format(
      "time: start {}, compile {} over all compilers, GPU busy {} ({:.0f} %), verify {}, time {}, "
      "count {}, worker waited {}, search {}",
      duration_text(state.start_ms / 1000), duration_text(state.spent.compile_ms / 1000),
      duration_text(state.spent.gpu_ms / 1000),
      result.seconds > 0
          ? state.spent.gpu_ms / result.seconds / 10 / static_cast<double>(state.gpus)
          : 0.0,
      duration_text(state.spent.verify_ms / 1000), duration_text(state.spent.time_ms / 1000),
      duration_text(state.spent.count_ms / 1000), duration_text(state.wait_ms / 1000),
      duration_text(result.search_ms / 1000));
  if (state.headers_used > 0)
    text += fmt::format("; precompiled headers used in {} of {}", state.headers_used,
                        counted(state.compilations, "compilation"));
  if (state.worker_restarts + state.compiler_restarts > 0)
    text += fmt::format("; replaced: {}, {}", counted(state.worker_restarts, "worker"),
                        counted(state.compiler_restarts, "compiler"));
  return text;
}

/// Where it is kept and what to do with it.
std::string next_text(const Outcome& outcome, std::size_t width) {
  if (!outcome.stored_in || outcome.result.measurements.empty())
    return "Nothing is stored.\n";
  const std::string store = shell_word(std::filesystem::proximate(*outcome.stored_in).string());
  std::string text = wrapped("Stored in " + store + ".", width, 2) + '\n';
  if (!shortfall(outcome).empty())
    return text;
  if (outcome.definition && !is_kept(outcome.definition->file))
    return text + "Next: the same command with --write-definition FILE keeps the definition, which "
                  "'gridsmith export header' needs.\n";
  std::string next = "Next: gridsmith export header " + store;
  if (outcome.definition && !is_of_catalogue(outcome.definition->file))
    next += " --definition " + shell_word(kernel_word(outcome.definition->file));
  return text + next + " -o tuned.hpp\n"; // not wrapped: it is to be copied
}

const char* no_finals_because(Ended ended) {
  switch (ended) {
  case Ended::stopped:
    return "interrupted";
  case Ended::out_of_time:
    return "the time ran out";
  default:
    return "no finals were requested";
  }
}

/// What limits the winner, from its counters, why it beat the others, and what to try next.
std::string why_paragraphs(const Outcome& outcome, std::size_t width) {
  const Export exported = outcome.exported();
  const Verdict verdict =
      verdict_on(outcome.answer.ranking.front().measurement, exported.recording);
  const Winner winner = winner_of(exported, influence_on_time(exported.recording));
  const std::string how = how_to_count(outcome.definition.get(), outcome.subject.problem);
  return wrapped(printable("Why: " + why_text(verdict, how) + "."), width, 2) + '\n' +
         winner_text(winner, verdict, width);
}

/// Where it was measured here, as the doctor looks at this machine.
std::string remedy_hint(const Outcome& outcome, const std::string& uncounted_because) {
  const bool helps = !outcome.subject.recording && has_counter_remedy(uncounted_because);
  return helps ? "; 'gridsmith doctor' says what to do" : "";
}

/// As a sentence of its own.
std::string sentence(std::string line) {
  if (!line.empty())
    line.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(line.front())));
  return line + '.';
}

/// What is against all of them, then how they were first measured.
std::string unconfirmed_text(const Outcome& outcome, std::size_t width) {
  const std::vector<Ranked>& ranking = outcome.answer.ranking;
  const std::vector<Measurement> failed =
      failed_finals(outcome.answer, outcome.result.measurements);
  std::string text;
  if (failed.empty())
    text = wrapped(printable(sentence(shortfall(outcome))), width, 2) + '\n';
  else
    text = fmt::format("None of the {} finalists gave a correct result when measured again:\n",
                       ranking.size()) +
           failures_text(failed, width);
  text += '\n' + best_text(outcome, width);
  if (ranking.size() > 1)
    text += '\n' + ranking_table(outcome.subject, ranking, width, false);
  return text;
}

std::string agrees_text(const std::optional<WrittenPart>& part) {
  return fmt::format("agrees with the default configuration{} (no reference given)",
                     part ? fmt::format(" in the {} of {} that it writes", part->written,
                                        counted(part->elements, "element"))
                          : "");
}

} // namespace

std::string short_text(const Configuration& configuration,
                       const std::vector<Parameter>& parameters) {
  std::string text;
  for (const auto& [name, value] : configuration) {
    const Parameter* parameter = find_named(name, parameters);
    if (!parameter || parameter->values.size() > 1)
      text += (text.empty() ? "" : " ") + name + "=" + to_text(value);
  }
  return text.empty() ? to_text(configuration) : text;
}

std::string shell_word(const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) ||
           std::string_view("._/-+:@%,").find(static_cast<char>(c)) != std::string_view::npos;
  });
  std::string quoted = "'";
  for (const char c : printable(text))
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return plain ? text : quoted + '\'';
}

std::string device_text(const Subject& subject) {
  return subject.device.name.empty() ? "an unknown device" : subject.device.name;
}

std::string date_text(const Subject& subject) {
  std::string day = subject.date.substr(0, 10);
  if (!subject.recording)
    return day;
  return day.empty() ? "date unknown" : "recorded " + day;
}

/// ", of 'out' where i < n"; "" where all elements of all outputs count.
std::string verified_part(const Outcome& outcome) {
  std::string text;
  if (outcome.definition)
    for (const Argument& argument : outcome.definition->arguments)
      if (!argument.verified.empty())
        text += fmt::format(", of '{}' where {}", argument.name, argument.verified);
  return text;
}

std::string replay_text(const Subject& subject) {
  return fmt::format("{}: replaying the recording of {} ({}), {}", subject.replayed_because,
                     device_text(subject), date_text(subject), shown_file(*subject.recording, {}));
}

std::string verification_text(const Outcome& outcome) {
  std::set<Verification> with;
  for (const Measurement& one : outcome.result.measurements)
    if (one.correct())
      with.insert(one.verification);
  std::string text;
  for (const Verification one : with) {
    const std::string word =
        one == Verification::host     ? "verified against Reference.Element"
        : one == Verification::kernel ? "verified against the reference kernel"
        : one == Verification::file   ? "verified against the expected output's file"
        : one == Verification::default_configuration
            ? agrees_text(outcome.result.evaluator.only_written)
        : outcome.subject.recording ? "the file does not say whether results were verified"
                                    : "not verified (no reference or no output given)";
    text += (text.empty() ? "" : ", some ") + word;
    if (const auto& checked = outcome.result.evaluator.elements_checked;
        checked && one == Verification::kernel)
      text += *checked > 0 ? fmt::format(" ({} of it checked by Reference.Element)",
                                         counted(*checked, "element"))
                           : " (not checked: an element by Reference.Element takes too long)";
    if (one != Verification::none)
      text += verified_part(outcome);
  }
  return text;
}

std::size_t answer_title_size(const Outcome& outcome, const Terminal& terminal) {
  return outcome.answer.winner() ? title_text(outcome, terminal.width).size()
                                 : answer_text(outcome, terminal).find('\n');
}

std::string answer_text(const Outcome& outcome, const Terminal& terminal) {
  const std::vector<Ranked>& ranking = outcome.answer.ranking;
  if (ranking.empty())
    return wrapped(printable(sentence(shortfall(outcome))), terminal.width, 2) + '\n';
  if (outcome.answer.found_by.unconfirmed)
    return unconfirmed_text(outcome, terminal.width);
  const Subject& subject = outcome.subject;
  std::string text = best_text(outcome, terminal.width);
  if (outcome.result.finals.empty() && !outcome.answer.found_by.strategy.empty())
    text += std::string("  not measured again: ") + no_finals_because(outcome.result.ended) + '\n';
  if (const auto& why = ranking.front().measurement.uncounted_because;
      why && !profiled(ranking.front().measurement.counters))
    text += wrapped("  not counted: " + printable(*why) + remedy_hint(outcome, *why),
                    terminal.width, 4) +
            '\n';
  if (const auto& shared = outcome.for_all)
    text += wrapped(fmt::format(
                        "  for all sizes: {}, {:.1f} % slower here than the best as first measured",
                        short_text(shared->configuration, subject.parameters), 100 * shared->loss),
                    terminal.width, 4) +
            '\n';
  if (ranking.size() > 1)
    text += '\n' + ranking_table(subject, ranking, terminal.width);
  text += doubt_text(outcome, terminal.width);
  text += tie_text(outcome, terminal.width) + same_code_text(outcome, terminal.width) +
          suspicions_text(outcome, terminal.width);
  if (const auto& drift = outcome.answer.found_by.stored_drift)
    text += wrapped(to_text(*drift) + '.', terminal.width, 2) + '\n';
  for (const std::string& sentence :
       gpus_sentences(outcome.answer.found_by, outcome.subject.device))
    text += wrapped(printable(sentence), terminal.width, 2) + '\n';
  if (const std::string front = front_table(outcome, terminal.width); !front.empty())
    text += '\n' + front;
  if (!outcome.regimes.empty())
    text += '\n' + regimes_table(outcome, terminal.width);
  if (!outcome.clocks.empty())
    text += '\n' + clocks_table(outcome, terminal.width);
  if (const std::string comparison = comparison_text(outcome, terminal.width); !comparison.empty())
    text += '\n' + comparison;
  return text + '\n' + why_paragraphs(outcome, terminal.width);
}

std::vector<std::string> answer_sentences(const Outcome& outcome) {
  constexpr std::size_t width = unlimited_width;
  std::vector<std::string> texts;
  if (outcome.answer.ranking.empty())
    texts = {sentence(shortfall(outcome))};
  else if (outcome.answer.found_by.unconfirmed)
    texts = {sentence(shortfall(outcome)), best_text(outcome, width)};
  else
    texts = {best_text(outcome, width),      doubt_text(outcome, width),
             same_code_text(outcome, width), suspicions_text(outcome, width),
             speedup_text(outcome),          why_paragraphs(outcome, width)};
  texts.push_back(front_sentence(outcome));
  texts.push_back(tried_text(outcome));
  if (outcome.result.chance_of_gain)
    texts.push_back(stopped_text(outcome));
  std::vector<std::string> sentences;
  for (const std::string& text : texts)
    for (const std::string& line : sentences_in(text))
      sentences.push_back(line);
  if (const auto steps = sentences_in(tie_text(outcome, width));
      !steps.empty() && !outcome.answer.found_by.unconfirmed)
    sentences.push_back(
        fmt::format("{} {}.", steps.front(), fmt::join(steps.begin() + 1, steps.end(), "; ")));
  if (const auto& drift = outcome.answer.found_by.stored_drift)
    sentences.push_back(to_text(*drift) + '.');
  for (std::string& sentence : gpus_sentences(outcome.answer.found_by, outcome.subject.device))
    sentences.push_back(std::move(sentence));
  return sentences;
}

std::string summary_text(const Outcome& outcome, const Terminal& terminal) {
  const TuningResult& result = outcome.result;
  std::string text = wrapped(tried_text(outcome), terminal.width, 2) + '\n' +
                     failures_text(result.measurements, terminal.width);
  if (result.chance_of_gain)
    text += wrapped(stopped_text(outcome), terminal.width, 2) + '\n';
  if (const std::string faster = speedup_text(outcome); !faster.empty())
    text += wrapped(faster.substr(0, faster.size() - 1), terminal.width, 2) + '\n';
  if (!outcome.subject.recording && result.evaluator.start_ms > 0)
    text += wrapped(time_spent_text(result), terminal.width, 2) + '\n';
  return text + next_text(outcome, terminal.width);
}

} // namespace gridsmith
