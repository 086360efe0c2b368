// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/header/device_code.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/results/header/cpp_text.hpp"
#include "gridsmith/results/header/plain_launch.hpp"
#include "gridsmith/results/header/read_header.hpp"
#include "gridsmith/results/header/runtime.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

namespace gridsmith {
namespace {

/// Between a device and its goal.
constexpr const char* by_goal = "_by_";

constexpr double no_share = 1e6; // of a best value of 0, whose cost is tiny and positive

std::string capability_text(int capability) {
  return fmt::format("{}.{}", capability / 10, capability % 10);
}

std::string day(const std::string& when) {
  return when.empty() ? "on an unknown day" : "on " + when.substr(0, 10);
}

std::string loss_text(const Objective& by, const LossFigures& loss) {
  if (loss.sizes == 0)
    return "not known: too few problems";
  const std::string all = counted(loss.sizes, "problem");
  const std::string others =
      (loss.invalid ? fmt::format(", {} not valid", loss.invalid) : "") +
      (loss.not_measured ? fmt::format(", {} not measured: not known", loss.not_measured) : "");
  if (loss.known() == 0)
    return fmt::format("not known: of {}{}", all, others);
  return fmt::format("{}{} on average, {} to {}, {:.0f} % of {} within {}{}",
                     others.empty() ? "" : fmt::format("at {} of {} ", loss.known(), all),
                     share_text(by, loss.geometric_mean), share_text(by, loss.least),
                     share_text(by, loss.worst), 100 * loss.within_5_percent,
                     others.empty() ? all : "these",
                     by.direction == Direction::minimise ? "5 %" : share_text(by, 1.05), others);
}

std::string layout_of(const Argument& argument) {
  const InputRule input = argument.input.value_or(InputRule{});
  return fmt::format(
      "begins {} a multiple of {} bytes, {}{}",
      input.offset ? fmt::format("{} elements after", input.offset->text()) : "at",
      vector_alignment,
      input.row ? fmt::format("rows of {} at a pitch", input.row->text()) : "without gaps",
      argument.alignment || argument.leading_dimension ? ", unless the problem tells" : "");
}

/// How arrays lay when they were measured. What no problem can tell nothing checks.
std::string assumed_layout(const KernelDefinition* definition) {
  std::vector<std::pair<std::string, std::string>> names; // by layout, in the order of arguments
  if (definition)
    for (const Argument& argument : definition->arguments) {
      if (!argument.is_vector)
        continue;
      const std::string layout = layout_of(argument);
      const auto same = std::find_if(names.begin(), names.end(),
                                     [&](const auto& one) { return one.first == layout; });
      if (same == names.end())
        names.emplace_back(layout, argument.name);
      else
        same->second += ", " + argument.name;
    }
  std::string text;
  for (const auto& [layout, arguments] : names)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", arguments, layout);
  return text.empty() ? "arrays lie as they did when they were measured" : text;
}

/// "(the least dram_bytes, in bytes)" and what that makes of the words below it.
std::string goal_text(const Objective& by) {
  const bool least = by.direction == Direction::minimise;
  return fmt::format("goal: the {} {}, in {}; what is called ms or time below is {}{}, and a loss "
                     "is a share of the best {}",
                     least ? "least" : "most", by.name, by.unit.empty() ? "no unit" : by.unit,
                     least ? "" : "1 / ", by.name, by.name);
}

/// The lines above a device's struct.
std::string provenance(const Selection& of, const KernelDefinition* definition) {
  const Device& device = of.device;
  std::string title = device.name.empty() ? "unknown device" : device.name;
  if (device.compute_capability > 0)
    title += " (compute capability " + capability_text(device.compute_capability) + ")";
  title += fmt::format(", measured {}", day(of.date));
  if (!device.driver_version.empty())
    title += ", driver " + device.driver_version;
  if (!device.toolkit_version.empty())
    title += ", CUDA toolkit " + device.toolkit_version;
  std::vector<std::string> lines = {title};
  if (!of.objective.by_time)
    lines.push_back(goal_text(of.objective));
  if (!of.conditions.empty())
    lines.push_back("conditions: " + of.conditions);
  lines.push_back("source: " + (of.source_hash.empty() ? "unknown" : of.source_hash));
  lines.push_back("assumed: " + assumed_layout(definition));
  lines.push_back("loss at measured problems: " + loss_text(of.objective, of.measured));
  lines.push_back(
      fmt::format("loss at problems left out: {}", loss_text(of.objective, of.left_out)));
  for (const RuleFigures& rule : of.rules)
    if (rule.worst_loss == of.worst_loss)
      lines.push_back(fmt::format("  by rule {}{}: {}", to_text(rule.rule.kind),
                                  rule.rule.tie > 0 ? ", ties by the nearest" : "",
                                  loss_text(of.objective, rule.left_out)));
  lines.push_back(of.calibrated
                      ? "calibrated " + to_text(*of.calibrated)
                      : "not calibrated: no sizes were drawn to be measured and left out");
  std::string text;
  for (const std::string& line : lines)
    text += "// " + comment_text(line) + "\n";
  return text;
}

/// A table of rows, one a line, and its function of one or two indices. A struct, so that a host has it
/// once in its memory: device code sees no such memory, and g++ would copy a function's own.
/// @param indices "configuration" or "configuration, problem"
/// @param columns 0: of one index
std::string table(const std::string& type, const std::string& name, const std::string& indices,
                  std::size_t columns, const std::string& rows) {
  const auto comma = indices.find(", ");
  const bool two = comma != indices.npos;
  const std::string first = indices.substr(0, comma), second = two ? indices.substr(comma + 2) : "";
  return fmt::format("  struct {0}_rows {{\n    {1} all[{2}]{3};\n"
                     "    static GRIDSMITH_TUNED_FN {0}_rows rows() {{\n      return {{{{\n{4}"
                     "      }}}};\n    }}\n  }};\n"
                     "  static GRIDSMITH_TUNED_FN {1} {0}(int {5}{6}) {{\n"
                     "    return GRIDSMITH_TUNED_ROWS({0}_rows).all[{5}]{7};\n  }}\n",
                     name, type, std::count(rows.begin(), rows.end(), '\n'),
                     two ? fmt::format("[{}]", columns) : "", rows, first,
                     two ? ", int " + second : "", two ? "[" + second + "]" : "");
}

class DeviceWriter {
public:
  /// @param goal its enumerator; "": the time, which needs none
  DeviceWriter(const KernelCode& kernel, const KernelDefinition* definition,
               const ShippedDevice& shipped, const std::string& goal)
      : kernel_(kernel), definition_(definition), shipped_(shipped), of_(shipped.selection),
        goal_(goal) {}

