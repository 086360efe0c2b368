// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/presentation/shipping_text.hpp"

#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/base/text_table.hpp"
#include "gridsmith/results/formats/answer_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace gridsmith {
namespace {

using Ordered = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

/// Of one kind of configuration over a kernel's problems.
class Losses {
public:
  void add(const std::optional<double>& loss) {
    if (!loss)
      return;
    sum_ += std::log1p(*loss);
    worst_ = std::max(worst_, *loss);
    ++count_;
  }

  /// "1.2 (3.4)", in %; "" of nothing
  std::string text() const {
    return count_ ? fmt::format("{:.1f} ({:.1f})", 100 * std::max(0.0, mean()), 100 * worst_) : "";
  }

  Ordered json() const {
    return count_ ? Ordered{{"mean", mean()}, {"worst", worst_}, {"problems", count_}} : Ordered();
  }

private:
  double mean() const { return std::expm1(sum_ / static_cast<double>(count_)); }

  double sum_ = 0, worst_ = 0;
  std::size_t count_ = 0;
};

/// A kernel in numbers.
struct Sums {
  Losses usual, transferred;
  Losses elsewhere; ///< of what a header chooses at sizes that were not tuned
  std::size_t moved = 0, begun = 0;
};

Sums sums_of(const KernelTuned& kernel) {
  Sums sums;
  for (const ProblemTuned& one : kernel.problems) {
    sums.usual.add(one.default_loss);
    sums.transferred.add(one.transferred_loss);
    sums.begun += one.transferred ? 1 : 0;
    sums.moved += one.moved ? 1 : 0;
  }
  if (kernel.calibration)
    for (const LeftOutChoice& one : kernel.calibration->figures.choices)
      if (one.loss && *one.loss != cannot_run)
        sums.elsewhere.add(*one.loss - 1);
  return sums;
}

const std::vector<Column> all_columns = {{"kernel", "", true},
                                         {"sizes", ""},
                                         {"default", "% slower (worst)"},
                                         {"transferred", "% slower (worst)"},
                                         {"elsewhere", "% slower (worst)"},
                                         {"moved", "sizes"},
                                         {"tried", ""}};

Rows all_rows(const AllTuned& tuned) {
  Rows rows;
  for (const KernelTuned& kernel : tuned.kernels) {
    if (kernel.problems.empty())
      continue;
    const Sums sums = sums_of(kernel);
    rows.push_back({kernel.kernel, std::to_string(kernel.problems.size()), sums.usual.text(),
                    sums.transferred.text(), sums.elsewhere.text(),
                    sums.begun ? fmt::format("{} of {}", sums.moved, sums.begun) : "",
                    std::to_string(kernel.evaluations)});
  }
  return rows;
}

/// What was not measured, or has no winner, and why.
std::vector<std::string> lacking(const AllTuned& tuned) {
  std::vector<std::string> lines;
  for (const KernelTuned& kernel : tuned.kernels) {
    if (!kernel.failed.empty())
      lines.push_back(fmt::format("{} failed: {}", kernel.kernel, kernel.failed));
    else if (!kernel.left_out.empty())
      lines.push_back(fmt::format("{} was not measured at {}", kernel.kernel,
                                  fmt::join(kernel.left_out, ", ")));
    for (const ProblemTuned& one : kernel.problems)
      if (const std::string why = shortfall(one.outcome); !why.empty())
        lines.push_back(fmt::format("{} {}: {}", kernel.kernel, one.outcome.subject.problem, why));
  }
  return lines;
}

/// Why the best beats the default, at the first size of each kernel that has a best.
std::vector<std::string> reasons_of(const AllTuned& tuned) {
  std::vector<std::string> lines;
  for (const KernelTuned& kernel : tuned.kernels)
    for (const ProblemTuned& one : kernel.problems)
      if (const Export exported = one.outcome.exported(); has_best(exported)) {
        const Winner winner = winner_of(exported, influence_on_time(exported.recording));
        if (!winner.against_default.empty())
          lines.push_back(fmt::format("{} {}: {}", kernel.kernel, one.outcome.subject.problem,
                                      winner.against_default));
        break;
      }
  return lines;
}

std::string total(const AllTuned& tuned) {
  std::uint64_t tried = 0, reused = 0, sizes = 0, drawn = 0;
  for (const KernelTuned& kernel : tuned.kernels) {
    tried += kernel.evaluations;
    reused += kernel.reused;
    sizes += kernel.problems.size();
    drawn += kernel.drawn.size();
  }
  std::string text = fmt::format(
      "Tried {} at {}{} in {}", counted(tried, "configuration"), counted(sizes, "size"),
      drawn > 0 ? fmt::format(" and {} drawn ones", drawn) : "", duration_text(tuned.seconds));
  if (reused > 0)
    text += fmt::format(", {} from the store", reused);
  return text +
         (tuned.stopped       ? "; stopped, the same command continues"
          : tuned.out_of_time ? "; out of time, the same command continues"
                              : "") +
         ".";
}

std::string news_text(const AllTuned& tuned) {
  return tuned.news.empty() ? ""
                            : fmt::format("New compared with {}: {}.", tuned.known_device,
                                          fmt::join(tuned.news, ", "));
}

const Device* device_of(const AllTuned& tuned) {
  for (const KernelTuned& kernel : tuned.kernels)
    if (!kernel.problems.empty())
      return &kernel.problems.front().outcome.subject.device;
  return nullptr;
}

/// A cell of a table: nothing in it may end the cell or the line.
std::string cell(const std::string& text) {
  std::string safe;
  for (const char c : printable(text))
    safe += c == '|' ? std::string("\\|") : std::string(1, c);
  return safe;
}

std::string markdown(const std::vector<Column>& columns, const Rows& rows) {
  std::string text = "|", rule = "|";
  for (const Column& column : columns) {
    text += fmt::format(" {}{} |", column.title, column.unit.empty() ? "" : ", " + column.unit);
    rule += column.left ? " --- |" : " ---: |";
  }
  text += "\n" + rule + "\n";
  for (const auto& row : rows) {
    text += "|";
    for (const std::string& one : row)
      text += " " + cell(one) + " |";
    text += "\n";
  }
  return text;
}

std::string software(const Device& device) {
  std::string text;
  if (!device.driver_version.empty())
    text += ", driver " + device.driver_version;
  if (!device.toolkit_version.empty())
    text += ", CUDA toolkit " + device.toolkit_version;
  return text;
}

Ordered json_of_configuration(const std::optional<Configuration>& configuration) {
  return configuration ? object_of(*configuration) : Ordered();
}

Ordered json_of_number(const std::optional<double>& number) {
  return number ? Ordered(*number) : Ordered();
}

Ordered problem_json(const ProblemTuned& problem) {
  std::optional<Configuration> best;
  std::optional<double> best_ms;
  if (const Ranked* winner = problem.outcome.answer.winner()) {
    best = winner->measurement.configuration;
    best_ms = winner->time.median_ms;
  }
  const std::string lacks = shortfall(problem.outcome);
  return {{"problem", problem.outcome.subject.problem},
          {"evaluations", problem.outcome.result.measurements.size()},
          {"best", json_of_configuration(best)},
          {"best_ms", json_of_number(best_ms)},
          {"no_best_because", lacks.empty() ? Ordered() : Ordered(lacks)},
          {"default_loss", json_of_number(problem.default_loss)},
          {"transferred", json_of_configuration(problem.transferred)},
          {"transferred_from", problem.transferred_from},
          {"transferred_loss", json_of_number(problem.transferred_loss)},
          {"moved", problem.moved}};
}

/// Values that differ from the shipped ones; all of one that has others.
std::string change_text(const Rechecked& checked) {
  if (!checked.best || checked.moved.empty())
    return "";
  std::string text;
  for (const auto& [name, value] : *checked.best)
    if (const Value* before = find_value(checked.shipped, name); !before || *before != value)
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, to_text(value));
  return text.empty() ? "as shipped" : text;
}

} // namespace

