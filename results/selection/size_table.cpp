// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/selection/size_table.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/definition/drawn_sizes.hpp"
#include "gridsmith/kernels/definition/expression_values.hpp"
#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/results/selection/sample_drift.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

namespace gridsmith {
namespace {

constexpr double most_luck = 0.05; // of a time that is the least of many
constexpr std::size_t fewest_probes = 8,
                      most_probes = 64; // sizes that are looked at for what is valid
constexpr std::size_t most_probed =
    1 << 15; // pairs of them and a configuration: a fraction of a second
constexpr std::uint64_t probe_seed = 0x70726f6265; // "probe": unlike what people count from 1

constexpr std::int64_t longest_probe = std::int64_t{1} << 30; // a tile of more covers anything

/// The same definition at another problem, without what reads files. Constraints stay those of the
/// first problem.
void move_to(KernelInstance& instance, const ProblemSize& problem) {
  instance.problem = problem;
  for (std::size_t i = 0; i < problem.extents.size(); ++i) {
    instance.facts[fmt::format("ProblemSize[{}]", i)] = problem.extents[i];
    if (i < instance.definition.extent_names.size())
      instance.facts[instance.definition.extent_names[i]] = problem.extents[i];
  }
}

/// FLOPs of the work model, else its bytes, else the elements.
double work_of(const KernelInstance& instance) {
  const KernelDefinition& definition = instance.definition;
  if (const auto& work = definition.flops ? definition.flops : definition.bytes)
    return number_of({definition, "Gridsmith.WorkModel"}, *work, lookup_in({}, instance.facts));
  double elements = 1;
  for (const std::int64_t extent : instance.problem.extents)
    elements *= static_cast<double>(extent);
  return elements;
}

bool is_valid(const KernelInstance& instance, const Configuration& configuration) {
  const Lookup lookup = lookup_in(configuration, instance.facts);
  return std::all_of(instance.constraints.begin(), instance.constraints.end(),
                     [&](const Constraint& constraint) {
                       try {
                         return constraint.expression.holds(lookup);
                       } catch (const EvaluationError&) {
                         return false;
                       } catch (const NumberTooLarge&) {
                         return false; // not known to hold
                       }
                     });
}

/// None where an expression gives no grid, as 0 blocks at small extents.
std::optional<std::int64_t> blocks_of(const KernelInstance& instance,
                                      const Configuration& configuration) {
  try {
    return launch_geometry(instance, configuration).blocks();
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// Elements of extent `axis` that one block covers: up to so many there are no more blocks than for
/// one. 1 where one element has no grid.
std::int64_t tile_along(KernelInstance& probe, const Configuration& configuration,
                        std::size_t axis) {
  const ProblemSize home = probe.problem;
  const auto blocks_at = [&](std::int64_t extent) {
    ProblemSize problem = home;
    problem.extents[axis] = extent;
    move_to(probe, problem);
    return blocks_of(probe, configuration);
  };
  const std::optional<std::int64_t> one = blocks_at(1);
  std::int64_t same = 1, more = 2;
  while (one && more <= longest_probe && blocks_at(more) == one) {
    same = more;
    more *= 2;
  }
  while (more <= longest_probe && more - same > 1) {
    const std::int64_t middle = same + (more - same) / 2;
    (blocks_at(middle) == one ? same : more) = middle;
  }
  move_to(probe, home);
  return !one || more > longest_probe ? 1 : same;
}

LaunchQuantities quantities(KernelInstance& probe, const SizedConfiguration& of) {
  const std::optional<std::int64_t> blocks = blocks_of(probe, of.configuration);
  if (!blocks)
    return {};
  LaunchQuantities launch;
  launch.blocks = static_cast<double>(*blocks);
  launch.bytes = probe.model_bytes;
  const ProblemSize home = probe.problem;
  ProblemSize padded = home;
  for (std::size_t axis = 0; axis < home.extents.size(); ++axis) {
    const std::int64_t tile = axis < of.tile.size() ? of.tile[axis] : 1;
    padded.extents[axis] = (home.extents[axis] + tile - 1) / tile * tile;
  }
  move_to(probe, padded);
  launch.block_work = work_of(probe) / launch.blocks;
  move_to(probe, home);
  launch.valid = true;
  return launch;
}

void expect_same(const std::string& a, const std::string& b, std::string_view what) {
  if (a != b && !a.empty() && !b.empty())
    throw InputError(
        fmt::format("recordings of one {} are chosen from; found '{}' and '{}'", what, a, b));
}

std::set<std::string> names_of(const Recording& recording) {
  std::set<std::string> names;
  for (const Parameter& parameter : recording.parameters)
    names.insert(parameter.name);
  return names;
}

void check_alike(std::span<const Recording> recordings) {
  if (recordings.empty())
    throw InputError("no recording to choose from; expected one for each problem size");
  const Recording& first = recordings.front();
  std::map<std::vector<std::int64_t>, const Recording*> seen;
  for (const Recording& one : recordings) {
    expect_same(first.kernel, one.kernel, "kernel");
    expect_same(first.device.name, one.device.name, "device");
    expect_same(known_source(first), known_source(one), "source (hash)");
    if (names_of(one) != names_of(first))
      throw InputError(fmt::format("recordings of '{}' at {} and {} have different parameters",
                                   one.kernel, first.problem, one.problem));
    const auto extents = extents_of(one.problem);
    if (extents.empty() || extents.size() != extents_of(first.problem).size())
      throw InputError(fmt::format("recording of '{}': problem '{}' has not the extents of '{}'",
                                   one.kernel, one.problem, first.problem));
    if (!seen.emplace(extents, &one).second)
      throw InputError(fmt::format("two recordings of '{}' at problem {}; expected one", one.kernel,
                                   one.problem));
  }
}

CellState state_of(Status status) {
  switch (status) {
  case Status::correct:
    return CellState::measured;
  case Status::constraints:
    return CellState::invalid;
  case Status::correctness:
    return CellState::wrong;
  default:
    return CellState::failed;
  }
}

/// Values in the order of the first recording's parameters, so that equal ones have equal texts.
Configuration ordered(const Configuration& configuration, const Recording& first) {
  Configuration result;
  for (const Parameter& parameter : first.parameters)
    if (const Value* value = find_value(configuration, parameter.name))
      result.emplace_back(parameter.name, *value);
  return result;
}

class Builder {
public:
  Builder(std::span<const Recording> recordings, const KernelDefinition* definition,
          const Objective& objective)
      : recordings_(recordings), definition_(definition) {
    // What time decides is chosen by the time: its samples say more than their median.
    table_.objective = objective.by_time ? objectives().front() : objective;
  }

  SizeTable build() {
    describe();
    gather_configurations();
    table_.cells.resize(table_.problems.size() * table_.configurations.size());
    for (std::size_t p = 0; p < recordings_.size(); ++p)
      fill_problem(p);
    if (definition_ && recordings_.size() > 1)
      draw_probes();
    return std::move(table_);
  }

private:
  void describe() {
    const Recording& first = recordings_.front();
    table_.kernel = first.kernel;
    table_.device = first.device;
    std::set<std::string> conditions;
    for (const Recording& one : recordings_) {
      table_.date = std::max(table_.date, one.date);
      if (table_.source_hash.empty())
        table_.source_hash = known_source(one);
      if (!one.conditions.empty() && conditions.insert(one.conditions).second)
        table_.conditions += (table_.conditions.empty() ? "" : "; ") + one.conditions;
      table_.problems.push_back({extents_of(one.problem)});
      table_.drawn.push_back(one.drawn);
    }
    table_.weights.assign(table_.problems.size(), 1.0);
  }

  void gather_configurations() {
    std::vector<const Measurement*> examples; // of each one that knows its compile facts
    for (const Recording& one : recordings_)
      for (const Measurement& row : one.measurements) {
        const auto [at, fresh] = index_.try_emplace(ordered(row.configuration, recordings_.front()),
                                                    table_.configurations.size());
        if (fresh) {
          table_.configurations.push_back({at->first, 1, {}});
          examples.push_back(&row);
        } else if (!examples[at->second]->compile_facts) {
          examples[at->second] = &row;
        }
      }
    for (std::size_t i = 0; i < examples.size(); ++i)
      place(table_.configurations[i], *examples[i]);
    if (definition_)
      find_default();
  }

  void place(SizedConfiguration& of, const Measurement& example) {
    if (example.compile_facts)
      of.resident_blocks =
          std::max(1, occupancy(table_.device, *example.compile_facts,
                                static_cast<int>(example.geometry.threads_per_block()),
                                example.geometry.dynamic_shared_bytes)
                          .blocks_per_sm);
    if (definition_)
      of.tile = tiles_of(of.configuration);
  }

  std::vector<std::int64_t> tiles_of(const Configuration& configuration) {
    if (!probe_)
      probe_ = instantiate(*definition_, table_.problems.front(), table_.device);
    std::vector<std::int64_t> tile(table_.problems.front().extents.size());
    for (std::size_t axis = 0; axis < tile.size(); ++axis)
      tile[axis] = tile_along(*probe_, configuration, axis);
    return tile;
  }

  void find_default() {
    for (std::size_t i = 0; i < table_.configurations.size(); ++i) {
      const Configuration& one = table_.configurations[i].configuration;
      if (differences(one, definition_->defaults) == 0 && !one.empty())
        table_.default_configuration = i;
    }
  }

  void fill_problem(std::size_t p) {
    const Recording& recording = recordings_[p];
    const std::size_t count = table_.configurations.size();
    SizeCell* cells = &table_.cells[p * count];
    if (definition_) {
      const auto launches =
          quantities_at(*definition_, table_.device, table_.problems[p], table_.configurations);
      for (std::size_t c = 0; c < count; ++c) {
        cells[c].launch = launches[c];
        cells[c].state = launches[c].valid ? CellState::not_measured : CellState::invalid;
      }
    }
    for (const Measurement& row : recording.measurements)
      fill_cell(cell_of(p, row), row, recording);
    if (!table_.objective.by_time)
      return;
    settle_times(table_, p);
    level(p);
  }

  /// Of many times the least is a lucky one: what was not measured again, and seems a little faster than the best that was,
  /// counts as fast as that.
  void level(std::size_t p) {
    std::set<const SizeCell*> again;
    double best = std::numeric_limits<double>::infinity();
    for (const Measurement& row : recordings_[p].measurements)
      if (SizeCell& cell = cell_of(p, row);
          row.mode == Mode::final && cell.state == CellState::measured) {
        again.insert(&cell);
        best = std::min(best, cell.cost);
      }
    for (const Measurement& row : recordings_[p].measurements)
      if (SizeCell& cell = cell_of(p, row); cell.state == CellState::measured &&
                                            !again.contains(&cell) &&
                                            cell.cost * (1 + most_luck) > best)
        cell.cost = std::max(cell.cost, best);
  }

  SizeCell& cell_of(std::size_t p, const Measurement& row) {
    const std::size_t place = index_.at(ordered(row.configuration, recordings_.front()));
    return table_.cells[p * table_.configurations.size() + place];
  }

  /// Always the same ones, and others than a calibration draws.
  void draw_probes() {
    std::vector<std::vector<std::int64_t>> around;
    for (std::size_t p = 0; p < table_.problems.size(); ++p)
      if (!table_.drawn[p])
        around.push_back(table_.problems[p].extents);
    if (around.empty())
      return;
    const std::size_t most =
        std::clamp(most_probed / table_.configurations.size(), fewest_probes, most_probes);
    drawn_sizes(around, most, probe_seed, [&](const std::vector<std::int64_t>& extents) {
      try {
        check_problem(*definition_, {extents});
        table_.probes.push_back(
            {{extents},
             quantities_at(*definition_, table_.device, {extents}, table_.configurations)});
        return true;
      } catch (const InputError&) { // no size of this kernel
        return false;
      }
    });
  }

  void fill_cell(SizeCell& cell, const Measurement& row, const Recording& recording) {
    cell.state = state_of(row.status);
    cell.reason = row.reason;
    const Workload& workload = recording.workload;
    const auto time = cost_ms(row), cost = table_.objective.cost(row, workload);
    if (cell.state == CellState::measured && !(time && *time > 0 && cost))
      cell.state = CellState::not_measured;
    if (cell.state != CellState::measured)
      return;
    cell.cost = cell.plain_cost = *cost;
    if (time_of(row)->samples > 0)
      cell.samples_ms = row.times_ms;
    if (definition_)
      return;
    const auto blocks = static_cast<double>(row.geometry.blocks());
    const double work = workload.model_flops > 0 ? workload.model_flops : workload.model_bytes;
    cell.launch = {true, blocks, work / blocks, workload.model_bytes};
  }

  std::span<const Recording> recordings_;
  const KernelDefinition* definition_;
  SizeTable table_;
  std::unordered_map<Configuration, std::size_t> index_; ///< of the configurations
  std::optional<KernelInstance> probe_;
};

} // namespace

SizeTable size_table(std::span<const Recording> recordings, const KernelDefinition* definition,
                     const Objective& objective) {
  check_alike(recordings);
  return Builder(recordings, definition, objective).build();
}

std::vector<Measurement> rows_to_choose_from(std::vector<Measurement> rows,
                                             std::span<const Measurement> again,
                                             const Objective& objective, const Workload& workload) {
  for (const Measurement& finalist : again) {
    const auto same = std::find_if(rows.begin(), rows.end(), [&](const Measurement& one) {
      return one.configuration == finalist.configuration;
    });
    if (same != rows.end())
      *same = finalist;
    else
      rows.push_back(finalist);
  }
  std::optional<double> best;
  for (const Measurement& one : rows)
    if (const auto cost = objective.cost(one, workload); cost && !one.pruned_early)
      best = std::min(best.value_or(*cost), *cost);
  std::erase_if(rows, [&](const Measurement& one) {
    const auto cost = objective.cost(one, workload);
    return best && one.pruned_early && cost && *cost < *best;
  });
  return rows;
}

SizeTable without(const SizeTable& table, const std::vector<bool>& left_out) {
  SizeTable rest = table;
  rest.problems.clear();
  rest.weights.clear();
  rest.drawn.clear();
  rest.cells.clear();
  const auto count = static_cast<std::ptrdiff_t>(table.configurations.size());
  for (std::size_t p = 0; p < table.problems.size(); ++p) {
    if (left_out[p])
      continue;
    rest.problems.push_back(table.problems[p]);
    rest.weights.push_back(table.weights[p]);
    rest.drawn.push_back(table.drawn[p]);
    const auto first = table.cells.begin() + static_cast<std::ptrdiff_t>(p) * count;
    rest.cells.insert(rest.cells.end(), first, first + count);
  }
  return rest;
}

void settle_times(SizeTable& table, std::size_t problem) {
  const std::size_t count = table.configurations.size();
  std::vector<SizeCell*> cells;
  std::vector<std::vector<double>> series;
  for (std::size_t c = 0; c < count; ++c)
    if (SizeCell& cell = table.cells[problem * count + c];
        cell.state == CellState::measured && !cell.samples_ms.empty()) {
      cells.push_back(&cell);
      series.push_back(cell.samples_ms);
    }
  const std::vector<double> times = times_without_drift(series);
  for (std::size_t i = 0; i < cells.size(); ++i)
    cells[i]->cost = times[i];
}

std::vector<LaunchQuantities> quantities_at(const KernelDefinition& definition,
                                            const Device& device, const ProblemSize& problem,
                                            std::span<const SizedConfiguration> configurations) {
  KernelInstance instance = instantiate(definition, problem, device);
  std::vector<LaunchQuantities> launches(configurations.size());
  for (std::size_t i = 0; i < configurations.size(); ++i)
    if (is_valid(instance, configurations[i].configuration))
      launches[i] = quantities(instance, configurations[i]);
  return launches;
}

} // namespace gridsmith
