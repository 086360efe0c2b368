// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/counters/counter_remedy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace gridsmith {
namespace {

constexpr int success = 0, hypervisor_forbids = 40, unknown_chip = 46; // cupti_result.h

constexpr std::array<std::pair<int, CounterState>, 18> states = {{
    {success, CounterState::readable},
    {14, CounterState::old_cupti}, // ours, of counter_session.cpp: NOT_COMPATIBLE
    {15, CounterState::no_driver},
    {23, CounterState::profiler_attached},
    {26, CounterState::held},
    {27, CounterState::unsupported},
    {33, CounterState::vgpu},
    {35, CounterState::not_permitted},
    {36, CounterState::profiler_attached},
    {39, CounterState::profiler_attached},
    {hypervisor_forbids, CounterState::vgpu},
    {41, CounterState::confidential},
    {42, CounterState::mining},
    {43, CounterState::mig},
    {44, CounterState::sli},
    {45, CounterState::wsl},
    {unknown_chip, CounterState::old_cupti},
    {999, CounterState::unknown},
}};

CounterState state_of(const CounterProbe& probe) {
  if (!probe.starts)
    return CounterState::no_cupti;
  const auto* at = std::find_if(states.begin(), states.end(),
                                [&](const auto& one) { return one.first == probe.code; });
  return at == states.end() ? CounterState::unknown : at->second;
}

using Remedies = std::vector<Remedy>;

struct Explained {
  std::string diagnosis;
  Remedies remedies;
};

/// The driver asks for the capability in the system's first user namespace.
bool administrator(const Surroundings& here) {
  return here.sys_admin && !here.user_namespace;
}

/// The driver's policy, after `question` where it is not known.
std::string policy(const Surroundings& here, const char* question) {
  if (here.admin_only)
    return "the driver permits administrators alone (RmProfilingAdminOnly is 1)";
  return fmt::format("{} cannot be seen here (no RmProfilingAdminOnly in "
                     "/proc/driver/nvidia/params)",
                     question);
}

Explained readable(const CounterProbe& /*probe*/, const Surroundings& here) {
  if (here.admin_only == false)
    return {"readable for every user (RmProfilingAdminOnly is 0)", {}};
  std::string why = "readable for this process";
  if (administrator(here))
    why += here.root ? ", which is root's" : ", which has CAP_SYS_ADMIN";
  else if (here.perfmon && !here.user_namespace)
    why += ", which has CAP_PERFMON";
  return {fmt::format("{}; {}", why, policy(here, "for whom else")), {}};
}

std::string why_not_permitted(const Surroundings& here) {
  const std::string begin = "not permitted to this process (ERR_NVGPUCTRPERM): ";
  if (here.wsl)
    return begin + "under WSL the driver of Windows decides";
  if (here.admin_only == false)
    return begin + "the reason is not visible here: the driver's option restricts no user "
                   "(RmProfilingAdminOnly is 0)";
  if (administrator(here))
    return begin + "the reason is not visible here: the process has CAP_SYS_ADMIN";
  const char* lack = here.sys_admin ? "CAP_SYS_ADMIN of a user namespace is none to it"
                     : here.root    ? "this root is without CAP_SYS_ADMIN"
                                    : "this process is without CAP_SYS_ADMIN";
  return fmt::format("{}{}, and {}", begin, policy(here, "whether to administrators alone"), lack);
}

/// The driver's option, where its kernel module is loaded.
Remedies driver_option(const std::string& who) {
  return {
      {who + ", for every user from the next start on:",
       {"echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' | sudo tee "
        "/etc/modprobe.d/nvidia-profiling.conf",
        "sudo update-initramfs -u  # Debian, Ubuntu; Fedora, RHEL: sudo dracut --force",
        "sudo reboot", "grep RmProfilingAdminOnly /proc/driver/nvidia/params  # must say 0 then"}},
      {"instead of the reboot, while nothing uses a GPU there:",
       {"sudo modprobe -r nvidia_uvm nvidia_drm nvidia_modeset nvidia && sudo modprobe "
        "nvidia_uvm"}}};
}

Remedy pod_with_capability(const Surroundings& here) {
  Remedy remedy{"in the pod's specification, below its container:",
                {"securityContext:", "  capabilities:", "    add: [\"SYS_ADMIN\"]"}};
  if (!here.root) // capabilities that are added are effective for root alone
    remedy.lines.emplace_back("  runAsUser: 0");
  return remedy;
}

/// A container that has the capability in the driver's eyes.
Remedy container_with_capability(const Surroundings& here) {
  const std::string user = here.root ? "" : "--user=0 "; // as above
  switch (here.container) {
  case Container::kubernetes:
    return pod_with_capability(here);
  case Container::docker:
    return {here.user_namespace ? "start it with a Docker that runs as root and maps no users:"
                                : "start the container with the capability:",
            {fmt::format("docker run {}{}--cap-add=SYS_ADMIN --gpus all …",
                         here.user_namespace ? "--userns=host " : "", user)}};
  case Container::podman:
    return {here.user_namespace
                ? "start the container as root, as capabilities of a rootless one do not count:"
                : "start the container with the capability:",
            {fmt::format("{}podman run {}--cap-add=SYS_ADMIN --device nvidia.com/gpu=all …",
                         here.user_namespace ? "sudo " : "", user)}};
  default:
    return {"start the container as root's, with CAP_SYS_ADMIN and without a user namespace", {}};
  }
}

Remedy windows_control_panel() {
  return {"in Windows, by an administrator, in the NVIDIA Control Panel: Desktop, Enable Developer "
          "Settings; then Developer, Manage GPU Performance Counters, Allow access to the GPU "
          "performance counters to all users",
          {}};
}

std::string administrator_of(const Surroundings& here) {
  if (here.slurm)
    return "ask the cluster's administrator for this on the nodes";
  if (here.container == Container::kubernetes)
    return "on the node, by its administrator";
  return here.container == Container::none ? "on this machine" : "on the container's host";
}

Explained not_permitted(const CounterProbe& /*probe*/, const Surroundings& here) {
  Remedies remedies;
  const bool could_be_one = !administrator(here);
  if (here.wsl)
    remedies.push_back(windows_control_panel());
  else if (could_be_one && here.container != Container::none &&
           !(here.slurm && here.container == Container::other)) // a job starts none as root's
    remedies.push_back(container_with_capability(here));
  else if (could_be_one && here.container == Container::none && !here.slurm)
    remedies.push_back({"as root:", {"sudo gridsmith doctor"}});
  if (!here.wsl && here.admin_only != false)
    for (Remedy& one : driver_option((remedies.empty() ? "" : "or ") + administrator_of(here)))
      remedies.push_back(std::move(one));
  return {why_not_permitted(here), std::move(remedies)};
}

Explained profiler_attached(const CounterProbe& /*probe*/, const Surroundings& here) {
  if (!here.profiler)
    return {"not readable under another profiler or debugger, and CUPTI says that there is one; "
            "which cannot be seen here",
            {{"run without it: ncu, nsys, cuda-gdb and compute-sanitizer are such", {}}}};
  return {"not readable under another profiler: " + to_text(*here.profiler),
          {{"run without it; where the variable is but a leftover:",
            {fmt::format("env -u {} gridsmith doctor", here.profiler->variable)}}}};
}

Explained held(const CounterProbe& /*probe*/, const Surroundings& here) {
  const std::string where = here.container == Container::none ? "" : " (outside this container)";
  return {"another process holds the counters of this GPU; which cannot be seen here",
          {{"if it is DCGM" + where + ", let it rest while you tune:",
            {"dcgmi profile --pause", "dcgmi profile --resume  # afterwards"}},
           {"if it is a profiler or another tuning, wait for its end", {}}}};
}

Explained mig_instance(const CounterProbe& /*probe*/, const Surroundings& /*here*/) {
  return {"not readable on this MIG instance: counters need a compute instance as large as its GPU "
          "instance",
          {{"which instances there are, and which profiles of GPU instances:",
            {"nvidia-smi mig -lgi", "nvidia-smi mig -lci", "nvidia-smi mig -lgip"}},
           {"a GPU instance with one compute instance that fills it, by an administrator, with the "
            "GPU and the profile's number:",
            {"sudo nvidia-smi mig -i GPU -cgi PROFILE -C"}}}};
}

Explained virtual_gpu(const CounterProbe& probe, const Surroundings& /*here*/) {
  if (probe.code != hypervisor_forbids)
    return {"not supported on this virtual GPU", {{"use a GPU that is passed through", {}}}};
  return {"the hypervisor does not allow profiling of this virtual GPU",
          {{"the host's administrator sets the vGPU's enable_profiling to 1 while the machine is "
            "off; with VMware in its configuration, with KVM and mdev by its UUID:",
            {"pciPassthru0.cfg.enable_profiling = 1",
             "echo enable_profiling=1 > /sys/bus/mdev/devices/UUID/nvidia/vgpu_params"}}}};
}

Explained confidential(const CounterProbe& /*probe*/, const Surroundings& /*here*/) {
  return {"not readable in confidential computing mode",
          {{"tune on a GPU without that mode; whether it is on says:",
            {"nvidia-smi conf-compute -f"}}}};
}

Explained under_wsl(const CounterProbe& /*probe*/, const Surroundings& /*here*/) {
  return {"not readable under WSL: this system does not support it, or Windows does not allow it",
          {windows_control_panel()}};
}

Explained sli(const CounterProbe& /*probe*/, const Surroundings& /*here*/) {
  return {"not readable with SLI on",
          {{"switch it off, and start X again:", {"sudo nvidia-xconfig --sli=off"}}}};
}

Explained mining(const CounterProbe& /*probe*/, const Surroundings& /*here*/) {
  return {"mining processors (CMP) have no counters to read", {}};
}

Explained unsupported(const CounterProbe& /*probe*/, const Surroundings& here) {
  if (here.mig)
    return {"not supported on this device, a MIG instance", mig_instance({}, {}).remedies};
  return {"CUPTI does not support counters on this system or device, and says no more", {}};
}

/// Where CUPTI is looked for.
Remedy library_path(const Surroundings& here, const std::string& shown) {
  return {"see which library is found, and put the toolkit's first (here of a toolkit in "
          "/usr/local/cuda):",
          {fmt::format("ldd {} | grep {}", here.worker, shown),
           "export LD_LIBRARY_PATH=/usr/local/cuda/extras/CUPTI/"
           "lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"}};
}

Explained old_cupti(const CounterProbe& probe, const Surroundings& here) {
  return {probe.code == unknown_chip
              ? "CUPTI does not know this chip; a newer CUDA toolkit may"
              : "the CUPTI that is found is older than the one Gridsmith was built with",
          {library_path(here, "cupti")}};
}

Explained no_cupti(const CounterProbe& /*probe*/, const Surroundings& here) {
  return {"the worker does not start, as a library is missing or does not fit, most likely CUPTI: "
          "the loader's line on standard error names it",
          {library_path(here, "'not found'")}};
}

std::string not_known(const CounterProbe& probe) {
  return "not known" + (probe.message.empty() ? "" : ": " + probe.message);
}

/// A container without a GPU is the common case of no driver.
Remedy given_a_gpu(const Surroundings& here) {
  switch (here.container) {
  case Container::docker:
    return {"where the host has GPUs, start the container with them:", {"docker run --gpus all …"}};
  case Container::podman:
    return {"where the host has GPUs, start the container with them:",
            {"podman run --device nvidia.com/gpu=all …"}};
  case Container::kubernetes:
    return {"in the pod's specification, below its container:",
            {"resources:", "  limits:", "    nvidia.com/gpu: 1"}};
  default:
    return {here.slurm ? "ask for a GPU in the job; whether it has one says:"
                       : "install or update the driver; whether it runs says:",
            {"nvidia-smi"}};
  }
}

Explained no_driver(const CounterProbe& probe, const Surroundings& here) {
  const Remedy newer{"install a newer driver, with a container on its host; which one runs says:",
                     {"nvidia-smi"}};
  return {"no counters without a driver that fits: " + probe.message,
          {here.gpu ? newer : given_a_gpu(here)}};
}

Explained unknown(const CounterProbe& probe, const Surroundings& /*here*/) {
  return {not_known(probe), {}};
}

using Explain = Explained (*)(const CounterProbe&, const Surroundings&);

/// In the order of CounterState.
constexpr std::array<Explain, Words<CounterState>::list.size()> explanations = {
    readable,    not_permitted, profiler_attached, held,      mig_instance,
    virtual_gpu, confidential,  under_wsl,         sli,       mining,
    unsupported, old_cupti,     no_cupti,          no_driver, unknown};

} // namespace

CounterAnswer counter_answer(const CounterProbe& probe, const Surroundings& here) {
  const CounterState state = state_of(probe);
  Explained explained = explanations[static_cast<std::size_t>(state)](probe, here);
  return {state, std::move(explained.diagnosis), std::move(explained.remedies)};
}

bool has_counter_remedy(std::string_view message) {
  constexpr std::string_view before = "(CUPTI error ";
  const std::size_t at = message.rfind(before);
  if (at == message.npos)
    return false;
  int code = 0;
  std::from_chars(message.data() + at + before.size(), message.data() + message.size(), code);
  return code != success && !counter_answer({.code = code, .message = {}}, {}).remedies.empty();
}

} // namespace gridsmith
