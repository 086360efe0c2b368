#include "gridsmith/tuner/worker/hold_clocks.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>
#include <stdexcept>

namespace gridsmith {
namespace {

/// The few calls of NVML that are needed, by the names and types of its manual; 0 is success.
class Nvml {
public:
  using Device = void*;

  Nvml() : library_(::dlopen("libnvidia-ml.so.1", RTLD_NOW)) {
    if (!library_)
      throw std::runtime_error("the driver's management library (libnvidia-ml.so.1) is not there");
    check(call<int()>("nvmlInit_v2")(), "nvmlInit");
  }

  Device device(const std::string& uuid) const {
    Device found = nullptr;
    check(call<int(const char*, Device*)>("nvmlDeviceGetHandleByUUID")(uuid.c_str(), &found),
          "finding the device");
    return found;
  }

  void lock(Device device, unsigned mhz) const {
    check(call<int(Device, unsigned, unsigned)>("nvmlDeviceSetGpuLockedClocks")(device, mhz, mhz),
          "locking the SM clock");
  }

  void restore(Device device) const {
    check(call<int(Device)>("nvmlDeviceResetGpuLockedClocks")(device), "restoring the SM clock");
  }

private:
  struct Close {
    void operator()(void* library) const { ::dlclose(library); }
  };

  template <typename Function>
  Function* call(const char* name) const {
    void* address = ::dlsym(library_.get(), name);
    if (!address)
      throw std::runtime_error(fmt::format("the driver's management library lacks {}", name));
    return reinterpret_cast<Function*>(address);
  }

  void check(int result, const char* what) const {
    if (result == 0)
      return;
    const char* text = call<const char*(int)>("nvmlErrorString")(result);
    throw std::runtime_error(fmt::format("{}: {} (it needs root)", what, text ? text : "failed"));
  }

  std::unique_ptr<void, Close> library_;
};

void say(const std::string& line) {
  std::fputs((line + "\n").c_str(), stdout);
  std::fflush(stdout);
}

/// Until nobody holds the other end any more.
void wait_for_end() {
  char byte = 0;
  ssize_t got = 0;
  do
    got = ::read(STDIN_FILENO, &byte, 1);
  while (got > 0 || (got < 0 && errno == EINTR));
}

} // namespace

int hold_clocks(const std::string& uuid, unsigned sm_clock_mhz) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE})
    std::signal(signal, SIG_IGN);
  try {
    const Nvml nvml;
    const Nvml::Device device = nvml.device(uuid);
    nvml.lock(device, sm_clock_mhz);
    say("locked");
    wait_for_end();
    nvml.restore(device);
    return 0;
  } catch (const std::exception& error) {
    say(error.what());
    return 1;
  }
}

} // namespace gridsmith
