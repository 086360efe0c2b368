#include "gridsmith/tuner/cli/definitions/definition_report.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/definition/compile_request.hpp"
#include "gridsmith/kernels/definition/first_guesses.hpp"
#include "gridsmith/kernels/definition/references.hpp"
#include "gridsmith/tuner/cli/definitions/launch_remarks.hpp"
#include "gridsmith/tuner/cli/definitions/macro_hint.hpp"
#include "gridsmith/tuner/cli/definitions/samples.hpp"
#include "gridsmith/tuner/processes/compiler_pool.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

namespace gridsmith {
namespace {

constexpr std::size_t most_samples = 4; // configurations compiled beside the default

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
  const FirstConfiguration first = first_configuration(instance, space);
  report.is_default = first.is_default;
  report.configuration = first.configuration;
  report.geometry = launch_geometry(instance, report.configuration);
  report.arguments = argument_specs(instance);
  if (!first.is_default && definition.defaults.size() == instance.parameters.size())
    throw InputError("the default configuration is not in the space: " +
                     space.why_not(definition.defaults).front());
  if (definition.reference.kernel)
    reference_geometry(instance, report.configuration);
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
                                          const std::vector<ArgumentSpec>& definition) {
  constexpr std::int64_t pointer_bytes = 8; // on every device
  if (kernel.size() != definition.size())
    return fmt::format("the kernel takes {} arguments, the definition gives {}", kernel.size(),
                       definition.size());
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    const auto& [buffer, scalar] = definition[i];
    const auto bytes = buffer ? pointer_bytes : static_cast<std::int64_t>(size_of(scalar->type));
    if (kernel[i] != bytes)
      return fmt::format("argument {} ({}) has {} bytes in the kernel and {} in the definition",
                         i + 1, buffer ? buffer->name : scalar->name, kernel[i], bytes);
  }
  return std::nullopt;
}

struct Wanted {
  CompileReport report;
  CompileRequest request;
};

std::vector<Wanted> wanted(const KernelInstance& instance, DefinitionReport& report) {
  const ProblemReport& problem = report.problems.front();
  SampledConfigurations samples =
      sample_values(instance, build_space(instance), problem.configuration, most_samples);
  report.uncompiled = std::move(samples.uncovered);
  std::vector<Wanted> all;
  for (const Configuration& configuration : samples.configurations) {
    const char* what = !all.empty() ? "sample" : problem.is_default ? "default" : "first";
    all.push_back({{what, configuration, false, {}, {}}, compile_request(instance, configuration)});
  }
  if (instance.definition.reference.kernel)
    all.push_back(
        {{"reference", reference_configuration(instance, problem.configuration), false, {}, {}},
         reference_compile_request(instance, problem.configuration)});
  return all;
}

CompilerSettings compiler_settings(const KernelInstance& instance,
                                   const std::filesystem::path& program) {
  CompilerSettings settings;
  settings.program = program;
  settings.readable = instance.definition.readable;
  settings.processes = std::max(1u, std::thread::hardware_concurrency());
  settings.compute_capability = instance.device.compute_capability;
  settings.no_cache = true; // what is wrong in the source shall be seen
  return settings;
}

void wait_for_some(CompilerPool& pool) {
  std::vector<pollfd> descriptors;
  pool.add_descriptors(descriptors);
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(pool.deadline() - CompilerPool::Clock::now());
  ::poll(descriptors.data(), descriptors.size(),
         static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1000)));
  pool.advance();
}

/// What is wrong with what came of a compilation; nothing where nothing is.
std::optional<std::string> wrong_with(const KernelInstance& instance, const CodeObject& code,
                                      const std::vector<ArgumentSpec>& arguments) {
  if (code.cubin)
    return code.parameter_bytes ? argument_error(*code.parameter_bytes, arguments) : std::nullopt;
  const std::string error = code.error.value_or("no reason is known");
  return error + macro_hint(error, *instance.source, instance.parameters);
}

/// Why the configuration that stands for all cannot be launched. Of others that is a result.
std::optional<std::string> launch_error(const KernelInstance& instance,
                                        const ProblemReport& problem, const CompileFacts& facts) {
  const std::int64_t threads = problem.geometry->threads_per_block();
  if (facts.max_threads_per_block > 0 && threads > facts.max_threads_per_block)
    return fmt::format("a block has {} threads, the kernel's launch bounds allow {}", threads,
                       facts.max_threads_per_block);
  const Occupancy predicted = occupancy(instance.device, facts, static_cast<int>(threads),
                                        problem.geometry->dynamic_shared_bytes);
  if (predicted.blocks_per_sm > 0)
    return std::nullopt;
  return fmt::format("not one block of {} threads fits on a multiprocessor, limited by {}", threads,
                     to_text(predicted.limiter));
}

