// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/listing.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/results/explanation/explanation.hpp"
#include "gridsmith/results/formats/answer_json.hpp"
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/results/influence/influence_text.hpp"
#include "gridsmith/results/measurement/answer.hpp"
#include "gridsmith/results/profiles/profile.hpp"
#include "gridsmith/tuner/backends/recordings.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/interrupts.hpp"
#include "gridsmith/tuner/cli/records/sources.hpp"
#include "gridsmith/tuner/cli/words.hpp"
#include "gridsmith/tuner/gpu/device_list.hpp"
#include "gridsmith/tuner/inspection/exported_definition.hpp"
#include "gridsmith/tuner/inspection/inspection.hpp"
#include "gridsmith/tuner/inspection/recorded_code.hpp"
#include "gridsmith/tuner/presentation/answer_text.hpp"
#include "gridsmith/tuner/presentation/explanation_text.hpp"
#include "gridsmith/tuner/session/session.hpp"
#include "gridsmith/tuner/session/usual_configuration.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

namespace gridsmith {
namespace {

using Ordered = nlohmann::ordered_json;

/// What is explained, from where.
struct Explained {
  Recording recording;
  std::string title;                        ///< "transpose 8192x8192 on NVIDIA H200"
  Configuration chosen, compared;           ///< compared: empty where nothing is
  std::optional<CodeFacts> code, fast_math; ///< of the chosen one
  std::optional<Winner> winner = {};        ///< where the best of a tuning is chosen
  std::string remark = {};                  ///< "not deterministic: …"; "": there is none
};

LaunchExplanation explained(const Explained& of, const Measurement& chosen) {
  return explain(of.recording, chosen, of.code ? &*of.code : nullptr,
                 of.fast_math ? &*of.fast_math : nullptr);
}

const Measurement* find(const Recording& recording, const Configuration& configuration) {
  for (const Measurement& one : recording.measurements)
    if (one.configuration == configuration)
      return &one;
  return nullptr;
}

const Measurement& found(const Recording& recording, const Configuration& configuration) {
  const Measurement* one = find(recording, configuration);
  if (!one)
    throw InputError(to_text(configuration) + " was not measured");
  if (!one->correct())
    throw InputError(fmt::format("{} failed: {}", to_text(configuration), one->reason));
  if (!cost_ms(*one))
    throw InputError(to_text(configuration) + " has no time");
  return *one;
}

/// Of `count` configurations the one that has the values of `text` and of the rest most in common
/// with `base`. @throws InputError: none has them
Configuration named(const std::string& text, const Configuration& base,
                    const std::vector<Parameter>& parameters, const std::string& where,
                    std::size_t count, const std::function<Configuration(std::size_t)>& at) {
  const Configuration wanted = configuration_from_text(text, parameters, where);
  if (wanted.empty())
    return base;
  Configuration best;
  std::size_t most = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Configuration one = at(i);
    if (differences(wanted, one) > 0)
      continue;
    if (const std::size_t common = base.size() - differences(base, one);
        best.empty() || common > most) {
      most = common;
      best = std::move(one);
    }
  }
  if (best.empty())
    throw InputError(fmt::format("{}: no configuration has {}; 'gridsmith space KERNEL --why-not' "
                                 "says why",
                                 where, to_text(wanted)));
  return best;
}

Configuration named_in(const Recording& recording, const std::string& text,
                       const Configuration& base, const std::string& where) {
  return named(text, base, recording.parameters, where, recording.measurements.size(),
               [&](std::size_t i) { return recording.measurements[i].configuration; });
}

/// A space may be too large to be gone through: then all values have to be named.
Configuration named_in(const SearchSpace& space, const std::string& text, const Configuration& base,
                       const std::string& where) {
  constexpr std::uint64_t most = 1'000'000;
  if (space.size() > most && !text.empty()) {
    Configuration whole = configuration_from_text(text, space.parameters(), where);
    if (!space.find(whole))
      throw InputError(where + ": name all parameters; the search space is too large to enumerate");
    return whole;
  }
  return named(text, base, space.parameters(), where, space.size(),
               [&](std::size_t i) { return space.at(i); });
}

// ---- from a file

Configuration best_in(const Export& exported, const std::string& file) {
  if (!has_best(exported))
    throw InputError(file + ": " + why_no_best(exported));
  return best_of(exported).configuration;
}

/// How much of the time of a best configuration no unit's limit explains.
struct Ranking {
  std::string kernel, problem, device;
  LaunchExplanation explanation;