std::string all_text(const AllTuned& tuned, const Terminal& terminal) {
  Table table(all_columns);
  for (auto& row : all_rows(tuned))
    table.add(std::move(row));
  const Device* device = device_of(tuned);
  std::string text =
      tuned.replayed()
          ? wrapped("Replayed: recordings of " + printable(device->name) + ", nothing ran on a GPU",
                    terminal.width, 2) +
                "\n\n"
          : "";
  text += table.text(terminal.width) + "\n";
  std::vector<std::string> lines = lacking(tuned);
  lines.insert(lines.begin(), {total(tuned), news_text(tuned)});
  for (const std::string& line : lines)
    if (!line.empty())
      text += wrapped(printable(line), terminal.width, 2) + "\n";
  return text;
}

std::string all_markdown(const AllTuned& tuned) {
  const Device* device = device_of(tuned);
  std::string text = fmt::format("# {} {}{}\n\n", tuned.replayed() ? "Replayed:" : "Tuned for",
                                 device ? printable(device->name) : "?",
                                 device ? printable(software(*device)) : "");
  if (tuned.replayed())
    text += "From recordings; nothing ran on a GPU.\n\n";
  text +=
      markdown(all_columns, all_rows(tuned)) +
      "\n"
      "Slower than the best of each size: geometric mean over the sizes (worst). "
      "\"Transferred\" is the best of the nearest known device and size; \"elsewhere\" what the "
      "header chooses at sizes that were drawn and not tuned.\n"
      "\n";
  for (const std::string& line : {total(tuned), news_text(tuned)})
    text += line.empty() ? "" : printable(line) + "\n\n";
  for (const std::string& line : lacking(tuned))
    text += "* " + printable(line) + "\n";
  if (const auto reasons = reasons_of(tuned); !reasons.empty()) {
    text += "\nWhy the best beats the default, at one size of each kernel:\n\n";
    for (const std::string& line : reasons)
      text += "* " + printable(line) + "\n";
  }
  return text;
}

