// Sampled configurations of every catalogue kernel compile with NVRTC, without a GPU.
#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/tests/catch.hpp"

#include <cstdlib>
#include <iostream>

#ifdef GRIDSMITH_TEST_NVRTC
#include <nvrtc.h>
#endif

using namespace gridsmith;

#ifndef GRIDSMITH_TEST_NVRTC

TEST_CASE("catalogue kernels compile", "[compile]") {
  std::cout << "skipped: no CUDA toolkit was found when this was built\n";
  std::exit(77); // CTest's word for skipped, as the build set it up
}

#else

namespace {

/// "" or the compiler's log.
std::string compile(const CompileRequest& request, int compute_capability) {
  nvrtcProgram program = nullptr;
  nvrtcCreateProgram(&program, request.source.c_str(), request.source_name.c_str(), 0, nullptr,
                     nullptr);
  nvrtcAddNameExpression(program, request.kernel.c_str());
  std::vector<std::string> options = request.options;
  options.push_back("-arch=sm_" + std::to_string(compute_capability));
  std::vector<const char*> pointers;
  for (const std::string& option : options)
    pointers.push_back(option.c_str());
  std::string log;
  const char* lowered = nullptr;
  if (nvrtcCompileProgram(program, static_cast<int>(pointers.size()), pointers.data()) !=
          NVRTC_SUCCESS ||
      nvrtcGetLoweredName(program, request.kernel.c_str(), &lowered) != NVRTC_SUCCESS) {
    std::size_t size = 0;
    nvrtcGetProgramLogSize(program, &size);
    log.resize(size);
    nvrtcGetProgramLog(program, log.data());
    log += "(failed)";
  }
  nvrtcDestroyProgram(&program);
  return log;
}

void check_kernel(const KernelDefinition& definition, int compute_capability, std::size_t count) {
  const Device device = device_of_capability(compute_capability);
  for (const ProblemSize& problem : definition.problem_sizes) {
    const auto instance = instantiate(definition, problem, device);
    const auto space = build_space(instance);
    Random random(static_cast<std::uint64_t>(compute_capability));
    for (const ConfigurationId id : space.sample(count, random)) {
      INFO(definition.name << " sm_" << compute_capability << " " << to_text(space.at(id)));
      CHECK(compile(compile_request(instance, space.at(id)), compute_capability) == "");
    }
  }
  const auto instance = instantiate(definition, definition.problem_sizes.front(), device);
  INFO(definition.name << ": reference");
  CHECK(compile(reference_compile_request(instance), compute_capability) == "");
}

} // namespace

TEST_CASE("catalogue kernels compile", "[compile]") {
  for (const auto& file : catalogue(GRIDSMITH_SOURCE_DIR "/kernels/catalogue")) {
    const auto definition = read_definition(file);
    check_kernel(definition, 75, 1);
    check_kernel(definition, 90, 4);
    check_kernel(definition, 120, 1);
  }
}

#endif
