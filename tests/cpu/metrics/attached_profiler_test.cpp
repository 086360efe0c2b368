// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/counters/attached_profiler.hpp"
#include "gridsmith/metrics/counters/cupti_reasons.hpp"
#include "gridsmith/tests/catch.hpp"

namespace attached_profiler_test {

using namespace gridsmith;

TEST_CASE("A profiler that watches is recognised by what it leaves in the environment") {
  const auto names = [](const std::string& entry, const std::string& tool) {
    const auto line = attached_profiler_in({"HOME=/root", entry});
    CAPTURE(entry, line);
    return line.find(tool) != std::string::npos && line.find('\n') == std::string::npos;
  };
  CHECK(names("NSYS_PROFILING_SESSION_ID=1234", "Nsight Systems"));
  CHECK(names("NSYSDK_INJECTION64_PATH=/x.so", "Nsight Systems"));
  CHECK(names("NV_NSIGHT_INJECTION_TRANSPORT_TYPE=1", "Nsight Compute"));
  CHECK(names("NV_TPS_LAUNCH_TOKEN=1", "Nsight Compute"));
  CHECK(names("NVPROF_ID=1", "nvprof"));
  CHECK(names("CUDA_INJECTION64_PATH=/x.so", "CUDA_INJECTION64_PATH"));
  CHECK(names("LD_PRELOAD=/opt/nvidia/nsight-compute/libToolsInjection.so", "LD_PRELOAD"));
}

TEST_CASE("What is no profiler is not taken for one") {
  CHECK(attached_profiler_in({}) == "");
  CHECK(attached_profiler_in({"LD_PRELOAD=/usr/lib/libjemalloc.so"}) == "");
  CHECK(attached_profiler_in({"NSYS_HOME=/opt/nsys", "NVPROF_ID=", "MY_NVPROF_ID=1", "broken"}) ==
        "");
}

TEST_CASE("Errors of CUPTI that a user meets have a line with the remedy") {
  CHECK(cupti_reason(35).find("NVreg_RestrictProfilingToAdminUsers=0") != std::string_view::npos);
  CHECK(cupti_reason(39).find("another profiler") != std::string_view::npos);
  CHECK(cupti_reason(26).find("DCGM") != std::string_view::npos);
  CHECK(cupti_reason(43).find("MIG") != std::string_view::npos);
  CHECK(cupti_reason(1).empty());
}

} // namespace attached_profiler_test