  /// Of the busiest unit, 0 … 1; 0: not counted.
  double busy() const {
    return explanation.busy.empty() ? 0 : std::min(1.0, explanation.busy.front().second / 100);
  }

  double room_ms() const { return explanation.time_ms.value() * (1 - busy()); }
};

Listing<Ranking> ranking_listing() {
  const auto counted = [](const Ranking& one, const Cell& known, const char* otherwise = "") {
    return one.busy() > 0 ? known : Cell(otherwise, nullptr);
  };
  return {{"kernel", {"kernel", "", true}, &Ranking::kernel},
          {"problem", {"problem", "", true}, &Ranking::problem},
          {"device", &Ranking::device},
          {Column{"best", "ms"}, [](auto& one) { return one.explanation.time_ms; }},
          {Column{"busiest", "%"},
           [=](auto& one) { return counted(one, fmt::format("{:.0f}", 100 * one.busy())); }},
          {"room_ms", {"headroom", "ms"}, [=](auto& one) { return counted(one, one.room_ms()); }},
          {Column{"first cause", "", true},
           [=](auto& one) {
             const auto& findings = one.explanation.verdict.findings;
             return counted(one, findings.empty() ? "" : plain_words(findings.front().cause),
                            "not counted");
           }},
          {"explanation", [](auto& one) { return explanation_json(one.explanation); }}};
}

void print_ranking(const std::vector<Holding>& held, bool json) {
  std::vector<Ranking> rows;
  for (const Holding& one : held)
    if (const Export exported = one.load(); has_best(exported))
      rows.push_back(
          {one.kernel, one.problem, one.device, explain(exported.recording, best_of(exported))});
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Ranking& a, const Ranking& b) { return a.room_ms() > b.room_ms(); });
  if (json)
    return print(json_text(ranking_listing().json(rows), 2) + "\n");
  const std::size_t width = terminal_of(STDOUT_FILENO).width;
  print(wrapped("Time of the best configuration that no unit's limit explains, largest first",
                width, 2) +
        "\n\n" + ranking_listing().table(rows).text(width) + '\n' +
        wrapped("busiest: unit, of the highest rate measured or else of its peak; headroom: time * "
                "(1 - busiest)",
                width, 2) +
        '\n');
}

// ---- of a kernel

Inspection inspected(const KernelInstance& instance, const Configuration& configuration,
                     const HelperSettings& helpers, const std::stop_token& stop) {
  try {
    return inspect(instance, configuration,
                   {.helpers = helpers, .lines = true, .fast_math = true, .stop = stop});
  } catch (const InspectionStopped&) {
    throw CommandFailed(exit_interrupted, "interrupted while the configuration was compiled");
  }
}

bool is_not_deterministic(const Measurement& one) {
  return one.reason.starts_with(differs_by_launch);
}

/// The kernel as it is, of which no result is compared with anything.
KernelDefinition unverified(KernelDefinition definition) {
  definition.reference = {};
  for (Argument& one : definition.arguments)
    one.output = false;
  return definition;
}

// ---- the answer

Ordered explained_json(const Explained& of) {
  const Measurement& chosen = found(of.recording, of.chosen);
  const LaunchExplanation explanation = explained(of, chosen);
  Ordered json = {{"of", of.title},
                  {"device", of.recording.device.name},
                  {"conditions", conditions_of(of.recording, chosen)},
                  {"explanation", explanation_json(explanation)}};
  if (!of.remark.empty())
    json["remark"] = of.remark;
  if (of.winner)
    json["winner"] = winner_json(*of.winner, explanation.verdict);
  const Influence known = influence(of.recording);
  if (!of.compared.empty()) {
    const Measurement& other = found(of.recording, of.compared);
    json["against"] = explanation_json(explain(of.recording, other));
    json["differences"] = contrast_json(contrast(other, chosen, of.recording, known));
  }
  if (known.enough)
    json["influence"] = influence_json(known);
  return json;
}

