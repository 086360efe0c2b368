// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/definition/instance.hpp"

#include "gridsmith/base/content_hash.hpp"
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/kernels/definition/automatic_shape.hpp"
#include "gridsmith/kernels/definition/expression_values.hpp"
#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/kernels/source/header_options.hpp"
#include "gridsmith/kernels/syntax/rewriting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

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
  const auto& shape = instance.definition.automatic;
  const bool automatic = shape && static_cast<int>(axis) < shape->dimensions;
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
  if (!shared)
    return;
  if (device.shared_bytes_per_block_optin > 0)
    add_constraint(instance, "(" + shared->text() + ") <= shared_bytes_per_block_optin");
  else if (device.shared_bytes_per_block > 0)
    add_constraint(instance, "(" + shared->text() + ") <= shared_bytes_per_block");
}

/// A device without clusters has only configurations of one block each.
void add_cluster_limit(KernelInstance& instance) {
  constexpr int first_with_clusters = 90;
  const auto& cluster = instance.definition.cluster;
  std::string blocks;
  for (const auto& extent : cluster)
    if (extent)
      blocks += (blocks.empty() ? "(" : " * (") + extent->text() + ")";
  if (!blocks.empty() && instance.device.compute_capability < first_with_clusters)
    add_constraint(instance,
                   fmt::format("{} == 1 or compute_capability >= {}", blocks, first_with_clusters));
}

/// Grids are short along y and z (65535 blocks): only a long extent can reach that.
void add_grid_limits(KernelInstance& instance) {
  const auto& extents = instance.problem.extents;
  for (std::size_t axis = 1; axis < extents.size(); ++axis) {
    const std::int64_t limit = instance.device.max_grid_extent[axis];
    if (limit <= 0 || extents[axis] <= limit || !instance.definition.has_grid_div())
      continue;
    std::string divisor;
    const auto& factors = instance.definition.grid_div[axis];
    const AxisCover unsaid = axis_cover(instance.definition, axis);
    if (!factors && unsaid == AxisCover::once)
      continue;
    if (!factors && unsaid == AxisCover::by_threads)
      divisor = block_text(instance, axis);
    if (factors)
      for (const Expression& factor : *factors)
        divisor += (divisor.empty() ? "(" : " * (") + factor.text() + ")";
    add_constraint(instance, fmt::format("ceil({} / ({})) <= max_grid_{}", extents[axis],
                                         divisor.empty() ? "1" : divisor, "xyz"[axis]));
  }
}

/// Of vectors that begin at an Offset: configurations that need more are not in the space.
void add_alignments(KernelInstance& instance) {
  for (const Argument& argument : instance.definition.arguments)
    if (argument.alignment && argument.input && argument.input->offset)
      add_constraint(instance, fmt::format("({}) * {} % ({}) == 0", argument.input->offset->text(),
                                           size_of(argument.type), argument.alignment->text()));
}

/// Where in the file it stands what the space says an error of: it knows texts, not fields.
std::string field_of(const std::string& error, const KernelDefinition& definition) {
  for (std::size_t i = 0; i < definition.constraints.size(); ++i)
    if (error.find("'" + definition.constraints[i].text + "'") != std::string::npos)
      return fmt::format("ConfigurationSpace.Conditions[{}].Expression", i);
  for (std::size_t i = 0; i < definition.parameters.size(); ++i)
    if (error.starts_with("parameter '" + definition.parameters[i].name + "'"))
      return fmt::format("ConfigurationSpace.TuningParameters[{}].Values", i);
  return "ConfigurationSpace";
}

/// Sizes of arguments that are none, before anything is measured. What a device does not tell, as a
/// recording's, gives no size.
void check_arguments(const KernelInstance& instance) {
  const auto told = [&](const std::string& name) {
    const auto fact = instance.facts.find(name);
    return fact == instance.facts.end() || to_number(fact->second) != 0;
  };
  const auto known = [&](const std::optional<Expression>& expression) {
    return !expression || std::all_of(expression->names().begin(), expression->names().end(), told);
  };
  for (const Argument& argument : instance.definition.arguments) {
    const InputRule rule = argument.input.value_or(InputRule{});
    for (const auto& expression : {argument.size, argument.value, rule.offset, rule.row})
      if (!known(expression))
        return;
    for (const auto& [name, expression] : rule.numbers)
      if (!known(expression))
        return;
    if (!std::all_of(argument.field_values.begin(), argument.field_values.end(), known))
      return;
  }
  argument_specs(instance);
}

double model_value(const KernelInstance& instance, std::string_view field,
                   const std::optional<Expression>& expression) {
  const Configuration nothing;
  return expression ? number_of({instance.definition, field}, *expression,
                                lookup_in(nothing, instance.facts))
                    : 0.0;
}

/// As files of a bundle are named: relative to the main source where that is near, so that a folder
/// that was moved is still the same source.
std::string named_from(const std::filesystem::path& source, const std::filesystem::path& definition,
                       const std::string& path) {
  const auto folder = [](const std::filesystem::path& file) {
    return std::filesystem::absolute(file).lexically_normal().parent_path();
  };
  const auto whole = (folder(definition) / path).lexically_normal();
  std::string name = whole.lexically_relative(folder(source)).generic_string();
  if (name.starts_with("../.."))
    name = whole.generic_string();
  return name.size() > 1 && name.ends_with('/') ? name.substr(0, name.size() - 1) : name;
}

} // namespace

std::vector<std::string> unit_names(const KernelDefinition& definition,
                                    const std::filesystem::path& source) {
  std::vector<std::string> names;
  names.reserve(definition.units.size());
  for (const std::string& unit : definition.units)
    names.push_back(named_from(source, definition.file, unit));
  return names;
}

