// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/gpu/surroundings.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

bool is_there(const fs::path& file) {
  std::error_code error;
  return fs::exists(file, error);
}

/// What follows "NAME:" at the beginning of a line; "" without one.
std::string field(const std::string& text, std::string_view name) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(name) && line.size() > name.size() && line[name.size()] == ':') {
      const auto begin = line.find_first_not_of(" \t", name.size() + 1);
      return begin == line.npos ? "" : line.substr(begin);
    }
  return "";
}

/// "" where it is not set.
std::string variable(const std::vector<std::string>& environment, const std::string& name) {
  for (const std::string& entry : environment)
    if (entry.starts_with(name + "="))
      return entry.substr(name.size() + 1);
  return "";
}

void take_rights(const fs::path& system, Surroundings& here) {
  constexpr unsigned sys_admin = 21, perfmon = 38; // linux/capability.h
  const std::string status = content(system / "proc/self/status");
  std::istringstream users(field(status, "Uid")); // real, effective, …
  if (std::uint64_t real = 0, effective = 0; users >> real >> effective)
    here.root = effective == 0;
  std::uint64_t capabilities = 0;
  std::istringstream(field(status, "CapEff")) >> std::hex >> capabilities;
  here.sys_admin = (capabilities >> sys_admin & 1) != 0;
  here.perfmon = (capabilities >> perfmon & 1) != 0;
  // The first namespace maps all numbers to themselves, in one line.
  std::istringstream map(content(system / "proc/self/uid_map"));
  std::uint64_t inside = 0, outside = 0, count = 0;
  if (map >> inside >> outside >> count)
    here.user_namespace = inside != 0 || outside != 0 || count != 4294967295;
}

std::optional<bool> admin_only(const fs::path& system) {
  const std::string value =
      field(content(system / "proc/driver/nvidia/params"), "RmProfilingAdminOnly");
  return value.empty() ? std::nullopt : std::optional(value != "0");
}

/// By what the runtimes leave; the control group names them where it is not hidden.
Container container_of(const fs::path& system, const std::vector<std::string>& environment) {
  if (!variable(environment, "KUBERNETES_SERVICE_HOST").empty())
    return Container::kubernetes;
  const std::string group = content(system / "proc/self/cgroup");
  const auto grouped = [&](const char* name) { return group.find(name) != group.npos; };
  if (grouped("kubepods"))
    return Container::kubernetes;
  const std::string own_word = variable(environment, "container"); // systemd's interface
  if (is_there(system / "run/.containerenv") || own_word == "podman")
    return Container::podman;
  if (is_there(system / ".dockerenv") || grouped("/docker/") || grouped("/docker-"))
    return Container::docker;
  const bool other = !own_word.empty() || is_there(system / ".singularity.d") || grouped("/lxc/") ||
                     grouped("/libpod-");
  return other ? Container::other : Container::none;
}

bool under_windows(const fs::path& system) {
  const std::string version = content(system / "proc/version");
  return version.find("microsoft") != version.npos || version.find("Microsoft") != version.npos;
}

} // namespace

std::optional<double> mps_percent(const std::vector<std::string>& environment) {
  double percent = 0;
  std::istringstream(variable(environment, "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE")) >> percent;
  return percent > 0 && percent < 100 ? std::optional(percent) : std::nullopt;
}

Surroundings read_surroundings(const fs::path& system,
                               const std::vector<std::string>& environment) {
  Surroundings here;
  take_rights(system, here);
  here.admin_only = admin_only(system);
  here.container = container_of(system, environment);
  here.slurm = !variable(environment, "SLURM_JOB_ID").empty();
  here.wsl = under_windows(system);
  here.mig = variable(environment, "CUDA_VISIBLE_DEVICES").starts_with("MIG-") ||
             variable(environment, "NVIDIA_VISIBLE_DEVICES").starts_with("MIG-");
  here.profiler = find_profiler(environment);
  return here;
}

} // namespace gridsmith