/// A variable that the definition fills and no configuration has.
void check_constants(const std::set<std::string>& variables, DefinitionReport& report) {
  for (const Argument& argument : report.definition.arguments)
    if (argument.constant_memory && !variables.contains(argument.name))
      report.troubles.push_back(fmt::format(
          "argument '{}' has the MemType Constant, and no compiled kernel reads a __constant__ "
          "variable of this name",
          argument.name));
}

/// @throws HelperError, or InputError where the compiler does not compile for this device
void compile(const KernelInstance& instance, const std::filesystem::path& program,
             std::vector<Wanted> all, DefinitionReport& report) {
  CompilerPool pool(compiler_settings(instance, program));
  report.compiler = "NVRTC " + pool.toolkit();
  for (std::size_t i = 0; i < all.size(); ++i)
    pool.compile(i, all[i].request);
  std::set<std::string> variables;
  bool told = false; // what the code is made of
  for (std::size_t left = all.size(); left > 0;) {
    for (const auto& [id, code] : pool.take()) {
      CompileReport& compiled = all[id].report;
      compiled.facts = code->facts;
      compiled.compiles = code->cubin != nullptr;
      compiled.error = wrong_with(instance, *code, report.problems.front().arguments);
      if (id == 0 && !compiled.error)
        compiled.error = launch_error(instance, report.problems.front(), code->facts);
      told |= code->parameter_bytes.has_value();
      variables.insert(code->variables.begin(), code->variables.end());
      --left;
    }
    if (left > 0)
      wait_for_some(pool);
  }
  if (told)
    check_constants(variables, report);
  for (Wanted& one : all)
    report.compiled.push_back(std::move(one.report));
}

/// Why nothing can be compiled; "" where it can.
std::string obstacle(const DefinitionReport& report, const std::filesystem::path& program) {
  std::error_code error;
  if (!report.definition.runnable())
    return "not compiled: the language is " + report.definition.language + ", not CUDA";
  if (!std::filesystem::exists(report.definition.source, error))
    return "not compiled: there is no " + report.definition.source.string();
  if (report.problems.front().configuration.empty())
    return "not compiled: see what is wrong above";
  if (!std::filesystem::exists(program, error))
    return "not compiled: built without a CUDA toolkit";
  return "";
}

} // namespace

std::uint64_t bytes_of(const BufferSpec& buffer) {
  return buffer.elements * size_of(buffer.type);
}

bool DefinitionReport::good() const {
  return std::none_of(definition.remarks.begin(), definition.remarks.end(),
                      [](const Remark& remark) { return remark.warning; }) &&
         std::none_of(problems.begin(), problems.end(),
                      [](const ProblemReport& problem) { return problem.trouble.has_value(); }) &&
         std::none_of(compiled.begin(), compiled.end(),
                      [](const CompileReport& one) { return one.error.has_value(); }) &&
         troubles.empty();
}

bool DefinitionReport::refused() const {
  return problems.front().refused;
}

DefinitionReport report_on(const KernelDefinition& definition, const Device& device,
                           const Installation& installation) {
  DefinitionReport report{definition, device, {}, "", {}, {}, {}};
  std::vector<ProblemSize> problems = definition.problem_sizes;
  if (problems.empty())
    problems.push_back(definition.default_problem());
  for (const ProblemSize& problem : problems)
    report.problems.push_back(examined(definition, problem, device));
  if (const auto& geometry = report.problems.front().geometry; geometry && definition.runnable())
    for (Remark& remark :
         launch_remarks(instantiate(definition, problems.front(), device), *geometry))
      report.definition.remarks.push_back(std::move(remark));
  const auto program = installation.helpers / "gridsmith-compiler";
  report.compiler = obstacle(report, program);
  if (!report.compiler.empty())
    return report;
  const KernelInstance instance = instantiate(definition, problems.front(), device);
  std::vector<Wanted> all = wanted(instance, report);
  try {
    compile(instance, program, std::move(all), report);
  } catch (const Error& error) { // no compiler that works, or none for this device
    report.compiler = std::string("not compiled: ") + error.what();
  }
  return report;
}

} // namespace gridsmith
