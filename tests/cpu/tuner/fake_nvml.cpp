// Stands in for the driver's management library: writes down what was asked of it. The lent
// devices' clocks are not ours to lock, so the calls are tested here.
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
}
