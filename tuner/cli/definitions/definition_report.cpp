// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/cli/definitions/definition_report.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/kernels/definition/compile_request.hpp"
#include "gridsmith/kernels/definition/first_guesses.hpp"
#include "gridsmith/kernels/definition/references.hpp"
#include "gridsmith/kernels/definition/unfilled_constants.hpp"
#include "gridsmith/metrics/code/cubin.hpp"
#include "gridsmith/results/influence/no_effect.hpp"
#include "gridsmith/tuner/cli/definitions/definition_remarks.hpp"
#include "gridsmith/tuner/cli/definitions/launch_remarks.hpp"
#include "gridsmith/tuner/cli/definitions/macro_hint.hpp"
#include "gridsmith/tuner/cli/definitions/samples.hpp"
#include "gridsmith/tuner/gpu/twins.hpp"
#include "gridsmith/tuner/processes/compile_all.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <span>

namespace gridsmith {
namespace {

constexpr std::size_t most_samples = 4; // configurations compiled beside the default
constexpr std::chrono::milliseconds element_limit{500}; // two of each formula

/// @throws InputError, when `report` is as far as it goes
void examine(const KernelDefinition& definition, const ProblemSize& problem, const Device& device,
             ProblemReport& report) {
  const KernelInstance instance = instantiate(definition, problem, device);
  report.instantiated = true;
  report.flops = instance.model_flops;
  report.bytes = instance.model_bytes;
  check_elements(instance);
  if (definition.runnable())
    report.arguments = argument_specs(instance);
  const SearchSpace space = build_space(instance);
  report.configurations = space.size();
  report.product = space.product();
  refuse_empty(space);
  if (definition.runnable())
    check_geometry(instance, space);
  report.refused = false;
  report.configuration = first_configuration(instance, space);
  report.is_default = default_configuration(instance, space).has_value();
  report.macros = macros_of(instance, report.configuration);
  report.geometry = launch_geometry(instance, report.configuration);
  access_bytes(instance, report.configuration);
  report.arguments = argument_specs(instance);
  if (!report.is_default && definition.defaults.size() == instance.parameters.size())
    report.no_default = "the default configuration is not in the space: " +
                        space.why_not(definition.defaults).front();
  if (definition.reference.kernel)
    reference_geometry(instance, report.configuration);
  if (definition.reference.file && definition.runnable())
    check_expected_output(instance);
  work_remarks(instance);
}

ProblemReport examined(const KernelDefinition& definition, const ProblemSize& problem,
                       const Device& device) {
  ProblemReport report;
  report.problem = to_text(problem);
  report.refused = true;
  try {
    examine(definition, problem, device, report);
  } catch (const InputError& error) {
    report.trouble = error.what();
  }
  return report;
}

/// As the worker tells it of a kernel that it loads.
std::optional<std::string> argument_error(const std::vector<std::int64_t>& kernel,
                                          std::vector<ArgumentSpec> definition) {
  constexpr std::int64_t pointer_bytes = 8; // on every device
  const auto is_constant = [](const ArgumentSpec& argument) {
    return argument.buffer && argument.buffer->constant_memory;
  };
  const auto constants = std::count_if(definition.begin(), definition.end(), is_constant);
  if (kernel.size() + static_cast<std::size_t>(constants) == definition.size())
    std::erase_if(definition, is_constant);
  if (kernel.size() != definition.size())
    return fmt::format("the kernel takes {} arguments, the definition gives {}", kernel.size(),
                       definition.size());
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    const auto& [buffer, scalar] = definition[i];
    const auto bytes = buffer ? pointer_bytes : static_cast<std::int64_t>(bytes_of(*scalar));
    if (kernel[i] != bytes)
      return fmt::format("argument {} ({}) has {} bytes in the kernel and {} in the definition",
                         i + 1, buffer ? buffer->name : scalar->name, kernel[i], bytes);
  }
  return std::nullopt;
}

/// The configurations, then the reference; nothing is compiled yet.
std::vector<CompileReport> wanted(const KernelInstance& instance, const SearchSpace& space,
                                  DefinitionReport& report) {
  const ProblemReport& problem = report.problems.front();
  std::vector<CompileReport> all;
  const auto add = [&](const char* what, const Configuration& configuration) {
    CompileReport& one = all.emplace_back();
    one.what = what;
    one.configuration = configuration;
    one.geometry = launch_geometry(instance, configuration);
  };
  add(problem.is_default ? "default" : "first", problem.configuration);
  if (report.all) {
    for (ConfigurationId id = 0; id < space.size(); ++id)
      if (const Configuration one = space.at(id); one != problem.configuration)
        add("sample", one);
  } else {
    ValueExamples samples = sample_values(instance, space, problem.configuration, most_samples);
    report.uncompiled = std::move(samples.absent);
    for (std::size_t i = 1; i < samples.configurations.size(); ++i)
      add("sample", samples.configurations[i]);
  }
  if (instance.definition.reference.kernel) {
    CompileReport& one = all.emplace_back();
    one.what = "reference";
    one.configuration = reference_configuration(instance, problem.configuration);
    if (!problem.trouble) // of which it may be one
      one.geometry = reference_geometry(instance, problem.configuration);
  }
  return all;
}

CompileRequest request_for(const KernelInstance& instance, const ProblemReport& problem,
                           const CompileReport& one) {
  return one.what == "reference" ? reference_compile_request(instance, problem.configuration)
                                 : compile_request(instance, one.configuration);
}

std::vector<ArgumentSpec> passed_to_reference(const KernelInstance& instance,
                                              const std::vector<ArgumentSpec>& tuned) {
  if (instance.definition.reference.arguments.empty())
    return tuned;
  std::vector<ArgumentSpec> passed;
  for (const ReferenceArgument& argument : reference_arguments(instance))
    passed.push_back(argument.scalar ? ArgumentSpec{.buffer = {}, .scalar = argument.scalar}
                                     : tuned[argument.position]);
  return passed;
}

/// What is wrong with what came of a compilation; nothing where nothing is.
std::optional<std::string> wrong_with(const KernelInstance& instance, const CodeObject& code,
                                      const std::vector<ArgumentSpec>& arguments) {
  if (code.cubin)
    return code.parameter_bytes ? argument_error(*code.parameter_bytes, arguments) : std::nullopt;
  const std::string error = code.error.value_or("no reason is known");
  return error + macro_hint(error, *instance.source, instance.parameters);
}

std::optional<std::string> launch_error(const Device& device, const Geometry& geometry,
                                        const CompileFacts& facts) {
  const std::int64_t threads = geometry.threads_per_block();
  // The compiler's facts have the launch bounds alone, which a device's would mix with registers.
  if (facts.max_threads_per_block > 0 && threads > facts.max_threads_per_block)
    return fmt::format("a block has {} threads, the kernel's launch bounds allow {}", threads,
                       facts.max_threads_per_block);
  if (auto refusal = launch_refusal(device, facts, threads, geometry.dynamic_shared_bytes))
    return refusal;
  const Occupancy predicted =
      occupancy(device, facts, static_cast<int>(threads), geometry.dynamic_shared_bytes);
  if (predicted.blocks_per_sm > 0)
    return std::nullopt;
  return fmt::format("not one block of {} threads fits on a multiprocessor, limited by {}", threads,
                     to_text(predicted.limiter));
}

/// Variables that the definition fills, by name, with the most bytes that a configuration has of them:
/// the vector has as many elements as the largest needs.
using Constants = std::map<std::string, std::uint64_t>;

void add_constants(const std::vector<ArgumentSpec>& arguments, const CodeObject& code,
                   Constants& found) {
  for (const auto& [buffer, scalar] : arguments)
    if (buffer && buffer->constant_memory && code.cubin)
      if (const auto bytes = variable_bytes(*code.cubin, buffer->name))
        found[buffer->name] = std::max(found[buffer->name], *bytes);
}

/// Those that no configuration has, and those that none has room for.
void check_constants(const std::vector<ArgumentSpec>& arguments, const Constants& found,
                     DefinitionReport& report) {
  for (const auto& [buffer, scalar] : arguments) {
    if (!buffer || !buffer->constant_memory)
      continue;
    const auto variable = found.find(buffer->name);
    if (variable == found.end())
      report.troubles.push_back(fmt::format(
          "argument '{}' has the MemType Constant, and no compiled kernel reads a __constant__ "
          "variable of this name",
          buffer->name));
    else if (variable->second < bytes_of(*buffer))
      report.troubles.push_back(
          fmt::format("argument '{}' has {} bytes, and the __constant__ variable of this name {}",
                      buffer->name, bytes_of(*buffer), variable->second));
  }
}

/// What came back for one of those that were asked for.
void judge(const KernelInstance& instance, const ProblemReport& problem, const CodeObject& code,
           CompileReport& one) {
  one.facts = code.facts;
  one.compiles = code.cubin != nullptr;
  one.error = wrong_with(instance, code,
                         one.what == "reference" ? passed_to_reference(instance, problem.arguments)
                                                 : problem.arguments);
  one.launch_key = launch_key(code, one.geometry);
  if (one.compiles)
    one.refusal = launch_error(instance.device, one.geometry, code.facts);
}

SampleCount count_of(std::span<const CompileReport> compiled) {
  SampleCount count;
  for (const CompileReport& one : compiled)
    if (one.what != "reference") {
      ++count.all;
      count.compile += one.compiles;
      count.launchable += one.launchable();
    }
  return count;
}

/// None of those that have it, and there are some.
bool never_compiles(const NamedValue& one, const std::vector<CompileReport>& compiled) {
  bool some = false;
  for (const CompileReport& report : compiled)
    if (report.what != "reference" && has(report.configuration, one)) {
      if (report.compiles)
        return false;
      some = true;
    }
  return some;
}

/// A text or a boolean chooses a branch: where none compiles, it may be a word that the source cannot have.
void tell_broken_choices(const KernelInstance& instance, DefinitionReport& report) {
  std::vector<NamedValue> broken;
  for (const auto& [name, values] : instance.parameters)
    for (const Value& value : values)
      if (const NamedValue one{name, value}; is_choice(one) && never_compiles(one, report.compiled))
        broken.push_back(one);
  if (!broken.empty() && report.samples().compile > 0)
    report.definition.remarks.push_back(
        {false, fmt::format("{}: no sample compiles that has {}", report.definition.file.string(),
                            grouped_text(broken))});
}

/// @throws HelperError, or InputError where the compiler does not compile for this device
void compile(const KernelInstance& instance, const Installation& installation,
             std::vector<CompileReport> all, const CompileWatch& watch, DefinitionReport& report) {
  const ProblemReport& problem = report.problems.front();
  // What is wrong in the source shall be seen, so nothing is taken from the cache.
  CompilerPool pool(compiler_settings({.cache = false, .installation = installation},
                                      instance.definition.readable,
                                      instance.device.compute_capability));
  Constants constants;
  bool told = false; // what the code is made of
  SampleCount count;
  const auto hear = [&](std::size_t number, const Code& code) {
    judge(instance, problem, *code, all[number]);
    told |= code->parameter_bytes.has_value();
    if (number == 0 && code->cubin) // of the default
      if (auto remark = unfilled_constants(instance, empty_constants(*code->cubin)))
        report.definition.remarks.push_back(std::move(*remark));
    add_constants(problem.arguments, *code, constants);
    const SampleCount one = count_of({&all[number], 1});
    count = {count.all + one.all, count.compile + one.compile, count.launchable + one.launchable};
    if (watch)
      watch(count, all.size());
  };
  compile_each(pool, all.size(),
               [&](std::size_t number) { return request_for(instance, problem, all[number]); },
               hear, {});
  if (told)
    check_constants(problem.arguments, constants, report);
  report.compiler = pool.named(instance.definition.compiler);
  report.compiled = std::move(all);
  tell_broken_choices(instance, report);
}

/// Why nothing can be compiled; "" where it can.
std::string obstacle(const DefinitionReport& report, const std::filesystem::path& program) {
  std::error_code error;
  if (!report.definition.runnable())
    return "not compiled: the language is " + report.definition.language + ", not CUDA";
  if (!std::filesystem::exists(report.definition.source, error))
    return "not compiled: there is no " + report.definition.source.string();
  if (!report.problems.front().geometry)
    return "not compiled: see what is wrong above";
  if (!std::filesystem::exists(program, error))
    return "not compiled: built without a CUDA toolkit";
  return "";
}

} // namespace

