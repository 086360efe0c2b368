#include "gridsmith/tuner/cli/definitions/definition_report.hpp"

#include "gridsmith/kernels/definition/compile_request.hpp"
#include "gridsmith/kernels/definition/first_guesses.hpp"
#include "gridsmith/tuner/processes/compiler_pool.hpp"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace gridsmith {
namespace {

constexpr std::size_t samples = 4; // configurations compiled beside the default
constexpr std::uint64_t sample_seed = 1;

ProblemReport examine(const KernelInstance& instance, const SearchSpace& space) {
  ProblemReport report;
  report.problem = to_text(instance.problem);
  report.configurations = space.size();
  report.product = space.product();
  report.flops = instance.model_flops;
  report.bytes = instance.model_bytes;
  refuse_empty(space);
  const auto defaults = space.find(instance.definition.defaults);
  report.is_default = defaults.has_value();
  report.configuration = space.at(defaults ? *defaults : first_guesses(instance, space, 1).front());
  report.geometry = launch_geometry(instance, report.configuration);
  report.arguments = argument_specs(instance);
  if (!defaults && instance.definition.defaults.size() == instance.parameters.size())
    report.trouble = "the default configuration is not in the space: " +
                     space.why_not(instance.definition.defaults).front();
  return report;
}

ProblemReport examine(const KernelDefinition& definition, const ProblemSize& problem,
                      const Device& device) {
  ProblemReport report;
  report.problem = to_text(problem);
  try {
    const KernelInstance instance = instantiate(definition, problem, device);
    const SearchSpace space = build_space(instance);
    report.configurations = space.size();
    report.product = space.product();
    return examine(instance, space);
  } catch (const InputError& error) {
    report.trouble = error.what();
  }
  return report;
}

struct Wanted {
  CompileReport report;
  CompileRequest request;
};

/// Each configuration once.
std::vector<Wanted> wanted(const KernelInstance& instance, const ProblemReport& problem) {
  std::vector<Wanted> all;
  const auto add = [&](const std::string& what, const Configuration& configuration) {
    for (const Wanted& other : all)
      if (other.report.configuration == configuration)
        return;
    all.push_back({{what, configuration, {}, {}}, compile_request(instance, configuration)});
  };
  add(problem.is_default ? "default" : "first", problem.configuration);
  const SearchSpace space = build_space(instance);
  Random random(sample_seed);
  for (const ConfigurationId id : space.sample(samples, random))
    add("sample", space.at(id));
  if (instance.definition.reference.kernel)
    all.push_back({{"reference", reference_configuration(instance), {}, {}},
                   reference_compile_request(instance)});
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

void compile(const KernelInstance& instance, const std::filesystem::path& program,
             DefinitionReport& report) {
  std::vector<Wanted> all = wanted(instance, report.problems.front());
  CompilerPool pool(compiler_settings(instance, program));
  report.compiler = "NVRTC " + pool.toolkit();
  for (std::size_t i = 0; i < all.size(); ++i)
    pool.compile(i, all[i].request);
  for (std::size_t left = all.size(); left > 0;) {
    for (const Compiled& one : pool.take()) {
      CompileReport& compiled = all[one.id].report;
      compiled.facts = one.code->facts;
      if (!one.code->cubin)
        compiled.error = one.code->error.value_or("it does not compile");
      --left;
    }
    if (left > 0)
      wait_for_some(pool);
  }
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
    return "not compiled: there is no configuration";
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
                      [](const CompileReport& one) { return one.error.has_value(); });
}

DefinitionReport report_on(const KernelDefinition& definition, const Device& device,
                           const Installation& installation) {
  DefinitionReport report{definition, device, {}, "", {}};
  std::vector<ProblemSize> problems = definition.problem_sizes;
  if (problems.empty())
    problems.push_back(definition.default_problem());
  for (const ProblemSize& problem : problems)
    report.problems.push_back(examine(definition, problem, device));
  const auto program = installation.helpers / "gridsmith-compiler";
  report.compiler = obstacle(report, program);
  if (!report.compiler.empty())
    return report;
  try {
    compile(instantiate(definition, problems.front(), device), program, report);
  } catch (const HelperError& error) {
    report.compiler = std::string("not compiled: ") + error.what();
  }
  return report;
}

} // namespace gridsmith
