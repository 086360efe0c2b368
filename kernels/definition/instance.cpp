#include "gridsmith/kernels/definition/automatic_shape.hpp"
#include "gridsmith/kernels/definition/evaluation.hpp"
#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/metrics/device/occupancy.hpp"
#include "gridsmith/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <tuple>

namespace gridsmith {
namespace {

/// 8192.0 as 8192: facts are counts mostly, and // and % of integers stay integers.
Value fact_value(double number) {
  if (number == std::floor(number) && std::abs(number) < 9e15)
    return static_cast<std::int64_t>(number);
  return number;
}

std::string example(const KernelDefinition& definition) {
  return definition.problem_sizes.empty() ? ""
                                          : ", such as " + to_text(definition.problem_sizes[0]);
}

void check_problem(const KernelDefinition& definition, const ProblemSize& problem) {
  const std::size_t needed = definition.problem_sizes.empty()
                                 ? definition.extent_names.size()
                                 : definition.problem_sizes.front().extents.size();
  if (problem.extents.empty() || (needed && problem.extents.size() != needed))
    throw InputError(fmt::format("problem size '{}': {} needs {} extents{}", to_text(problem),
                                 definition.name, needed, example(definition)));
  for (const std::int64_t extent : problem.extents)
    if (extent < 1)
      throw InputError(fmt::format("problem size '{}': extents are at least 1{}", to_text(problem),
                                   example(definition)));
}

Bindings facts_of(const KernelInstance& instance) {
  Bindings facts;
  for (const auto& [name, number] : device_facts(instance.device))
    facts[name] = fact_value(number);
  const auto& extents = instance.problem.extents;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    facts[fmt::format("ProblemSize[{}]", i)] = extents[i];
    if (i < instance.definition.extent_names.size())
      facts[instance.definition.extent_names[i]] = extents[i];
  }
  for (const Parameter& parameter : instance.parameters) {
    const auto larger = [](const Value& a, const Value& b) { return to_number(a) < to_number(b); };
    facts["max(" + parameter.name + ")"] =
        *std::max_element(parameter.values.begin(), parameter.values.end(), larger);
  }
  return facts;
}

/// A block extent as text of an expression; "" where it is always 1.
std::string block_text(const KernelInstance& instance, std::size_t axis) {
  const std::string name = std::string("block_size_") + "xyz"[axis];
  const bool automatic = static_cast<int>(axis) < instance.definition.automatic.dimensions;
  if (const auto& block = instance.definition.block[axis]; block && !automatic)
    return block->text() == "1"                     ? ""
           : block->names().contains(block->text()) ? block->text()
                                                    : "(" + block->text() + ")";
  const auto named = [&](const Parameter& parameter) { return parameter.name == name; };
  return std::any_of(instance.parameters.begin(), instance.parameters.end(), named) ? name : "";
}

void add_constraint(KernelInstance& instance, const std::string& text) {
  Expression expression = Expression::parse(text);
  instance.constraints.push_back({std::move(expression), text});
}

void add_block_limits(KernelInstance& instance) {
  std::string threads;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string block = block_text(instance, axis);
    if (!block.empty())
      threads += (threads.empty() ? "" : " * ") + block;
    if (axis == 2 && !block.empty() && instance.device.max_block_extent[2] > 0)
      add_constraint(instance, block + " <= max_block_z");
  }
  if (!threads.empty() && instance.device.max_threads_per_block > 0)
    add_constraint(instance, threads + " <= max_threads_per_block");
}

void add_shared_limit(KernelInstance& instance) {
  const Device& device = instance.device;
  const auto& shared = instance.definition.dynamic_shared_bytes;
  if (!shared || shared->names().empty())
    return;
  if (device.shared_bytes_per_block_optin > 0)
    add_constraint(instance, "(" + shared->text() + ") <= shared_bytes_per_block_optin");
  else if (device.shared_bytes_per_block > 0)
    add_constraint(instance, "(" + shared->text() + ") <= shared_bytes_per_block");
}

/// Grids are short along y and z (65535 blocks): only a long extent can reach that.
void add_grid_limits(KernelInstance& instance) {
  const auto& extents = instance.problem.extents;
  for (std::size_t axis = 1; axis < extents.size(); ++axis) {
    const std::int64_t limit = instance.device.max_grid_extent[axis];
    if (limit <= 0 || extents[axis] <= limit || !instance.definition.has_grid_div)
      continue;
    std::string divisor;
    for (const Expression& factor : instance.definition.grid_div[axis])
      divisor += (divisor.empty() ? "(" : " * (") + factor.text() + ")";
    add_constraint(instance, fmt::format("ceil({} / ({})) <= max_grid_{}", extents[axis],
                                         divisor.empty() ? "1" : divisor, "xyz"[axis]));
  }
}

double model_value(const KernelInstance& instance, std::string_view field,
                   const std::optional<Expression>& expression) {
  const Configuration nothing;
  return expression ? evaluate_number({instance.definition, field}, *expression,
                                      lookup_in(nothing, instance.facts))
                    : 0.0;
}