std::string text_of(const Explained& of, std::size_t width) {
  const Measurement& chosen = found(of.recording, of.chosen);
  const std::string conditions = conditions_of(of.recording, chosen);
  const auto paragraph = [&](const std::string& text) {
    return wrapped(printable(text), width, 2) + '\n';
  };
  std::string text = paragraph(
      fmt::format("{}: {}", of.title, short_text(chosen.configuration, of.recording.parameters)));
  text += paragraph(fmt::format("  {} ms, {}; {}{}", number_text(*cost_ms(chosen)),
                                time_words(*time_of(chosen)),
                                conditions.empty() ? "conditions unknown" : conditions,
                                chosen.when.empty() ? "" : "; " + chosen.when.substr(0, 10)));
  if (!of.remark.empty())
    text += paragraph("  " + of.remark);
  const LaunchExplanation explanation = explained(of, chosen);
  text += '\n' + explanation_text(explanation, width);
  if (of.winner)
    text += '\n' + winner_text(*of.winner, explanation.verdict, width);
  if (of.compared.empty())
    return text;
  const Measurement& other = found(of.recording, of.compared);
  const LaunchExplanation compared = explain(of.recording, other);
  const Influence known = influence(of.recording);
  text += '\n' + paragraph(fmt::format("Against {}: {} ms, {} times the time",
                                       short_text(other.configuration, of.recording.parameters),
                                       number_text(*cost_ms(other)),
                                       number_text(*cost_ms(other) / *cost_ms(chosen), 3)));
  text += wrapped("  " + compared.verdict.headline(), width, 4) + '\n';
  for (const std::string& line : describe(contrast(other, chosen, of.recording, known)))
    text += wrapped("  " + printable(line), width, 4) + '\n';
  if (!known.enough)
    return text;
  text += "\nAcross the measured space\n";
  for (const std::string& line : describe(known))
    text += wrapped("  " + printable(line), width, 4) + '\n';
  return text;
}

// ---- the command

class ExplainCommand final : public Command {
public:
  ExplainCommand(CLI::App& app, const Installation& installation);
  void run() override;

private:
  Explained from_holding(const Holding& holding) const;
  Explained measured(const KernelInstance& instance) const;
  Explained of_kernel() const;
  void show(const Explained& of) const;

  std::string what_, configuration_, against_, store_ = usual_store;
  HoldingChoice choice_;
  std::vector<std::filesystem::path> include_;
  int device_ = 0;
  bool json_ = false;
  HelperSettings helpers_{.installation = installation_};
};

ExplainCommand::ExplainCommand(CLI::App& app, const Installation& installation)
    : Command(app, installation, "explain",
              "Explain what limits a configuration, and what would help most") {
  line_.footer(
      "Example:\n"
      "  gridsmith explain transpose --configuration VARIANT=naive\n"
      "\n"
      "For a kernel, its best configuration in the store, or else the default, is measured now "
      "with all counters; without a GPU, the shipped recording is used. A store, recording or "
      "profile is explained from its contents; several kernels are ranked by the time that no "
      "unit's limit explains. Gains are estimated by a model of busy units and waiting warps, "
      "which was validated on kernels with a known cause.");
  line_.add_option("WHAT", what_, "Kernel, store, recording or profile; default: the store")
      ->type_name("WHAT");
  add_configuration_option(line_, configuration_);
  line_
      .add_option("--against", against_,
                  "Compare with this configuration; default: the definition's default")
      ->type_name("CONFIG");
  add_choice_options(line_, choice_);
  add_include_option(line_, include_);
  add_gpu_option(line_, device_)->capture_default_str();
  add_store_option(line_, store_);
  add_unconfined_option(line_, helpers_, "Run compiler and worker without a sandbox");
  add_json_option(line_, json_);
}

Explained ExplainCommand::from_holding(const Holding& holding) const {
  Explained of;
  const Export exported = defined(holding, installation_);
  of.recording = exported.recording;
  of.title = title_of(holding);
  const Configuration best = best_in(exported, holding.file);
  of.chosen = named_in(of.recording, configuration_, best, "--configuration");
  if (!against_.empty())
    of.compared = named_in(of.recording, against_, of.chosen, "--against");
  else if (const auto standard = default_of(exported); standard && find(of.recording, *standard))
    of.compared = *standard;
  if (of.chosen == best)
    of.winner = winner_of(exported, influence_on_time(of.recording));
  return of;
}