  std::string declaration() const {
    return provenance(of_, definition_) + "struct " + name() + " {\n" + sizes() + device() +
           configurations() + extents() + measured() +
           (kernel_.defined ? model() : "  static constexpr bool plain = false;\n" + launches()) +
           "};\n";
  }

  std::string name() const {
    const std::string device = device_identifier(of_.device.name);
    return goal_.empty() ? device : identifier(device + by_goal + goal_);
  }

private:
  std::string sizes() const {
    return (goal_.empty() ? "" : fmt::format("  static constexpr Goal goal = Goal::{};\n", goal_)) +
           fmt::format("  using Configuration = ::tuned::{}::Configuration;\n"
                       "  static constexpr int problems = {}, extents = {}, configurations = {};\n"
                       "  static constexpr bool defined = {}, has_default = {};\n"
                       "  static constexpr int all = configurations + has_default;\n"
                       "  static constexpr int fallback = has_default ? configurations : -1;\n"
                       "  static constexpr Rule rule = Rule::{};\n"
                       "  static constexpr double tie = {};\n",
                       kernel_.name, of_.problems.size(), kernel_.extents.size(),
                       of_.configurations.size(), kernel_.defined,
                       of_.default_configuration.has_value(), to_text(of_.rule.kind),
                       real_literal(of_.rule.tie)) +
           fmt::format("  static constexpr double usual_loss = {}; // at problems {}; "
                       "negative: not known\n",
                       usual().complete() ? share(usual().geometric_mean) : "-1.0",
                       of_.calibrated ? "drawn" : "left out");
  }

  const LossFigures& usual() const {
    return of_.calibrated ? of_.calibrated->figures.left_out : of_.left_out;
  }

  /// Of a loss: more digits say nothing and make differences.
  static std::string rounded(double number) { return real_literal(std::round(number * 1e4) / 1e4); }

  /// Of the goal's best value; -1 where that is nothing, of which there is no share.
  std::string share(double loss) const {
    const double lost = share_lost(of_.objective, loss);
    return lost > no_share ? "-1.0" : rounded(lost);
  }

