// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/inspection/inspection.hpp"

#include "gridsmith/kernels/definition/compile_request.hpp"
#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/tuner/processes/compile_all.hpp"

#include <algorithm>

namespace gridsmith {
namespace {

CompilerSettings compiler_settings(const KernelInstance& instance, HelperSettings helpers) {
  helpers.compilers = 1;
  helpers.cache = false;
  CompilerSettings settings =
      compiler_settings(helpers, instance.definition.readable, instance.device.compute_capability);
  settings.ptx = true;
  return settings;
}

std::vector<std::string> names_of(const SourceBundle& source) {
  std::vector<std::string> names{source.main.name};
  for (const SourceFile& header : source.headers)
    names.push_back(header.name);
  return names;
}

/// It changes no code. With -G the compiler notes lines anyway.
void ask_for_lines(std::vector<std::string>& options) {
  if (std::find(options.begin(), options.end(), "-G") == options.end())
    options.push_back("-lineinfo");
}

/// What a newer toolkit wrote in another way is no error: the rest is shown.
std::optional<CodeFacts> facts_of(const CodeObject& code, const SourceBundle& source) {
  if (!code.cubin)
    return std::nullopt;
  try {
    CodeFacts facts = code_facts(*code.cubin, code.kernel);
    facts.lines = lines_of_files(std::move(facts.lines), names_of(source));
    return facts;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

} // namespace

Inspection inspect(const KernelInstance& instance, const Configuration& configuration,
                   const InspectionSettings& settings) {
  Inspection found;
  found.geometry = launch_geometry(instance, configuration);
  CompileRequest request = compile_request(instance, configuration);
  if (settings.lines)
    ask_for_lines(request.options);
  CompilerPool pool(compiler_settings(instance, settings.helpers));
  found.code = compile_all(pool, {&request, 1}, settings.stop).front();
  if (!found.code)
    throw InspectionStopped("stopped before it was compiled");
  found.compiler = pool.named(request.compiler);
  found.machine_code = facts_of(*found.code, *request.source);
  if (found.code->cubin && instance.device.max_threads_per_sm > 0)
    found.predicted = occupancy(
        instance.device, found.code->facts, static_cast<int>(found.geometry.threads_per_block()),
        found.geometry.dynamic_shared_bytes, found.geometry.shared_carveout_percent.value_or(100));
  return found;
}

} // namespace gridsmith