std::uint64_t bytes_of(const BufferSpec& buffer) {
  return buffer.elements * size_of(buffer.type);
}

bool CompileReport::wrong() const {
  const bool stands_for_all = what == "default" || what == "reference";
  return (compiles && error) || (stands_for_all && !launchable());
}

SampleCount DefinitionReport::samples() const {
  return count_of(compiled);
}

bool DefinitionReport::good() const {
  const SampleCount count = samples();
  return std::none_of(definition.remarks.begin(), definition.remarks.end(),
                      [](const Remark& remark) { return remark.warning; }) &&
         std::none_of(problems.begin(), problems.end(),
                      [](const ProblemReport& problem) { return problem.trouble.has_value(); }) &&
         std::none_of(compiled.begin(), compiled.end(),
                      [](const CompileReport& one) { return one.wrong(); }) &&
         (count.all == 0 || count.launchable > 0) && troubles.empty();
}

bool DefinitionReport::refused() const {
  return problems.front().refused;
}

std::string verdict_text(const DefinitionReport& report) {
  const SampleCount count = report.samples();
  const auto& configurations = report.problems.front().configurations;
  std::string text = configurations ? counted(*configurations, "configuration") + ", " : "";
  if (count.all == 0)
    return text + "nothing compiled";
  text += fmt::format("{} of {} {}", count.compile,
                      report.all ? std::to_string(count.all) : counted(count.all, "sample"),
                      count.all == 1 ? "compiles" : "compile");
  if (count.launchable < count.compile)
    text += fmt::format(", {} can be launched", count.launchable);
  return text;
}

