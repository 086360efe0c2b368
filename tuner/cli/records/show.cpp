// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/base/text_table.hpp"
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
#include <sstream>

namespace gridsmith {
namespace {

using Ordered = nlohmann::ordered_json;

std::vector<std::string> table_lines(const std::vector<Holding>& held, bool with_device,
                                     std::size_t width = unlimited_width) {
  Table table({{"kernel", "", true},
               {"problem", "", true},
               {"device", "", true},
               {"measured", "", true},
               {"tried", ""},
               {"failed", ""},
               {"best", "ms"},
               {"best by", "", true}}); // a column of nothing is not shown
  const bool by_time = std::all_of(held.begin(), held.end(), [](const Holding& one) {
    return one.objective == objective_name({});
  });
  for (const Holding& one : held)
    table.add({one.kernel, one.problem, with_device ? one.device : "", one.date.substr(0, 10),
               std::to_string(one.configurations), std::to_string(one.configurations - one.correct),
               number_cell(one.best_ms), by_time ? "" : one.objective});
  std::istringstream text(table.text(width));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);)
    lines.push_back(line);
  return lines;
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
  std::vector<std::string> lines = table_lines(held, true);
  const bool fits = std::all_of(lines.begin(), lines.end(),
                                [&](const std::string& line) { return width_of(line) <= width; });
  if (!fits)
    lines = table_lines(held, false);
  std::string text;
  if (std::any_of(lines.begin(), lines.end(),
                  [&](const std::string& line) { return width_of(line) > width; })) {
    for (const std::string& line : table_lines(held, false, width))
      text += line + '\n';
    for (const Holding& one : held)
      text += wrapped(printable(how_text(one, true)), width, 4) + '\n';
    return text;
  }
  const std::size_t first = lines.size() - held.size(); // below the titles
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += lines[i] + '\n';
    if (i < first)
      continue;
    const std::string how = how_text(held[i - first], !fits);
    if (i + 1 == lines.size() || how != how_text(held[i + 1 - first], !fits))
      text += wrapped(printable(how), width, 4) + '\n';
  }
  return text;
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

Ordered holding_json(const Holding& one) {
  return {{"source", one.file},
          {"kernel", one.kernel},
          {"problem", one.problem},
          {"device", one.device},
          {"conditions", one.conditions},
          {"measured", one.date},
          {"replayed", one.replayed},
          {"tried", one.configurations},
          {"correct", one.correct},
          {"set_aside", one.set_aside},
          {"objective", one.objective},
          {"best_ms", one.best_ms ? Ordered(*one.best_ms) : Ordered(nullptr)}};
}

Ordered failures_json(const Holding& holding) {
  const Export exported = holding.load();
  Ordered json = holding_json(holding);
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
    list.push_back(failures_ ? failures_json(one) : holding_json(one));
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

void add_show_command(CLI::App& app, const Installation& installation) {
  add_command<ShowCommand>(app, installation);
}

} // namespace gridsmith