namespace {

/// Folders are relative to the definition, as the file of the kernel is.
HeaderSearch search_of(const KernelDefinition& definition, const std::filesystem::path& source) {
  HeaderWords options = header_options(definition.compiler_options);
  HeaderSearch search{{}, std::move(options.before), std::move(options.defined)};
  for (const std::string& folder : options.folders)
    search.folders.push_back(named_from(source, definition.file, folder));
  search.units = unit_names(definition, source);
  for (const Parameter& parameter : definition.parameters)
    for (const Value& value : parameter.values)
      if (const auto* text = std::get_if<std::string>(&value))
        search.meant.push_back(*text);
  return search;
}

/// Behind the last line, so that lines stay: the compiler says where the source has another layout.
std::shared_ptr<const SourceBundle> with_layout_checks(std::shared_ptr<const SourceBundle> source,
                                                       const KernelDefinition& definition) {
  if (!source || definition.layout_checks.empty())
    return source;
  return make_bundle({source->main.name, source->main.text + "\n#line 1 \"Gridsmith.Types\"\n" +
                                             definition.layout_checks},
                     source->headers, source->folders, source->before);
}

std::shared_ptr<const SourceBundle> with_values(std::shared_ptr<const SourceBundle> source,
                                                const KernelDefinition& definition) {
  try {
    return rewritten(std::move(source), definition.rewritten);
  } catch (const InputError& error) {
    throw InputError(definition.file.string() + ": Gridsmith.Rewrite: " + error.what());
  }
}

} // namespace

void check_problem(const KernelDefinition& definition, const ProblemSize& problem) {
  const std::size_t needed = definition.problem_sizes.empty()
                                 ? definition.extent_names.size()
                                 : definition.problem_sizes.front().extents.size();
  if (problem.extents.empty() || (needed && problem.extents.size() != needed))
    throw InputError(fmt::format("problem size '{}': {} needs {}{}", to_text(problem),
                                 definition.name, counted(needed, "extent"), example(definition)));
  for (const std::int64_t extent : problem.extents)
    if (extent < 1)
      throw InputError(fmt::format("problem size '{}': extents are at least 1{}", to_text(problem),
                                   example(definition)));
}

KernelInstance instantiate(const KernelDefinition& definition, const ProblemSize& problem,
                           const Device& device) {
  check_problem(definition, problem);
  KernelInstance instance;
  instance.definition = definition;
  instance.problem = problem;
  instance.device = device;
  const auto bundle_of = [&](const std::filesystem::path& source) {
    return read_bundle(source, search_of(definition, source), definition.readable);
  };
  instance.source =
      with_layout_checks(with_values(bundle_of(definition.source), definition), definition);
  if (const Reference& reference = definition.reference; reference.kernel)
    instance.reference_source = reference.source ? bundle_of(*reference.source) : instance.source;
  instance.parameters = definition.parameters;
  instance.constraints = definition.constraints;
  if (definition.automatic) {
    for (Parameter& parameter : automatic_parameters(*definition.automatic, device))
      instance.parameters.push_back(std::move(parameter));
    for (Constraint& constraint : automatic_constraints(*definition.automatic, device))
      instance.constraints.push_back(std::move(constraint));
  }
  add_block_limits(instance);
  add_shared_limit(instance);
  add_cluster_limit(instance);
  add_grid_limits(instance);
  add_alignments(instance);
  instance.facts = facts_of(instance);
  instance.model_flops = model_value(instance, "Gridsmith.WorkModel.Flops", definition.flops);
  instance.model_bytes = model_value(instance, "Gridsmith.WorkModel.Bytes", definition.bytes);
  if (definition.runnable())
    check_arguments(instance);
  return instance;
}

void check_unchanged(const KernelInstance& instance, const std::filesystem::path& file,
                     std::string_view content) {
  const auto [first, fresh] = instance.files->try_emplace(file, sha256_hex(content));
  if (!fresh && first->second != sha256_hex(content))
    throw InputError(file.string() +
                     ": has changed since it was first read; run the command again");
}

SearchSpace build_space(const KernelInstance& instance, const SpaceWatch& watch) {
  return build_part(instance, {}, watch);
}

SearchSpace build_part(const KernelInstance& instance, const Configuration& values,
                       const SpaceWatch& watch) {
  std::vector<Parameter> parameters = instance.parameters;
  for (Parameter& parameter : parameters)
    if (const Value* value = find_value(values, parameter.name))
      parameter.values = {*value};
  try {
    return SearchSpace::build(std::move(parameters), instance.constraints, instance.facts, watch);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}: {}", instance.definition.file.string(),
                                 field_of(error.what(), instance.definition), error.what()));
  }
}

void refuse_empty(const SearchSpace& space, const SpaceWatch& watch) {
  if (space.size() > 0)
    return;
  const std::vector<std::string>& texts = space.conflict_set(watch);
  const auto divides = [](const std::string& text) {
    return text.find_first_of("/%") != text.npos;
  };
  std::set<std::string> undefined;
  if (std::any_of(texts.begin(), texts.end(), divides)) // a report takes its time
    for (const ConstraintReport& one : space.report(watch))
      if (one.division_by_zero && one.never_true)
        undefined.insert(one.text);
  std::string conflict;
  for (const std::string& text : texts)
    conflict += fmt::format("{}'{}'{}", conflict.empty() ? "" : ", ", text,
                            undefined.contains(text) ? " (a division by zero does not)" : "");
  throw InputError("the search space is empty: no configuration satisfies " + conflict);
}

} // namespace gridsmith