  std::string device() const {
    std::string facts;
    for (const auto& [name, value] : device_facts(of_.device))
      if (value > 0)
        facts += fmt::format("    d.{} = {};\n", name,
                             value == std::floor(value) ? fmt::format("{:.0f}", value)
                                                        : real_literal(value));
    return "  static GRIDSMITH_TUNED_FN Device device() { // of this kind it serves\n    Device d;\n" +
           facts + "    return d;\n  }\n";
  }

  std::string configurations() const {
    std::string rows;
    for (std::size_t i = 0; i < of_.configurations.size(); ++i) {
      const auto serves = std::count_if(of_.problems.begin(), of_.problems.end(),
                                        [&](const auto& problem) { return problem.best == i; });
      rows += fmt::format("        {}, // {}: best of {}\n",
                          kernel_.configuration(of_.configurations[i].of.configuration), i,
                          counted(static_cast<std::uint64_t>(serves), "problem"));
    }
    if (of_.default_configuration)
      rows += fmt::format("        {}, // the definition's default\n",
                          kernel_.configuration(*of_.default_configuration));
    return table("Configuration", "configuration", "shipped", 0, rows);
  }

  std::string extents() const {
    std::string rows;
    for (const SelectedProblem& one : of_.problems)
      rows += fmt::format("        {{{}}},\n", fmt::join(one.problem.extents, ", "));
    return table("std::int64_t", "extent", "problem, axis", kernel_.extents.size(), rows) +
           (kernel_.defined ? range() : "");
  }

  /// The least and the largest extents.
  std::string range() const {
    std::vector<std::int64_t> least = of_.problems.front().problem.extents, most = least;
    for (const SelectedProblem& one : of_.problems)
      for (std::size_t axis = 0; axis < least.size(); ++axis) {
        least[axis] = std::min(least[axis], one.problem.extents[axis]);
        most[axis] = std::max(most[axis], one.problem.extents[axis]);
      }
    return table("std::int64_t", "range", "most, axis", kernel_.extents.size(),
                 fmt::format("        {{{}}},\n        {{{}}},\n", fmt::join(least, ", "),
                             fmt::join(most, ", ")));
  }

  std::string remarks(const SelectedProblem& one) const {
    const Objective& by = of_.objective;
    std::string text = to_text(one.problem);
    if (one.default_cost && by.by_time)
      text += fmt::format(", {:.2f} times as fast as the default", *one.default_cost / one.cost);
    else if (one.default_cost)
      if (const double of_default = by.direction == Direction::minimise
                                        ? one.cost / *one.default_cost
                                        : *one.default_cost / one.cost;
          of_default < no_share)
        text += fmt::format(", {:.2f} times the default's {}", of_default, comment_text(by.name));
    if (one.margin)
      text += fmt::format(", the second {} {}", share_text(by, *one.margin),
                          by.by_time ? "behind" : worse_word(by));
    return text;
  }

  std::string measured() const {
    std::string rows;
    for (const SelectedProblem& one : of_.problems) {
      const double loss = one.least_cost > 0 ? one.cost / one.least_cost : 1;
      rows += fmt::format("        {{{}, {:.6g}, {}}}, // {}\n", one.best, one.plain_cost,
                          share(loss), remarks(one));
    }
    return table("Measured", "measured", "problem", 0, rows);
  }

  /// One row per configuration.
  std::string rows(const std::function<std::string(const SelectedConfiguration&)>& row) const {
    std::string text;
    for (const SelectedConfiguration& one : of_.configurations)
      text += "        {" + row(one) + "},\n";
    return text;
  }

  /// Six digits: a model foretells no more.
  static std::string numbers(std::span<const double> list) {
    std::vector<std::string> texts;
    for (const double number : list)
      texts.push_back(fmt::format("{:.6g}", number));
    return fmt::format("{}", fmt::join(texts, ", "));
  }

  std::string per_problem(const char* name,
                          std::vector<double> SelectedConfiguration::* list) const {
    return table("double", name, "shipped, problem", of_.problems.size(),
                 rows([&](const SelectedConfiguration& one) { return numbers(one.*list); }));
  }

  std::string occupied() const {
    return table("Occupied", "occupied", "shipped", 0, rows([&](const SelectedConfiguration& one) {
                   std::vector<std::int64_t> tile = one.of.tile;
                   tile.resize(kernel_.extents.size(), 1);
                   return fmt::format("{}, {{{}}}", one.of.resident_blocks, fmt::join(tile, ", "));
                 }));
  }

