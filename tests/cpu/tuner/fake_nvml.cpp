// SPDX-License-Identifier: Apache-2.0
// Stands in for the driver's management library: writes down what was asked of it. The lent
// devices' clocks are not ours to lock, so the calls are tested here.
#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace {

void note(const char* what) {
  if (const char* file = std::getenv("FAKE_NVML_LOG"))
    std::ofstream(file, std::ios::app) << what << "\n";
}

} // namespace

extern "C" {
int nvmlInit_v2() {
  return 0;
}

const char* nvmlErrorString(int) {
  return "Insufficient Permissions";
}

int nvmlDeviceGetHandleByUUID(const char*, void** device) {
  *device = nullptr;
  return 0;
}

int nvmlDeviceSetGpuLockedClocks(void*, unsigned low, unsigned high) {
  if (low != high || low == 1)
    return 4;
  note("locked");
  return 0;
}

int nvmlDeviceResetGpuLockedClocks(void*) {
  note("restored");
  return 0;
}

struct ProcessInfo {
  unsigned pid;
  unsigned long long used_bytes;
  unsigned gpu_instance, compute_instance;
};

/// 200 of them, more than fit at the first call, where FAKE_NVML_PROCESSES is set.
int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, ProcessInfo* infos) {
  const unsigned room = *count;
  *count = std::getenv("FAKE_NVML_PROCESSES") ? 200 : 0;
  for (unsigned i = 0; i < std::min(room, *count); ++i)
    infos[i] = {1000000 + i, i == 0 ? ~0ULL : (i << 20), ~0U, ~0U};
  return room < *count ? 7 : 0;
}

/// One that computes too, and one that does not.
int nvmlDeviceGetGraphicsRunningProcesses_v3(void*, unsigned* count, ProcessInfo* infos) {
  *count = std::getenv("FAKE_NVML_PROCESSES") ? 2 : 0;
  if (*count > 0) {
    infos[0] = {1000001, 1 << 20, ~0U, ~0U};
    infos[1] = {2000000, 0, ~0U, ~0U};
  }
  return 0;
}
}
