// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/results/check/change_points.hpp"
#include "gridsmith/results/store/store.hpp"
#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/records/sources.hpp"
#include "gridsmith/tuner/presentation/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace gridsmith {
namespace {

using Ordered = nlohmann::ordered_json;

/// All checks of one kernel, problem and device. What each was compared with is a level of its own:
/// ratios are chained where the baseline was accepted anew, so that a drift is seen across it.
struct History {
  std::string kernel, problem, device;
  std::vector<PastCheck> checks;
  std::vector<double> levels; ///< log of the time over that of the first old code
  std::vector<ChangePoint> changes;
};

std::vector<double> levels_of(const std::vector<PastCheck>& checks) {
  std::vector<double> levels;
  std::map<std::string, double> level_of; // of codes that were compared with
  for (const PastCheck& check : checks) {
    const auto known = level_of.find(check.old_code);
    const double base = known != level_of.end() ? known->second
                        : levels.empty()        ? 0
                                                : levels.back();
    level_of.emplace(check.old_code, base);
    levels.push_back(base + std::log(check.ratio));
    level_of.emplace(check.new_code, levels.back());
  }
  return levels;
}

/// Eight heights between the lowest and the highest, at least 1 % apart so that noise looks flat.
std::string sparkline(const std::vector<double>& levels, std::size_t width) {
  constexpr std::array<const char*, 8> bars{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr double least_range = 0.01;
  const auto [low, high] = std::minmax_element(levels.begin(), levels.end());
  const double range = std::max(*high - *low, least_range);
  std::string line;
  for (std::size_t i = levels.size() - std::min(levels.size(), width); i < levels.size(); ++i)
    line +=
        bars[std::min<std::size_t>(7, static_cast<std::size_t>(8 * (levels[i] - *low) / range))];
  return line;
}

std::string text_of(const History& history, std::size_t width) {
  std::string text = printable(fmt::format(
      "{} {} on {}: {}, {} % since the first\n", history.kernel, history.problem, history.device,
      counted(history.checks.size(), "check"), change_text(std::exp(history.levels.back()))));
  text += "  " + sparkline(history.levels, width > 4 ? width - 4 : 1) + "\n";
  for (const ChangePoint& change : history.changes) {
    const PastCheck& first = history.checks[change.at];
    const std::string code =
        first.new_code.empty() ? "" : fmt::format("code {}, ", first.new_code.substr(0, 12));
    text += printable(fmt::format("  {} % since {} ({}chance {:.3f})",
                                  change_text(std::exp(change.after - change.before)), first.date,
                                  code, change.chance)) +
            "\n";
  }
  if (history.changes.empty())
    text += history.checks.size() < 2 * ChangePointRules{}.shortest
                ? fmt::format("  too few checks to detect a change: {} are needed\n",
                              2 * ChangePointRules{}.shortest)
                : "  no change of level\n";
  return text;
}

Ordered json_of(const History& history) {
  Ordered checks = Ordered::array(), changes = Ordered::array();
  for (std::size_t i = 0; i < history.checks.size(); ++i) {
    const PastCheck& check = history.checks[i];
    checks.push_back({{"date", check.date},
                      {"verdict", to_text(check.verdict)},
                      {"ratio", check.ratio},
                      {"level", std::exp(history.levels[i])},
                      {"old_code", check.old_code},
                      {"new_code", check.new_code}});
  }
  for (const ChangePoint& change : history.changes)
    changes.push_back({{"date", history.checks[change.at].date},
                       {"code", history.checks[change.at].new_code},
                       {"ratio", std::exp(change.after - change.before)},
                       {"chance", change.chance}});
  return {{"kernel", history.kernel},
          {"problem", history.problem},
          {"device", history.device},
          {"checks", std::move(checks)},
          {"changes", std::move(changes)}};
}

class HistoryCommand final : public Command {
public:
  HistoryCommand(CLI::App& app, const Installation& installation);
  void run() override;

private:
  std::vector<History> histories() const;

  std::string store_ = usual_store, kernel_, problem_;
  bool json_ = false;
};

HistoryCommand::HistoryCommand(CLI::App& app, const Installation& installation)
    : Command(app, installation, "history",
              "Find slow drifts: where kernels became slower or faster over many checks") {
  line_.footer(
      "Example:\n"
      "  gridsmith history gridsmith.db\n"
      "\n"
      "Reads the results that 'gridsmith check --store FILE' kept. Prints a line of bars for each "
      "kernel, and where its level changed, even by less than a single check could detect.");
  line_.add_option("STORE", store_, "Store of past checks")
      ->capture_default_str()
      ->type_name("STORE");
  add_choice_options(line_, kernel_, problem_);
  add_json_option(line_, json_);
}

std::vector<History> HistoryCommand::histories() const {
  std::map<std::array<std::string, 3>, History> found;
  const Store store = Store::open(store_, Store::Mode::read_only);
  for (PastCheck& check : store.past_checks()) {
    const bool wanted = (kernel_.empty() || kernel_ == check.kernel) &&
                        (problem_.empty() || problem_ == check.problem);
    if (!wanted || check.verdict == CheckVerdict::wrong)
      continue;
    History& history = found[{check.kernel, check.problem, check.device}];
    history.kernel = check.kernel;
    history.problem = check.problem;
    history.device = check.device;
    history.checks.push_back(std::move(check));
  }
  std::vector<History> histories;
  for (auto& [key, history] : found) {
    history.levels = levels_of(history.checks);
    history.changes = change_points(history.levels);
    histories.push_back(std::move(history));
  }
  if (histories.empty())
    throw InputError(fmt::format("{}: contains no such checks; 'gridsmith check --store {}' adds "
                                 "some",
                                 store_, store_));
  return histories;
}

void HistoryCommand::run() {
  const std::vector<History> found = histories();
  if (json_) {
    Ordered list = Ordered::array();
    for (const History& one : found)
      list.push_back(json_of(one));
    return print(json_text(list, 2) + "\n");
  }
  for (const History& one : found)
    print(text_of(one, terminal_of(STDOUT_FILENO).width));
}

} // namespace

extern const AddCommand add_history_command = add_command<HistoryCommand>;

} // namespace gridsmith
