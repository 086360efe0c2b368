// SPDX-License-Identifier: Apache-2.0
// The worker's own device code, made of texts that the host compiles too, compiles without a GPU.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/processes/device_code_source.hpp"

#include <nvrtc.h>

#include <string>
#include <vector>

namespace device_code_test {

using namespace gridsmith;

namespace {

/// The cubin, or the compiler's log as a failure.
std::string cubin_of(const CompileRequest& request, const std::string& arch) {
  nvrtcProgram program = nullptr;
  nvrtcCreateProgram(&program, request.source->main.text.c_str(), request.source->main.name.c_str(),
                     0, nullptr, nullptr);
  std::vector<const char*> options{arch.c_str()};
  for (const std::string& option : request.options)
    options.push_back(option.c_str());
  const bool compiled = nvrtcCompileProgram(program, static_cast<int>(options.size()),
                                            options.data()) == NVRTC_SUCCESS;
  std::size_t size = 0;
  std::string log, cubin;
  nvrtcGetProgramLogSize(program, &size);
  log.resize(size);
  nvrtcGetProgramLog(program, log.data());
  INFO(log);
  CHECK(compiled);
  CHECK(log.size() <= 1); // no warnings either
  if (compiled) {
    nvrtcGetCUBINSize(program, &size);
    cubin.resize(size);
    nvrtcGetCUBIN(program, cubin.data());
  }
  nvrtcDestroyProgram(&program);
  return cubin;
}

} // namespace

TEST_CASE(
    "the code of the peaks compiles for the oldest and the newest chip and has every kernel") {
  const CompileRequest request = peak_code_request();
  CHECK(request.source->main.text.find("#include") == std::string::npos);
  for (const char* arch : {"-arch=sm_75", "-arch=sm_80", "-arch=sm_90", "-arch=sm_120"}) {
    INFO(arch);
    const std::string cubin = cubin_of(request, arch);
    for (const char* kernel : {"read", "write", "l1_read", "shared_read", "fp32_fma", "fp64_fma",
                               "fp16_fma", "tensor_fp16", "integer_mad", "special_function",
                               "instruction_issue", "link", "shared_latency", "l1_latency",
                               "l2_latency", "atomic", "shared_atomic", "barrier", "launch"}) {
      INFO(kernel);
      CHECK(cubin.find(std::string(".text.gridsmith_peak_") + kernel + '\0') != std::string::npos);
    }
  }
}

TEST_CASE("the device code compiles for the oldest and the newest chip and has every kernel") {
  const CompileRequest request = device_code_request();
  CHECK(request.source->main.text.find("#include") == std::string::npos);
  for (const char* arch : {"-arch=sm_75", "-arch=sm_90", "-arch=sm_120"}) {
    INFO(arch);
    const std::string cubin = cubin_of(request, arch);
    for (const char* kernel : {"fill", "formula", "poison", "compare", "written", "detail",
                               "guard_fill", "guard_check", "read", "stamp"}) {
      INFO(kernel);
      CHECK(cubin.find(std::string("gridsmith_") + kernel) != std::string::npos);
    }
  }
}

} // namespace device_code_test