namespace {

/// What a space can tell, where there is one, beside what is wrong.
void look_closer(const KernelInstance& instance, const SearchSpace& space,
                 DefinitionReport& report) {
  const auto add = [&](const std::vector<Remark>& found) {
    auto& remarks = report.definition.remarks;
    remarks.insert(remarks.end(), found.begin(), found.end());
  };
  add(space_remarks(instance, space, report.absent));
  add(work_remarks(instance));
  if (!report.definition.runnable())
    return add(
        {{false, fmt::format("{}: KernelSpecification.Language: '{}' is not CUDA, so nothing is "
                             "compiled, and nothing can be tuned but a recording",
                             report.definition.file.string(), report.definition.language)}});
  add(launch_remarks(instance, *report.problems.front().geometry));
  add(input_remarks(instance));
  report.elements = element_reports(instance, element_limit);
  add(element_remarks(report.definition, report.elements));
}

/// Of the whole space: what is seen of some of it may be chance.
void look_for_no_effect(const KernelInstance& instance, DefinitionReport& report) {
  std::vector<Launched> launched;
  for (const CompileReport& one : report.compiled)
    if (one.what != "reference")
      launched.push_back({one.configuration, one.launch_key});
  for (const NoEffect& one : without_effect(instance.parameters, launched))
    report.definition.remarks.push_back({false, to_text(one)});
}

} // namespace

