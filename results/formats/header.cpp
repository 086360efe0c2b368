// SPDX-License-Identifier: Apache-2.0
// A header of exports: per kernel, device and objective all problems together, what is to be shipped for
// them chosen (results/selection) and written (results/header). Of several exports for one device, objective
// and problem the newest counts.
#include "gridsmith/results/formats/header.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/results/formats/newest.hpp"
#include "gridsmith/results/header/header.hpp"
#include "gridsmith/results/selection/select.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace gridsmith {
namespace {

using Exports = std::vector<const Export*>;

/// The newest export of every problem, by problem.
Exports newest(const Exports& all) {
  std::map<std::string, const Export*> kept;
  for (const Export* exported : all) {
    const Export*& one = kept[exported->recording.problem];
    if (!one || is_newer(exported->recording, one->recording))
      one = exported;
  }
  Exports list;
  for (const auto& [problem, exported] : kept)
    list.push_back(exported);
  return list;
}

Objective objective_of(const Export& exported) {
  return exported.answer ? objective_of(exported.answer->found_by, exported.recording.device)
                         : objectives().front();
}

/// What was measured, the finalists as they were measured again.
Recording final_recording(const Export& exported, const Objective& objective) {
  Recording recording = exported.recording;
  const auto excluded = [&](const Measurement& one) {
    return !may_win(one, board_of(exported.recording), exported.recording.workload);
  };
  std::vector<Measurement> again;
  if (exported.answer)
    for (const Ranked& finalist : exported.answer->ranking)
      again.push_back(finalist.measurement);
  recording.measurements =
      rows_to_choose_from(std::move(recording.measurements), again, objective, recording.workload);
  std::erase_if(recording.measurements, excluded);
  return recording;
}

/// The definition's, where it names every parameter; else what a tuning took for it.
std::optional<Configuration> default_of(const Exports& exports) {
  const Recording& recording = exports.front()->recording;
  if (const auto& definition = exports.front()->definition) {
    Configuration all;
    for (const Parameter& parameter : recording.parameters)
      if (const Value* value = find_value(definition->defaults, parameter.name))
        all.emplace_back(parameter.name, *value);
    if (!all.empty() && all.size() == recording.parameters.size())
      return all;
  }
  for (const Export* exported : exports)
    if (exported->answer && exported->answer->found_by.default_configuration)
      return exported->answer->found_by.default_configuration;
  return std::nullopt;
}

/// What was launched at each problem by the best that is shipped.
std::vector<Geometry> launches_of(const Selection& selection,
                                  const std::vector<Recording>& recordings) {
  std::vector<Geometry> launches;
  for (const SelectedProblem& at : selection.problems) {
    const Configuration& best = selection.configurations[at.best].of.configuration;
    for (const Recording& recording : recordings)
      if (extents_of(recording.problem) == at.problem.extents)
        for (const Measurement& row : recording.measurements)
          if (row.configuration == best)
            launches.push_back(row.geometry);
  }
  return launches;
}

/// @throws InputError, one line
void check_alike(const Exports& exports) {
  for (const Export* exported : exports) {
    const Recording& recording = exported->recording;
    const std::string what =
        printable(fmt::format("kernel '{}' on '{}'", recording.kernel, recording.device.name));
    if (extents_of(recording.problem).empty())
      throw InputError(fmt::format("{}: a header needs the problem size, '{}' is none", what,
                                   printable(recording.problem)));
    const auto& names = best_of(*exports.front()).configuration;
    const auto& others = best_of(*exported).configuration;
    if (names.size() != others.size() ||
        !std::all_of(names.begin(), names.end(),
                     [&](const auto& entry) { return find_value(others, entry.first); }))
      throw InputError(what + ": recordings have different parameters; export them into separate "
                              "headers");
  }
}

/// Of costs that time does not decide many are equal: as if they were shipped before, the answers stay, between
/// which and those equal to them time has decided.
SelectionRules rules_for(const Exports& exports, const Objective& objective,
                         std::span<const Shipment> previous, SelectionRules rules) {
  const Recording& recording = exports.front()->recording;
  const std::string device = device_identifier(recording.device.name);
  for (const Shipment& one : previous) {
    if (one.kernel != recording.kernel || one.identifier != device ||
        one.objective != objective.name)
      continue;
    rules.previous.insert(rules.previous.end(), one.choices.begin(), one.choices.end());
    for (const ShippedCost& cost : one.costs) // of the set, though it may be the best nowhere
      rules.previous.push_back({{}, cost.configuration});
  }
  if (!objective.by_time)
    for (const Export* exported : exports)
      rules.previous.push_back(
          {{extents_of(exported->recording.problem)}, best_of(*exported).configuration});
  return rules;
}

/// Null where a header has no definition to go by: none was given, or it asks for what a header's launch
/// has no place for.
const KernelDefinition* definition_of(const Export& exported) {
  const KernelDefinition* definition = exported.definition.get();
  const bool more =
      definition &&
      (definition->shared_carveout_percent || definition->transfer || definition->cooperative ||
       std::any_of(definition->cluster, definition->cluster + 3,
                   [](const auto& extent) { return extent.has_value(); }));
  return more ? nullptr : definition;
}

ShippedDevice shipped(const Exports& all, std::span<const Shipment> previous,
                      const SelectionRules& usual) {
  const ToShip from = to_ship(all, previous, usual);
  ShippedDevice device{select(from.table, from.rules), {}};
  device.replayed = std::any_of(from.exports.begin(), from.exports.end(),
                                [](const Export* one) { return is_replay(*one); });
  if (!device.selection.default_configuration)
    device.selection.default_configuration = default_of(from.exports);
  if (!from.definition)
    device.launches = launches_of(device.selection, from.recordings);
  return device;
}

std::vector<ShippedKernel> shipped(std::span<const Export> exports,
                                   std::span<const Shipment> previous,
                                   const SelectionRules& rules = {}) {
  std::map<std::string, std::map<std::string, Exports>> kernels; // by name, then device
  for (const Export& exported : exports)
    kernels[exported.recording.kernel][exported.recording.device.name].push_back(&exported);
  std::vector<ShippedKernel> list;
  for (const auto& [name, devices] : kernels) {
    const Export& first = *by_objective(devices.begin()->second).begin()->second.front();
    const KernelDefinition* definition = definition_of(first);
    ShippedKernel kernel{name,
                         definition,
                         first.definition && !definition
                             ? "its Launch or Transfer is more than a header's launch has"
                             : first.lacks,
                         {}};
    for (const auto& [device, all] : devices)
      for (const auto& [objective, of] : by_objective(all))
        kernel.devices.push_back(shipped(of, previous, rules));
    list.push_back(std::move(kernel));
  }
  return list;
}

/// "transpose on NVIDIA H200: 2 configurations for 3 sizes, 0.4 % behind the best of each in the mean, at most
/// 0.8 %; at other sizes not known: not calibrated"; "" of one size. Of another goal than the time "transpose on
/// NVIDIA H200 by dram_traffic: …, 0.4 % more than the best of each …".
std::string loss_text(const std::string& kernel, const Selection& selection) {
  if (selection.problems.size() < 2)
    return "";
  const Objective& by = selection.objective;
  return printable(fmt::format(
      "{} on {}{}: {} for {}, {} {} the best of each in the mean, at most {}; {}", kernel,
      selection.device.name, by.by_time ? "" : " by " + by.name,
      counted(selection.configurations.size(), "configuration"),
      counted(selection.problems.size(), "size"), share_text(by, selection.measured.geometric_mean),
      by.by_time ? "behind" : worse_word(by) + " than", share_text(by, selection.measured.worst),
      selection.calibrated ? to_text(*selection.calibrated)
                           : "at other sizes not known: not calibrated"));
}

/// A problem and what the set costs there, its best first.
void add_choice(Shipment& shipment, const Selection& selection, std::size_t problem) {
  const SelectedProblem& at = selection.problems[problem];
  const Configuration& best = selection.configurations[at.best].of.configuration;
  shipment.choices.push_back({at.problem, best});
  shipment.costs.push_back({problem, best, at.plain_cost, {}});
  for (std::size_t c = 0; c < selection.configurations.size(); ++c)
    if (const SelectedConfiguration& one = selection.configurations[c];
        c != at.best && one.costs[problem] > 0)
      shipment.costs.push_back({problem, one.of.configuration, one.costs[problem], {}});
}

} // namespace