  std::string plain() const {
    std::vector<Configuration> all;
    all.reserve(of_.configurations.size() + 1);
    for (const SelectedConfiguration& one : of_.configurations)
      all.push_back(one.of.configuration);
    if (of_.default_configuration)
      all.push_back(*of_.default_configuration);
    const auto launches = plain_launches(*definition_, kernel_, all);
    return fmt::format("  static constexpr bool plain = {};\n", launches.has_value()) +
           launches.value_or("");
  }

  /// What the rule needs, and no more.
  std::string model() const {
    std::string text = plain() + per_problem("time_ms", &SelectedConfiguration::costs);
    if (of_.rule.kind == RuleKind::nearest)
      return text;
    const bool modelled =
        std::all_of(of_.configurations.begin(), of_.configurations.end(), [](const auto& one) {
          return std::any_of(one.model.coefficients.begin(), one.model.coefficients.end(),
                             [](double coefficient) { return coefficient > 0; });
        });
    text += fmt::format("  static constexpr bool all_modelled = {};\n", modelled);
    text +=
        occupied() + table("double", "coefficient", "shipped, term", feature_count,
                           rows([](const auto& one) { return numbers(one.model.coefficients); }));
    if (of_.rule.kind == RuleKind::corrected)
      text += ratios();
    return text;
  }

  /// Problem by problem: so they are summed.
  std::string ratios() const {
    std::string rows;
    for (std::size_t p = 0; p < of_.problems.size(); ++p) {
      std::vector<double> list;
      list.reserve(of_.configurations.size());
      for (const SelectedConfiguration& one : of_.configurations)
        list.push_back(one.ratios[p]);
      rows += "        {" + numbers(list) + "},\n";
    }
    return table("double", "ratio", "problem, shipped", of_.configurations.size(), rows);
  }

  std::string launches() const {
    if (shipped_.launches.size() != of_.problems.size())
      throw InputError(fmt::format("kernel '{}' on '{}': a launch for each of {} is needed",
                                   of_.kernel, of_.device.name,
                                   counted(of_.problems.size(), "problem")));
    std::string rows;
    for (const Geometry& one : shipped_.launches)
      rows += fmt::format("        {{{{{}}}, {{{}}}, {}}},\n", fmt::join(one.grid, ", "),
                          fmt::join(one.block, ", "), one.dynamic_shared_bytes);
    return table("Launch", "launch", "problem", 0, rows);
  }

  const KernelCode& kernel_;
  const KernelDefinition* definition_;
  const ShippedDevice& shipped_;
  const Selection& of_;
  const std::string goal_;
};

constexpr const char* frame = R"tuned(
#ifndef GRIDSMITH_TUNED_{kernel}_{hash}
#define GRIDSMITH_TUNED_{kernel}_{hash}
namespace tuned::{kernel} {{ inline namespace of_{part} {{{begin}
inline namespace on_{hash} {{
{declaration}
static_assert(all_consistent<{device}>(), "tuned::{kernel}: a configuration breaks a constraint; export this file again");
using Until{hash} = {devices}::And<{device}>;
template <class All = Until{hash}>
All newest(const {tag}*, Rank<All::count>);
}} // namespace on_{hash}
}}}}{end} // namespace tuned::{kernel}::of_{part}
#undef {devices}
#define {devices} Until{hash}
#endif
)tuned";

} // namespace

std::string device_list(const KernelCode& kernel, const std::string& goal) {
  return fmt::format("GRIDSMITH_TUNED_{}_DEVICES{}", kernel.name,
                     goal.empty() ? "" : by_goal + goal);
}

std::string device_code(const KernelCode& kernel, const KernelDefinition* definition,
                        const std::string& part, const ShippedDevice& device,
                        const GoalPlace& place) {
  const DeviceWriter writer(kernel, definition, device, place.goal);
  const std::string declaration = writer.declaration();
  const bool time = place.goal.empty();
  return fmt::format(
      fmt::runtime(frame), fmt::arg("kernel", kernel.name),
      fmt::arg("hash", short_hash(part + place.goals + declaration)), fmt::arg("part", part),
      fmt::arg("declaration", declaration), fmt::arg("device", writer.name()),
      fmt::arg("begin", time ? "" : fmt::format(" inline namespace by_{} {{", place.goals)),
      fmt::arg("end", time ? "" : "}"), fmt::arg("devices", device_list(kernel, place.goal)),
      fmt::arg("tag",
               time ? "Configuration" : fmt::format("By<Goal::{}, Configuration>", place.goal)));
}

} // namespace gridsmith
