// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/inspection/inspection.hpp"

#include "gridsmith/kernels/definition/compile_request.hpp"
#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/tuner/processes/compile_all.hpp"

#include <algorithm>

namespace gridsmith {
namespace {

CompilerSettings compiler_settings(const KernelInstance& instance, HelperSettings helpers,
                                   std::size_t compilers) {
  helpers.compilers = static_cast<int>(compilers);
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
  std::vector<CompileRequest> requests{request};
  if (settings.fast_math) {
    request.options.push_back("-use_fast_math");
    requests.push_back(std::move(request));
  }
  CompilerPool pool(compiler_settings(instance, settings.helpers, requests.size()));
  const auto codes = compile_all(pool, requests, settings.stop);
  if (std::find(codes.begin(), codes.end(), nullptr) != codes.end())
    throw InspectionStopped("stopped before it was compiled");
  found.code = codes.front();
  found.compiler = pool.named(requests.front().compiler);
  found.machine_code = facts_of(*found.code, *requests.front().source);
  if (settings.fast_math)
    found.fast_math = facts_of(*codes.back(), *requests.back().source);
  if (found.code->cubin && instance.device.max_threads_per_sm > 0)
    found.predicted = occupancy(
        instance.device, found.code->facts, static_cast<int>(found.geometry.threads_per_block()),
        found.geometry.dynamic_shared_bytes, found.geometry.shared_carveout_percent.value_or(100));
  return found;
}

} // namespace gridsmith