ToShip to_ship(const Exports& all, std::span<const Shipment> previous,
               const SelectionRules& usual) {
  check_alike(all);
  ToShip from;
  from.exports = newest(all);
  const Export& first = *from.exports.front();
  const Objective own = objective_of(first);
  const Objective& objective = own.by_time ? objectives().front() : own;
  for (const Export* exported : from.exports)
    from.recordings.push_back(final_recording(*exported, objective));
  from.definition = definition_of(first);
  from.table = size_table(from.recordings, from.definition, objective);
  from.rules = rules_for(from.exports, objective, previous, usual);
  return from;
}

std::map<std::string, Exports> by_objective(const Exports& exports) {
  std::map<std::string, Exports> groups;
  for (const Export* exported : exports) {
    const Objective objective = objective_of(*exported);
    groups[objective.by_time ? "" : objective.name].push_back(exported);
  }
  return groups;
}

std::vector<Calibration> calibrations_of(std::span<const Export> exports) {
  std::vector<Calibration> list;
  for (const ShippedKernel& kernel : shipped(exports, {}))
    for (const ShippedDevice& device : kernel.devices)
      if (device.selection.calibrated)
        list.push_back(*device.selection.calibrated);
  return list;
}

WrittenHeader header_of(std::span<const Export> exports, std::span<const Shipment> previous,
                        const SelectionRules& rules) {
  const std::vector<ShippedKernel> kernels = shipped(exports, previous, rules);
  WrittenHeader written{header_text(kernels), {}};
  for (const ShippedKernel& kernel : kernels)
    for (const ShippedDevice& device : kernel.devices)
      if (std::string line = loss_text(kernel.name, device.selection); !line.empty())
        written.losses.push_back(std::move(line));
  return written;
}

std::string header_text(std::span<const Export> exports, std::span<const Shipment> previous) {
  return header_of(exports, previous).text;
}

std::vector<Shipment> shipments_of(std::span<const Export> exports) {
  std::vector<Shipment> list;
  for (const ShippedKernel& kernel : shipped(exports, {}))
    for (const ShippedDevice& device : kernel.devices) {
      const Selection& selection = device.selection;
      Shipment one{selection, device_identifier(selection.device.name)};
      one.objective = selection.objective.name;
      for (std::size_t p = 0; p < selection.problems.size(); ++p)
        add_choice(one, selection, p);
      list.push_back(std::move(one));
    }
  return list;
}

} // namespace gridsmith
