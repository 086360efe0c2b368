// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/results/formats/answer_json.hpp"
#include "gridsmith/results/measurement/comparison.hpp"
#include "gridsmith/results/store/store.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/records/sources.hpp"
#include "gridsmith/tuner/presentation/answer_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>

namespace gridsmith {
namespace {

using Ordered = nlohmann::ordered_json;

/// One kernel, problem and device, of both files.
struct Pair {
  std::string title;
  Export before, after;
  Comparison comparison;
};

/// What makes times hard to compare, in words; "" where nothing is known to.
std::string doubt(const Recording& before, const Recording& after) {
  std::string text;
  const auto add = [&](const char* what, const std::string& a, const std::string& b) {
    if (!a.empty() && !b.empty() && a != b)
      text += (text.empty() ? "" : ", ") + std::string(what);
  };
  add("two boards", before.device.uuid, after.device.uuid);
  add("another driver", before.device.driver_version, after.device.driver_version);
  add("another toolkit", before.device.toolkit_version, after.device.toolkit_version);
  add("other conditions", before.conditions, after.conditions);
  add("another source", known_source(before), known_source(after));
  return text;
}

std::string judged(const Measurement& before, const Measurement& after) {
  if (cost_ms(before) == cost_ms(after) && before.times_ms == after.times_ms)
    return "the very same samples";
  const auto apart = told_apart(before, after);
  if (!apart)
    return "too few samples to tell them apart";
  return *apart ? "their samples tell them apart" : "their samples do not tell them apart";
}

/// What each best is the best by; "" where that is the time of both.
std::string objectives_text(const Pair& pair) {
  const std::string before = objective_name(answer_of(pair.before).found_by),
                    after = objective_name(answer_of(pair.after).found_by);
  if (before != after)
    return fmt::format(" by {} before, by {} after", before, after);
  return before == "time" ? "" : " by " + before;
}

std::string best_text(const Pair& pair) {
  if (!has_best(pair.before) || !has_best(pair.after))
    return fmt::format("  best: none {}: {}\n", has_best(pair.before) ? "after" : "before",
                       why_no_best(has_best(pair.before) ? pair.after : pair.before));
  const Measurement &before = best_of(pair.before), &after = best_of(pair.after);
  const double was = cost_ms(before).value_or(0), is = cost_ms(after).value_or(0); // both have one
  const std::string first = short_text(before.configuration, pair.before.recording.parameters);
  const std::string second = short_text(after.configuration, pair.after.recording.parameters);
  std::string text =
      fmt::format("  best{}: {} ms before, {} ms after, ratio {:.3f}; {}\n", objectives_text(pair),
                  number_text(was), number_text(is), is / was, judged(before, after));
  if (first == second)
    return text + "    the same configuration: " + first + '\n';
  return text + "    before: " + first + "\n    after:  " + second + '\n';
}

std::string changes_text(const Comparison& comparison) {
  std::string text;
  const auto same = [](const TimeChange& change) { return change.before_ms == change.after_ms; };
  const bool all_same = std::all_of(comparison.common.begin(), comparison.common.end(), same);
  if (const auto middle = median_ratio(comparison); middle && all_same) {
    text += fmt::format("  times of {} that both hold: the same\n",
                        counted(comparison.common.size(), "configuration"));
  } else if (middle) {
    const TimeChange &slowed = comparison.common.front(), &gained = comparison.common.back();
    text += fmt::format("  times after / before of {} that both hold: median {:.3f}, "
                        "lowest {:.3f}, highest {:.3f}\n",
                        counted(comparison.common.size(), "configuration"), *middle, gained.ratio(),
                        slowed.ratio());
    text += fmt::format("    highest: {} ({} ms, then {} ms)\n", to_text(slowed.configuration),
                        number_text(slowed.before_ms), number_text(slowed.after_ms));
  } else {
    text += "  no configuration was timed to its end in both\n";
  }
  if (comparison.only_before + comparison.only_after > 0)
    text += fmt::format("  tried only before: {}, only after: {}\n", comparison.only_before,
                        comparison.only_after);
  const auto some = [&](const char* what, const std::vector<Configuration>& these) {
    if (!these.empty())
      text += fmt::format("  {}: {}, e.g. {}\n", what, these.size(), to_text(these.front()));
  };
  some("correct before, failing after", comparison.now_failing);
  some("failing before, correct after", comparison.now_correct);
  return text;
}

std::string text_of(const Pair& pair, std::size_t width) {
  std::string text = pair.title + '\n';
  const auto day = [](const Export& of) {
    return of.recording.date.empty() ? "an unknown day" : of.recording.date.substr(0, 10);
  };
  text += fmt::format("  measured on {} and {}", day(pair.before), day(pair.after));
  if (const std::string why = doubt(pair.before.recording, pair.after.recording); !why.empty())
    text += fmt::format("; not the same measurement twice: {}", why);
  text += '\n' + best_text(pair) + changes_text(pair.comparison);
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    shown += wrapped(printable(line), width, line.find_first_not_of(' ') + 2) + '\n';
    at = end + 1;
  }
  return shown;
}

Ordered best_json(const Export& exported) {
  if (!has_best(exported))
    return nullptr;
  const Measurement& best = best_of(exported);
  return {{"configuration", object_of(best.configuration)},
          {"objective", objective_name(answer_of(exported).found_by)},
          {"time_ms", cost_ms(best).value_or(0)},
          {"samples", best.times_ms.size()}};
}

Ordered json_of(const Pair& pair) {
  const Comparison& comparison = pair.comparison;
  const Recording& before = pair.before.recording;
  Ordered json = {{"kernel", before.kernel},
                  {"problem", before.problem},
                  {"device", before.device.name},
                  {"dates", {before.date, pair.after.recording.date}},
                  {"differs_in", doubt(before, pair.after.recording)},
                  {"best_before", best_json(pair.before)},
                  {"best_after", best_json(pair.after)}};
  Ordered& apart = json["told_apart"] = nullptr;
  if (has_best(pair.before) && has_best(pair.after))
    if (const auto known = told_apart(best_of(pair.before), best_of(pair.after)))
      apart = *known;
  json["common"] = comparison.common.size();
  if (const auto middle = median_ratio(comparison))
    json["ratio"] = {{"median", *middle},
                     {"lowest", comparison.common.back().ratio()},
                     {"highest", comparison.common.front().ratio()}};
  json["only_before"] = comparison.only_before;
  json["only_after"] = comparison.only_after;
  json["now_failing"] = comparison.now_failing.size();
  json["now_correct"] = comparison.now_correct.size();
  return json;
}

class DiffCommand final : public Command {
public:
  DiffCommand(CLI::App& app, const Installation& installation);
  void run() override;

private:
  std::vector<Pair> pairs() const;

