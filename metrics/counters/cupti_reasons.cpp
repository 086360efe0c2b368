// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/counters/cupti_reasons.hpp"

#include <algorithm>
#include <array>

namespace gridsmith {
namespace {

struct Reason {
  int code;
  std::string_view text;
};

constexpr std::array<Reason, 18> reasons = {{
    {8, "not enough memory for profiling buffers"},
    {15, "the driver is absent or too old for this CUPTI; update it"},
    {17, "this chip has no counter of that name"},
    {23, "profiling is disabled, most likely by another profiler; run without it"},
    {26, "another process holds the counters (if it is DCGM, 'dcgmi profile --pause' frees them); "
         "try again"},
    {27, "not supported on this system or device"},
    {33, "not supported on this virtual GPU"},
    {35, "counters are not permitted for this user (ERR_NVGPUCTRPERM): run as root or with "
         "CAP_SYS_ADMIN, or load the driver with NVreg_RestrictProfilingToAdminUsers=0"},
    {36, "something in this process uses CUPTI's older profiler interface"},
    {39, "another profiler or debugger (Nsight, cuda-gdb, compute-sanitizer) watches this process; "
         "run without it to count"},
    {40, "profiling is switched off for this virtual GPU; the host's administrator can enable it"},
    {41, "counters cannot be read in confidential computing mode"},
    {42, "mining processors (CMP) have no counters to read"},
    {43, "this MIG instance shares its counters; use one whose compute instance fills its GPU "
         "instance"},
    {44, "counters cannot be read with SLI on; switch it off"},
    {45, "counters are switched off under WSL; allow them in the NVIDIA Control Panel of Windows"},
    {46, "this CUPTI does not know the chip; use a newer CUDA toolkit"},
    {999, "CUPTI gives no reason (is the driver present and new enough?)"},
}};

} // namespace

std::string_view cupti_reason(int code) {
  const auto* at = std::find_if(reasons.begin(), reasons.end(),
                                [&](const Reason& reason) { return reason.code == code; });
  return at == reasons.end() ? std::string_view() : at->text;
}

} // namespace gridsmith
