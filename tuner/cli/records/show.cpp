// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/listing.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/results/formats/answer_json.hpp"
#include "gridsmith/results/measurement/failures.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/records/sources.hpp"
#include "gridsmith/tuner/inspection/exported_definition.hpp"
#include "gridsmith/tuner/presentation/answer_text.hpp"
#include "gridsmith/tuner/presentation/past_outcome.hpp"
#include "gridsmith/tuner/presentation/sketch.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace gridsmith {
namespace {

using Ordered = nlohmann::ordered_json;

/// @param by_time nothing was found by another objective
Listing<Holding> holding_listing(bool with_device = true, bool by_time = false) {
  using Row = Holding;
  return {{"source", &Row::file},
          {"kernel", {"kernel", "", true}, &Row::kernel},
          {"problem", {"problem", "", true}, &Row::problem},
          {"device",
           {"device", "", true},
           [=](auto& one) { return Cell(with_device ? one.device : "", one.device); }},
          {"conditions", &Row::conditions},
          {"measured",
           {"measured", "", true},
           [](auto& one) { return Cell(one.date.substr(0, 10), one.date); }},
          {"replayed", &Row::replayed},
          {"tried", {"tried"}, &Row::configurations},
          {"correct", &Row::correct},
          {Column{"failed"}, [](auto& one) { return one.configurations - one.correct; }},
          {"set_aside", &Row::set_aside},
          {Column{"best", "ms"}, &Row::best_ms},
          {"objective",
           {"best by", "", true},
           [=](auto& one) { return Cell(by_time ? "" : one.objective, one.objective); }},
          {"best_ms", &Row::best_ms}};
}

/// Where and how it was measured.
std::string how_text(const Holding& one, bool with_device) {
  return fmt::format("  {}: {}{}{}{}{}", one.file, with_device ? one.device + "; " : "",
                     one.replayed ? "replayed; " : "",
                     one.conditions.empty() ? "conditions unknown" : one.conditions,
                     one.set_aside.empty() ? "" : "; skipped: ", to_text(one.set_aside));
}

/// A line of figures each, and below those that were measured in the same place and way, which it is.
std::string list_text(const std::vector<Holding>& held, std::size_t width) {
  const bool by_time = std::all_of(held.begin(), held.end(), [](const Holding& one) {
    return one.objective == objective_name({});
  });
  Table table = holding_listing(true, by_time).table(held);
  const auto fits = [&] { return widest_line(table.text()) <= width; };
  const bool with_device = fits();
  if (!with_device)
    table = holding_listing(false, by_time).table(held);
  std::string text;
  if (!fits()) {
    text = table.text(width);
    for (const Holding& one : held)
      text += wrapped(printable(how_text(one, true)), width, 4) + '\n';
    return text;
  }
  for (std::size_t i = 0; i < held.size(); ++i)
    if (std::string how = how_text(held[i], !with_device);
        i + 1 == held.size() || how != how_text(held[i + 1], !with_device))
      table.add_below(i, std::move(how));
  return table.text(width);
}

/// "" where nothing failed.
std::string failures_text(const Holding& holding, std::size_t width) {
  const Export exported = holding.load();
  const auto groups = failure_groups(exported.recording.measurements);
  std::string text = groups.empty() ? "" : title_of(holding) + '\n';
  for (const FailureGroup& group : groups) {
    text += wrapped(printable(fmt::format("  {} × {}: {}", group.count, to_text(group.status),
                                          group.reason)),
                    width, 4) +
            '\n';
    text += wrapped(printable("    e.g. " + to_text(group.first->configuration)), width, 6) + '\n';
  }
  return text;
}

void print_failures(const std::vector<Holding>& held, std::size_t width) {
  std::size_t whole = 0;
  for (const Holding& one : held) {
    const std::string text = failures_text(one, width);
    whole += text.empty() ? 1 : 0;
    print(text);
  }
  if (held.size() == 1 && whole == 1)
    print(wrapped(title_of(held.front()) + ": nothing failed", width, 2) + '\n');
  else if (whole > 0)
    print(fmt::format("Nothing failed in {}{} {}.\n", whole < held.size() ? "the other " : "",
                      whole, whole == 1 ? "tuning" : "tunings"));
}

Ordered failures_json(const Holding& holding) {
  const Export exported = holding.load();
  Ordered json = holding_listing().object(holding);
  Ordered& list = json["failures"] = Ordered::array();
  for (const FailureGroup& group : failure_groups(exported.recording.measurements)) {
    list.push_back({{"status", to_text(group.status)},
                    {"reason", group.reason},
                    {"count", group.count},
                    {"example", to_text(group.first->configuration)}});
  }
  return json;
}

class ShowCommand final : public Command {
public:
  ShowCommand(CLI::App& app, const Installation& installation);
  void run() override;

private:
  void show_json(const std::vector<Holding>& held, bool answer) const;

  SourceOptions sources_;
  bool failures_ = false, json_ = false;
};

ShowCommand::ShowCommand(CLI::App& app, const Installation& installation)
    : Command(app, installation, "show",
              "List the contents of stores, recordings and profiles, or show past answers") {
  line_.footer(
      "Example:\n"
      "  gridsmith show gridsmith.db --failures\n"
      "\n"
      "Without --kernel, --problem and --device the contents are listed. If these leave a single "
      "kernel, problem and device, the answer of its newest tuning is shown.");
  add_source_options(line_, sources_);
  line_.add_flag("--failures", failures_,
                 "Show why configurations failed: each reason once, with an example that "
                 "'gridsmith inspect' can compile again");
  add_json_option(line_, json_);
}

void ShowCommand::show_json(const std::vector<Holding>& held, bool answer) const {
  if (answer && !failures_)
    return print(json_text(answer_json(defined(held.front(), installation_)), 2) + "\n");
  Ordered list = Ordered::array();
  for (const Holding& one : held)
    list.push_back(failures_ ? failures_json(one) : holding_listing().object(one));
  print(json_text(list, 2) + "\n");
}

void ShowCommand::run() {
  const Terminal terminal = terminal_of(STDOUT_FILENO);
  std::vector<Holding> held = chosen_of(sources_);
  const std::vector<Holding> latest = newest(held);
  const HoldingChoice& choice = sources_.choice;
  const bool one_asked =
      !choice.kernel.empty() || !choice.problem.empty() || !choice.device.empty();
  const bool answer = one_asked && latest.size() == 1;
  held = answer || failures_ ? latest : with_older_answers(held);
  if (json_)
    return show_json(held, answer);
  if (failures_)
    print_failures(held, terminal.width);
  else if (answer) {
    const Outcome outcome = past_outcome(defined(held.front(), installation_), held.front().file);
    print(wrapped(printable(title_of(held.front())), terminal.width, 2) + "\n\n" +
          answer_text(outcome, terminal) + "\n" + sketch_text(outcome, terminal) + "\n" +
          summary_text(outcome, terminal));
  } else {
    print(list_text(held, terminal.width));
  }
}

} // namespace

extern const AddCommand add_show_command = add_command<ShowCommand>;

} // namespace gridsmith
