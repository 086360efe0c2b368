// SPDX-License-Identifier: Apache-2.0
// Sampled configurations of every catalogue kernel, and of the GPU tests' examples of inputs, compile with
// NVRTC, without a GPU.
#include "gridsmith/kernels/definition/compile_request.hpp"
#include "gridsmith/kernels/definition/first_guesses.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/tests/catch.hpp"

#include <cstdlib>
#include <iostream>
#include <set>

#ifdef GRIDSMITH_TEST_NVRTC
#include "gridsmith/tuner/compiler/nvrtc.hpp"
#endif

namespace compile_test {

using namespace gridsmith;

#ifndef GRIDSMITH_TEST_NVRTC

TEST_CASE("catalogue kernels compile", "[compile]") {
  std::cout << "skipped: no CUDA toolkit was found when this was built\n";
  std::exit(77); // CTest's word for skipped, as the build set it up
}

#else

namespace {

/// "" or the compiler's log.
std::string compile(const Nvrtc& nvrtc, const CompileRequest& request, int compute_capability) {
  const CodeObject code = nvrtc.compile({request, compute_capability});
  return code.cubin ? "" : *code.error + "\n" + code.log;
}

/// Sizes compile alike: one of them stands for all.
void check_problem(const Nvrtc& nvrtc, const KernelDefinition& definition,
                   const ProblemSize& problem, int compute_capability, std::size_t count) {
  const auto instance = instantiate(definition, problem, device_of_capability(compute_capability));
  const auto space = build_space(instance);
  Random random(static_cast<std::uint64_t>(compute_capability));
  for (const ConfigurationId id : space.sample(count, random)) {
    INFO(definition.name << " sm_" << compute_capability << " " << to_text(space.at(id)));
    CHECK(compile(nvrtc, compile_request(instance, space.at(id)), compute_capability) == "");
  }
}

void check_kernel(const Nvrtc& nvrtc, const KernelDefinition& definition, int compute_capability,
                  std::size_t count) {
  check_problem(nvrtc, definition, definition.problem_sizes.front(), compute_capability, count);
  if (!definition.reference.kernel)
    return;
  const auto instance = instantiate(definition, definition.problem_sizes.front(),
                                    device_of_capability(compute_capability));
  INFO(definition.name << ": reference");
  const auto first = first_configuration(instance, build_space(instance));
  CHECK(compile(nvrtc, reference_compile_request(instance, first), compute_capability) == "");
}

} // namespace

TEST_CASE("catalogue kernels compile", "[compile]") {
  const Nvrtc nvrtc;
  std::set<std::pair<std::filesystem::path, std::string>> seen;
  for (const auto& file : catalogue(GRIDSMITH_SOURCE_DIR "/kernels/catalogue")) {
    const auto definition = read_definition(file);
    if (!seen.emplace(definition.source, definition.kernel).second)
      continue; // the same kernel with other inputs
    check_kernel(nvrtc, definition, 90, 1);
    for (const int older_or_newer : {80, 120}) // each draws another configuration
      check_problem(nvrtc, definition, definition.problem_sizes.back(), older_or_newer, 1);
  }
}

TEST_CASE("kernels that somebody wrote from the pages alone compile", "[compile]") {
  const Nvrtc nvrtc;
  for (const char* name : {"reduce", "stencil", "layernorm/layernorm"})
    check_kernel(nvrtc,
                 read_definition(std::string(GRIDSMITH_SOURCE_DIR "/tests/data/own_kernels/") +
                                 name + ".json"),
                 90, 2);
}

TEST_CASE("kernels with inputs of every sort are read and compile", "[compile]") {
  const Nvrtc nvrtc;
  for (const char* name : {"gather", "spmv", "rows", "texels", "ghosts"})
    check_kernel(
        nvrtc,
        read_definition(std::string(GRIDSMITH_SOURCE_DIR "/tests/gpu/inputs/") + name + ".json"),
        90, 2);
}

#endif

} // namespace compile_test