  std::string before_, after_;
  HoldingChoice choice_;
  bool json_ = false;
};

DiffCommand::DiffCommand(CLI::App& app, const Installation& installation)
    : Command(app, installation, "diff",
              "Compare two stores, recordings or profiles: same kernel, problem and device") {
  line_.footer(
      "Example:\n"
      "  gridsmith diff before.db after.db\n"
      "\n"
      "If a file has several tunings of one kernel, problem and device, the newest is compared. "
      "Times of two sessions also differ by clocks and temperature; the result claims only what "
      "the samples support.");
  line_.add_option("BEFORE", before_, "Store, recording or profile")
      ->type_name("BEFORE")
      ->required();
  line_.add_option("AFTER", after_, "Store, recording or profile to compare BEFORE with")
      ->type_name("AFTER")
      ->required();
  add_choice_options(line_, choice_);
  add_json_option(line_, json_);
}

std::vector<Pair> DiffCommand::pairs() const {
  const std::vector<Holding> before = newest(chosen_of({{before_}, choice_}));
  const std::vector<Holding> after = newest(chosen_of({{after_}, choice_}));
  std::vector<Pair> pairs;
  for (const Holding& one : before) {
    const auto same = std::find_if(after.begin(), after.end(), [&](const Holding& other) {
      return other.kernel == one.kernel && other.problem == one.problem &&
             other.device == one.device;
    });
    if (same == after.end())
      continue;
    Pair& pair = pairs.emplace_back(Pair{title_of(one), one.load(), same->load(), {}});
    pair.comparison = compare(pair.before.recording, pair.after.recording);
  }
  if (pairs.empty())
    throw InputError(
        fmt::format("no kernel, problem and device is in both; {} holds {}; {} holds {}", before_,
                    list_of(before), after_, list_of(after)));
  return pairs;
}

void DiffCommand::run() {
  const std::vector<Pair> found = pairs();
  if (json_) {
    Ordered list = Ordered::array();
    for (const Pair& pair : found)
      list.push_back(json_of(pair));
    return print(json_text(list, 2) + "\n");
  }
  for (const Pair& pair : found)
    print(text_of(pair, terminal_of(STDOUT_FILENO).width));
}

} // namespace

extern const AddCommand add_diff_command = add_command<DiffCommand>;

} // namespace gridsmith