DefinitionReport report_on(const KernelDefinition& definition, const Device& device,
                           const Installation& installation, const CompileWatch& watch) {
  DefinitionReport report;
  report.definition = definition;
  report.device = device;
  report.all = watch != nullptr;
  std::vector<ProblemSize> problems = definition.problem_sizes;
  if (problems.empty())
    problems.push_back(definition.default_problem());
  for (const ProblemSize& problem : problems)
    report.problems.push_back(examined(definition, problem, device));
  // At other sizes what is asked first takes its place, and in files for tools that do not read it.
  if (ProblemReport& main = report.problems.front(); !main.trouble && !definition.community)
    main.trouble = main.no_default;
  report.compiler = obstacle(report, installation.programs / "gridsmith-compiler");
  ProblemReport& first = report.problems.front();
  if (!first.geometry) // see its trouble
    return report;
  const KernelInstance instance = instantiate(definition, problems.front(), device);
  const SearchSpace space = build_space(instance);
  try {
    look_closer(instance, space, report);
  } catch (const Error& error) {
    if (!first.trouble)
      first.trouble = error.what();
  }
  if (!report.compiler.empty())
    return report;
  std::vector<CompileReport> all = wanted(instance, space, report);
  try {
    compile(instance, installation, std::move(all), watch, report);
  } catch (const Error& error) { // no compiler that works, or none for this device
    report.compiler = std::string("not compiled: ") + error.what();
  }
  if (report.all)
    look_for_no_effect(instance, report);
  return report;
}

} // namespace gridsmith