std::optional<std::string> source_text(const std::filesystem::path& source) {
  std::ifstream in(source, std::ios::binary);
  std::ostringstream text;
  if (!in || std::filesystem::is_directory(source) || !(text << in.rdbuf()))
    return std::nullopt;
  return text.str();
}

// ---- first guesses ----

/// Registers per thread before anything is compiled: what lets an SM of 65,536 registers be full.
constexpr int assumed_registers = 32;
/// More configurations than this are sampled, not ranked one by one.
constexpr std::size_t most_ranked = 20000;

struct Guess {
  ConfigurationId id;
  double occupancy;
  std::int64_t distance; ///< of the thread count from the formula's
  bool whole_warps;      ///< x is a multiple of the warp: rows are read coalesced
};

Guess guess_of(const KernelInstance& instance, const SearchSpace& space, ConfigurationId id) {
  const Geometry geometry = launch_shape(instance, space.at(id));
  const auto threads = geometry.threads_per_block();
  CompileFacts facts;
  facts.registers_per_thread = assumed_registers;
  const double shared = static_cast<double>(geometry.dynamic_shared_bytes);
  const LaunchEstimate estimate =
      estimate_launch(instance.device, assumed_registers, shared / static_cast<double>(threads),
                      threads * geometry.blocks());
  const Occupancy predicted =
      occupancy(instance.device, facts, static_cast<int>(threads), geometry.dynamic_shared_bytes);
  const int warp = std::max(1, instance.device.warp_size);
  return {id, predicted.fraction, std::abs(threads - estimate.threads_per_block),
          geometry.block[0] % warp == 0};
}

std::vector<Guess> ranked(const KernelInstance& instance, const SearchSpace& space) {
  std::vector<Guess> guesses;
  Random random(0); // which ones are ranked must not depend on the run's seed
  for (const ConfigurationId id : space.sample(most_ranked, random))
    guesses.push_back(guess_of(instance, space, id));
  std::sort(guesses.begin(), guesses.end(), [](const Guess& a, const Guess& b) {
    return std::make_tuple(-a.occupancy, a.distance, !a.whole_warps, a.id) <
           std::make_tuple(-b.occupancy, b.distance, !b.whole_warps, b.id);
  });
  const auto estimate =
      std::min_element(guesses.begin(), guesses.end(), [](const Guess& a, const Guess& b) {
        return std::make_tuple(a.distance, !a.whole_warps, -a.occupancy, a.id) <
               std::make_tuple(b.distance, !b.whole_warps, -b.occupancy, b.id);
      });
  if (estimate != guesses.end())
    std::rotate(guesses.begin(), estimate, estimate + 1);
  return guesses;
}

} // namespace

std::string read_source(const std::filesystem::path& source,
                        const std::filesystem::path& definition) {
  if (auto text = source_text(source))
    return *std::move(text);
  throw InputError(
      fmt::format("{}: KernelSpecification.KernelFile: cannot read {} (looked beside the "
                  "definition and in its parent folder)",
                  definition.string(), source.string()));
}

KernelInstance instantiate(const KernelDefinition& definition, const ProblemSize& problem,
                           const Device& device) {
  check_problem(definition, problem);
  KernelInstance instance;
  instance.definition = definition;
  instance.problem = problem;
  instance.device = device;
  instance.source_text = source_text(definition.source);
  instance.parameters = definition.parameters;
  instance.constraints = definition.constraints;
  for (Parameter& parameter : automatic_parameters(definition.automatic, device))
    instance.parameters.push_back(std::move(parameter));
  for (Constraint& constraint : automatic_constraints(definition.automatic, device))
    instance.constraints.push_back(std::move(constraint));
  add_block_limits(instance);
  add_shared_limit(instance);
  add_grid_limits(instance);
  instance.facts = facts_of(instance);
  instance.model_flops = model_value(instance, "Gridsmith.WorkModel.Flops", definition.flops);
  instance.model_bytes = model_value(instance, "Gridsmith.WorkModel.Bytes", definition.bytes);
  return instance;
}

SearchSpace build_space(const KernelInstance& instance) {
  try {
    return SearchSpace::build(instance.parameters, instance.constraints, instance.facts);
  } catch (const InputError& error) {
    throw InputError(instance.definition.file.string() + ": ConfigurationSpace: " + error.what());
  }
}

std::vector<ConfigurationId> first_guesses(const KernelInstance& instance, const SearchSpace& space,
                                           std::size_t count) {
  std::vector<ConfigurationId> guesses;
  const auto add = [&](ConfigurationId id) {
    if (guesses.size() < count && std::find(guesses.begin(), guesses.end(), id) == guesses.end())
      guesses.push_back(id);
  };
  if (const auto defaults = space.find(instance.definition.defaults))
    add(*defaults);
  if (space.size() > 0 && guesses.size() < count)
    for (const Guess& guess : ranked(instance, space))
      add(guess.id);
  return guesses;
}

} // namespace gridsmith