Ordered all_json(const AllTuned& tuned) {
  Ordered kernels = Ordered::array();
  for (const KernelTuned& kernel : tuned.kernels) {
    const Sums sums = sums_of(kernel);
    Ordered problems = Ordered::array();
    for (const ProblemTuned& one : kernel.problems)
      problems.push_back(problem_json(one));
    kernels.push_back({{"kernel", kernel.kernel},
                       {"definition", kernel.definition.string()},
                       {"evaluations", kernel.evaluations},
                       {"reused", kernel.reused},
                       {"default_loss", sums.usual.json()},
                       {"transferred_loss", sums.transferred.json()},
                       {"loss_of_header", sums.elsewhere.json()},
                       {"problems", std::move(problems)},
                       {"left_out", kernel.left_out},
                       {"failed", kernel.failed}});
  }
  const Device* device = device_of(tuned);
  return {{"schema", "gridsmith-all-1"},
          {"device", device ? device->name : ""},
          {"replayed", tuned.replayed()},
          {"known_device", tuned.known_device},
          {"news", tuned.news},
          {"seconds", tuned.seconds},
          {"out_of_time", tuned.out_of_time},
          {"stopped", tuned.stopped},
          {"kernels", std::move(kernels)}};
}

std::string retuned_markdown(const Retuned& retuned, const std::string& diff) {
  const auto moved = std::count_if(retuned.problems.begin(), retuned.problems.end(),
                                   [](const Rechecked& one) { return !one.moved.empty(); });
  const bool replayed = retuned.replayed;
  std::string text =
      fmt::format("# {}{}: {} of {} moved\n\n{}{}; shipped{}. {}{}{}.\n\n",
                  replayed ? "Replayed, " : "", printable(retuned.device.name), moved,
                  counted(retuned.problems.size(), "shipped configuration"),
                  replayed ? "Replayed from recordings, nothing ran on a GPU" : "Checked again",
                  printable(software(retuned.device)), printable(software(retuned.shipped_for)),
                  counted(retuned.evaluations, "measurement"), replayed ? " replayed" : "",
                  retuned.reused > 0 ? fmt::format(", {} from the store", retuned.reused) : "");
  Rows rows;
  for (const Rechecked& one : retuned.problems)
    rows.push_back({one.kernel, one.problem, number_cell(one.recorded_ms), number_cell(one.now_ms),
                    one.moved.empty() ? "holds" : one.moved,
                    one.moved.empty() ? "" : number_cell(one.best_ms), change_text(one)});
  text += markdown({{"kernel", "", true},
                    {"size", "", true},
                    {"recorded", "ms"},
                    {replayed ? "replayed" : "now", "ms"},
                    {"verdict", "", true},
                    {"tuned again", "ms"},
                    {"changes", "", true}},
                   rows);
  if (retuned.of_shipped_set > 0 && !diff.empty())
    text += fmt::format("\n"
                        "The header's losses of {} compare the shipped configurations only: the "
                        "store has no fuller table of the same code.\n",
                        counted(retuned.of_shipped_set, "size"));
  if (retuned.stopped || retuned.out_of_time)
    text += "\nIncomplete: the same command continues.\n";
  return text +
         (diff.empty() ? "\nWhat is shipped stays as it is.\n" : "\n```diff\n" + diff + "```\n");
}

Ordered retuned_json(const Retuned& retuned) {
  Ordered problems = Ordered::array();
  for (const Rechecked& one : retuned.problems)
    problems.push_back({{"kernel", one.kernel},
                        {"problem", one.problem},
                        {"shipped", json_of_configuration(one.shipped)},
                        {"recorded_ms", json_of_number(one.recorded_ms)},
                        {"now_ms", json_of_number(one.now_ms)},
                        {"moved", one.moved.empty() ? Ordered() : Ordered(one.moved)},
                        {"best", json_of_configuration(one.best)},
                        {"best_ms", json_of_number(one.best_ms)},
                        {"no_best_because", one.lacks.empty() ? Ordered() : Ordered(one.lacks)}});
  return {{"schema", "gridsmith-retuned-1"},
          {"device", retuned.device.name},
          {"driver", retuned.device.driver_version},
          {"toolkit", retuned.device.toolkit_version},
          {"replayed", retuned.replayed},
          {"evaluations", retuned.evaluations},
          {"reused", retuned.reused},
          {"out_of_time", retuned.out_of_time},
          {"stopped", retuned.stopped},
          {"problems", std::move(problems)}};
}

} // namespace gridsmith