Explained ExplainCommand::measured(const KernelInstance& instance) const {
  const SearchSpace space = build_space(instance);
  refuse_empty(space);
  const Configuration standard = usual_configuration(instance, {}, &space).configuration;
  const auto tuning = newest_tuning(store_, {.kernel = instance.definition.name,
                                             .problem = to_text(instance.problem),
                                             .device = instance.device.name});
  const Configuration base = usual_configuration(instance, tuning, &space).configuration;
  Explained of;
  of.chosen = named_in(space, configuration_, base, "--configuration");
  of.compared = against_.empty() ? standard : named_in(space, against_, of.chosen, "--against");
  if (of.chosen == of.compared)
    of.compared = {};
  SessionSettings settings{.kernel = instance.definition.file.string(),
                           .include = include_,
                           .problems = {instance.problem},
                           .devices = {device_}};
  settings.conditions.counter_set = "full";
  settings.conditions.sampling.prune = false;
  settings.finals.most = 0;
  settings.only = {of.chosen};
  if (!of.compared.empty())
    settings.only.push_back(of.compared);
  settings.store = store_;
  settings.helpers = helpers_;
  const Interrupts interrupts;
  const auto measure = [&] {
    const auto outcomes = Session(settings).run(interrupts.token(), {.note = note});
    if (outcomes.empty())
      throw CommandFailed(exit_interrupted, "interrupted before anything was measured");
    of.recording = outcomes.front().exported().recording;
  };
  measure();
  const std::vector<Measurement>& all = of.recording.measurements;
  if (const auto one = std::find_if(all.begin(), all.end(), is_not_deterministic);
      one != all.end()) {
    of.remark = one->reason + "; explained without comparing results";
    settings.definition = std::make_shared<const KernelDefinition>(unverified(instance.definition));
    settings.store = {};
    measure();
  }
  of.title = fmt::format("{} {} on {}", instance.definition.name, to_text(instance.problem),
                         of.recording.device.name);
  Inspection now = inspected(instance, of.chosen, helpers_, interrupts.token());
  of.code = std::move(now.machine_code);
  of.fast_math = std::move(now.fast_math);
  return of;
}

Explained ExplainCommand::of_kernel() const {
  const KernelDefinition definition =
      read_definition(find_definition(what_, installation_.catalogue), include_);
  const DeviceList list = query_devices(installation_.programs);
  const ProblemSize problem = problem_of(definition, choice_.problem);
  if (!list.devices.empty())
    return measured(instantiate(definition, problem, list.at(device_)));
  const auto file =
      find_recording(installation_.catalogue, definition, to_text(problem), list.reason);
  Explained of = from_holding(holdings_of(file).front());
  note(fmt::format("{}; explained from the recording {}", list.reason, file.string()));
  if (auto now = inspect_recorded(definition, to_text(problem), of.recording.device,
                                  found(of.recording, of.chosen), helpers_)) {
    of.code = std::move(now->machine_code);
    of.fast_math = std::move(now->fast_math);
  }
  return of;
}

void ExplainCommand::show(const Explained& of) const {
  print(json_ ? json_text(explained_json(of), 2) + "\n"
              : text_of(of, terminal_of(STDOUT_FILENO).width));
}

void ExplainCommand::run() {
  std::error_code error;
  const bool file = std::filesystem::is_regular_file(what_, error) &&
                    (is_store(what_) || is_recording(what_) || is_profile(what_));
  if (what_.empty() || file) {
    const std::string source = file ? what_ : store_;
    const std::vector<Holding> held = newest(chosen_of({{source}, choice_}));
    if (held.size() > 1 && !(configuration_.empty() && against_.empty()))
      throw InputError(fmt::format("{}: --configuration needs a single kernel; choose with "
                                   "--kernel, --problem and --device among {}",
                                   source, list_of(held)));
    if (held.size() > 1)
      print_ranking(held, json_);
    else
      show(from_holding(held.front()));
  } else {
    show(of_kernel());
  }
  finish_output();
}

} // namespace

extern const AddCommand add_explain_command = add_command<ExplainCommand>;

} // namespace gridsmith
