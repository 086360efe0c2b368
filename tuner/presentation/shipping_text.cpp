// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/presentation/shipping_text.hpp"

#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/listing.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/results/formats/answer_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <ranges>

namespace gridsmith {
namespace {

using Ordered = nlohmann::ordered_json;

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

  /// "1.2 (3.4)", in %; of nothing "" and null
  Cell cell() const {
    if (count_ == 0)
      return {"", nullptr};
    return {fmt::format("{:.1f} ({:.1f})", 100 * std::max(0.0, mean()), 100 * worst_),
            {{"mean", mean()}, {"worst", worst_}, {"problems", count_}}};
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

std::string software(const Device& device) {
  std::string text;
  if (!device.driver_version.empty())
    text += ", driver " + device.driver_version;
  if (!device.toolkit_version.empty())
    text += ", CUDA toolkit " + device.toolkit_version;
  return text;
}

Ordered problems_json(const std::vector<ProblemTuned>& problems) {
  Ordered list = Ordered::array();
  for (const ProblemTuned& one : problems) {
    const Ranked* best = one.outcome.answer.winner();
    list.push_back({{"problem", one.outcome.subject.problem},
                    {"evaluations", one.outcome.result.measurements.size()},
                    {"best", best ? object_of(best->measurement.configuration) : Ordered()},
                    {"best_ms", best ? Ordered(best->time.median_ms) : Ordered()},
                    {"no_best_because", or_null(shortfall(one.outcome))},
                    {"default_loss", or_null(one.default_loss)},
                    {"transferred", one.transferred ? object_of(*one.transferred) : Ordered()},
                    {"transferred_from", one.transferred_from},
                    {"transferred_loss", or_null(one.transferred_loss)},
                    {"moved", one.moved}});
  }
  return list;
}

Listing<KernelTuned> kernel_listing() {
  using Row = KernelTuned;
  constexpr const char* slower = "% slower (worst)";
  return {
      {"kernel", {"kernel", "", true}, &Row::kernel},
      {"definition", [](auto& one) { return one.definition.string(); }},
      {Column{"sizes"}, [](auto& one) { return one.problems.size(); }},
      {"evaluations", &Row::evaluations},
      {"reused", &Row::reused},
      {"default_loss", {"default", slower}, [](auto& one) { return sums_of(one).usual.cell(); }},
      {"transferred_loss",
       {"transferred", slower},
       [](auto& one) { return sums_of(one).transferred.cell(); }},
      {"loss_of_header",
       {"elsewhere", slower},
       [](auto& one) { return sums_of(one).elsewhere.cell(); }},
      {Column{"moved", "sizes"},
       [](auto& one) {
         const Sums sums = sums_of(one);
         return sums.begun ? fmt::format("{} of {}", sums.moved, sums.begun) : "";
       }},
      {Column{"tried"}, &Row::evaluations},
      {"problems", [](auto& one) { return problems_json(one.problems); }},
      {"left_out", &Row::left_out},
      {"failed", &Row::failed}};
}

Table kernel_table(const AllTuned& tuned) {
  auto measured = tuned.kernels |
                  std::views::filter([](const KernelTuned& one) { return !one.problems.empty(); });
  return kernel_listing().table(measured);
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

Listing<Rechecked> rechecked_listing(bool replayed) {
  using Row = Rechecked;
  return {
      {"kernel", {"kernel", "", true}, &Row::kernel},
      {"problem", {"size", "", true}, &Row::problem},
      {"shipped", &Row::shipped},
      {"recorded_ms", {"recorded", "ms"}, &Row::recorded_ms},
      {"now_ms", {replayed ? "replayed" : "now", "ms"}, &Row::now_ms},
      {"moved",
       {"verdict", "", true},
       [](auto& one) { return Cell(one.moved.empty() ? "holds" : one.moved, or_null(one.moved)); }},
      {"best", &Row::best},
      {"best_ms",
       {"tuned again", "ms"},
       [](auto& one) {
         const Cell best = one.best_ms;
         return Cell(one.moved.empty() ? "" : best.text, best.json);
       }},
      {Column{"changes", "", true}, [](auto& one) { return change_text(one); }},
      {"no_best_because", [](auto& one) { return or_null(one.lacks); }}};
}

} // namespace

std::string all_text(const AllTuned& tuned, const Terminal& terminal) {
  const Device* device = device_of(tuned);
  std::string text =
      tuned.replayed()
          ? wrapped("Replayed: recordings of " + printable(device->name) + ", nothing ran on a GPU",
                    terminal.width, 2) +
                "\n\n"
          : "";
  text += kernel_table(tuned).text(terminal.width) + "\n";
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
      kernel_table(tuned).markdown() +
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
  const Device* device = device_of(tuned);
  return {{"schema", "gridsmith-all-1"},
          {"device", device ? device->name : ""},
          {"replayed", tuned.replayed()},
          {"known_device", tuned.known_device},
          {"news", tuned.news},
          {"seconds", tuned.seconds},
          {"out_of_time", tuned.out_of_time},
          {"stopped", tuned.stopped},
          {"kernels", kernel_listing().json(tuned.kernels)}};
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
  text += rechecked_listing(replayed).table(retuned.problems).markdown();
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
  return {{"schema", "gridsmith-retuned-1"},
          {"device", retuned.device.name},
          {"driver", retuned.device.driver_version},
          {"toolkit", retuned.device.toolkit_version},
          {"replayed", retuned.replayed},
          {"evaluations", retuned.evaluations},
          {"reused", retuned.reused},
          {"out_of_time", retuned.out_of_time},
          {"stopped", retuned.stopped},
          {"problems", rechecked_listing(retuned.replayed).json(retuned.problems)}};
}

} // namespace gridsmith
