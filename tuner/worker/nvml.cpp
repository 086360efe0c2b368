// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/worker/nvml.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace gridsmith {
namespace {

constexpr int success = 0, insufficient_size = 7; // nvmlReturn_t
constexpr std::uint64_t unknown_bytes = ~std::uint64_t{0};

/// nvmlProcessInfo_t of the calls that end with _v3.
struct ProcessInfo {
  unsigned pid;
  unsigned long long used_bytes;
  unsigned gpu_instance, compute_instance;
};

} // namespace

void Nvml::Close::operator()(void* library) const {
  ::dlclose(library);
}

template <typename Function>
Function* Nvml::call(const char* name) const {
  void* address = ::dlsym(library_.get(), name);
  if (!address)
    throw std::runtime_error(fmt::format("the driver's management library lacks {}", name));
  return reinterpret_cast<Function*>(address);
}

void Nvml::check(int result, const std::string& what) const {
  if (result == success)
    return;
  const char* text = call<const char*(int)>("nvmlErrorString")(result);
  throw std::runtime_error(fmt::format("{}: {}", what, text ? text : "failed"));
}

Nvml::Nvml() : library_(::dlopen("libnvidia-ml.so.1", RTLD_NOW)) {
  if (!library_)
    throw std::runtime_error("the driver's management library (libnvidia-ml.so.1) is not there");
  check(call<int()>("nvmlInit_v2")(), "nvmlInit");
}

Nvml::Device Nvml::device(const std::string& uuid) const {
  Device found = nullptr;
  check(call<int(const char*, Device*)>("nvmlDeviceGetHandleByUUID")(uuid.c_str(), &found),
        "finding the device");
  return found;
}

void Nvml::lock_clocks(Device device, unsigned mhz) const {
  check(call<int(Device, unsigned, unsigned)>("nvmlDeviceSetGpuLockedClocks")(device, mhz, mhz),
        "locking the SM clock, which needs root");
}

void Nvml::restore_clocks(Device device) const {
  check(call<int(Device)>("nvmlDeviceResetGpuLockedClocks")(device), "restoring the SM clock");
}

std::vector<Nvml::Process> Nvml::listed(const char* call_name, Device device) const {
  const auto list = call<int(Device, unsigned*, ProcessInfo*)>(call_name);
  std::vector<ProcessInfo> infos(64);
  int result = success;
  unsigned count = 0;
  do { // more of them each time while they come
    infos.resize(infos.size() * 2);
    count = static_cast<unsigned>(infos.size());
    result = list(device, &count, infos.data());
  } while (result == insufficient_size && infos.size() < 65536);
  check(result, "listing the processes of the device");
  std::vector<Process> processes;
  for (unsigned i = 0; i < std::min<std::size_t>(count, infos.size()); ++i)
    processes.push_back(
        {infos[i].pid, infos[i].used_bytes == unknown_bytes ? 0 : infos[i].used_bytes});
  return processes;
}

double Nvml::energy_mj(Device device) const {
  unsigned long long energy = 0;
  check(call<int(Device, unsigned long long*)>("nvmlDeviceGetTotalEnergyConsumption")(device,
                                                                                      &energy),
        "reading the board's energy");
  return static_cast<double>(energy);
}

double Nvml::temperature(Device device) const {
  constexpr int of_gpu = 0; // NVML_TEMPERATURE_GPU
  unsigned degrees = 0;
  check(call<int(Device, int, unsigned*)>("nvmlDeviceGetTemperature")(device, of_gpu, &degrees),
        "reading the temperature");
  return degrees;
}

unsigned Nvml::busy_percent(Device device) const {
  struct {
    unsigned gpu, memory;
  } rates{};

  check(call<int(Device, void*)>("nvmlDeviceGetUtilizationRates")(device, &rates),
        "reading how busy the device is");
  return rates.gpu;
}

std::vector<Nvml::Process> Nvml::processes(Device device) const {
  std::vector<Process> all = listed("nvmlDeviceGetComputeRunningProcesses_v3", device);
  for (const Process& one : listed("nvmlDeviceGetGraphicsRunningProcesses_v3", device))
    if (std::none_of(all.begin(), all.end(),
                     [&](const Process& other) { return other.pid == one.pid; }))
      all.push_back(one);
  return all;
}

} // namespace gridsmith
