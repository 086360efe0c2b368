// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/counters/counter_remedy.hpp"
#include "gridsmith/tests/catch.hpp"

#include <algorithm>

namespace counter_remedy_test {

using namespace gridsmith;

namespace {

constexpr const char* option = "NVreg_RestrictProfilingToAdminUsers=0";

/// As it is read, one remedy below the other.
std::string text_of(const CounterAnswer& answer) {
  std::string text = answer.diagnosis + '\n';
  for (const Remedy& remedy : answer.remedies) {
    text += "- " + remedy.what + '\n';
    for (const std::string& line : remedy.lines)
      text += "  " + line + '\n';
  }
  return text;
}

std::string said(int code, const Surroundings& here = {}) {
  return text_of(counter_answer({.code = code, .message = ""}, here));
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

} // namespace

TEST_CASE("Each code of CUPTI is a state, with its diagnosis and its remedy") {
  struct Row {
    int code;
    CounterState state;
    const char *diagnosis, *remedy; ///< remedy "": there is none
  };

  const Row rows[] = {
      {0, CounterState::readable, "readable for this process", ""},
      {14, CounterState::old_cupti, "older than the one", "LD_LIBRARY_PATH"},
      {15, CounterState::no_driver, "a driver that fits: because", "newer driver"},
      {17, CounterState::unknown, "not known: because", ""},
      {23, CounterState::profiler_attached, "cannot be seen", "without it"},
      {26, CounterState::held, "another process", "dcgmi profile --pause"},
      {27, CounterState::unsupported, "does not support", ""},
      {33, CounterState::vgpu, "virtual GPU", "passed through"},
      {35, CounterState::not_permitted, "ERR_NVGPUCTRPERM", option},
      {36, CounterState::profiler_attached, "CUPTI says that there is one", "without it"},
      {39, CounterState::profiler_attached, "CUPTI says that there is one", "without it"},
      {40, CounterState::vgpu, "hypervisor", "enable_profiling"},
      {41, CounterState::confidential, "confidential", "conf-compute"},
      {42, CounterState::mining, "CMP", ""},
      {43, CounterState::mig, "as large as its GPU instance", "nvidia-smi mig -i GPU -cgi"},
      {44, CounterState::sli, "SLI", "--sli=off"},
      {45, CounterState::wsl, "WSL", "NVIDIA Control Panel"},
      {46, CounterState::old_cupti, "does not know this chip", "LD_LIBRARY_PATH"},
      {999, CounterState::unknown, "not known: because", ""}};
  for (const Row& row : rows) {
    const CounterAnswer answer = counter_answer({.code = row.code, .message = "because"}, {});
    const std::string text = text_of(answer);
    CAPTURE(row.code, text);
    CHECK(answer.state == row.state);
    CHECK(has(answer.diagnosis, row.diagnosis));
    CHECK(answer.diagnosis.find('\n') == std::string::npos);
    CHECK(answer.remedies.empty() == std::string(row.remedy).empty());
    CHECK(has(text, row.remedy));
    for (const Remedy& remedy : answer.remedies) // lines follow a colon, and nothing else does
      CHECK(remedy.what.ends_with(':') == !remedy.lines.empty());
  }
}

TEST_CASE("Counters that could not be asked for are not known to be anything") {
  const CounterAnswer answer = counter_answer({.code = std::nullopt, .message = "it hung"}, {});
  CHECK(answer.state == CounterState::unknown);
  CHECK(answer.diagnosis == "not known: it hung");
  const CounterAnswer absent =
      counter_answer({.code = std::nullopt, .message = "", .starts = false}, {});
  CHECK(absent.state == CounterState::no_cupti);
  CHECK(to_text(absent.state) == "cupti_missing");
}

TEST_CASE("For whom counters are readable is said as far as it is known") {
  CHECK(said(0, {.admin_only = false}) == "readable for every user (RmProfilingAdminOnly is 0)\n");
  CHECK(has(said(0, {.root = true, .sys_admin = true, .admin_only = true}),
            "which is root's; the driver permits administrators alone"));
  CHECK(has(said(0, {.sys_admin = true, .admin_only = true}), "which has CAP_SYS_ADMIN; "));
  CHECK(has(said(0, {.perfmon = true, .admin_only = true}), "which has CAP_PERFMON; "));
  CHECK(has(said(0, {.root = true, .sys_admin = true}), "for whom else cannot be seen here"));
  CHECK_FALSE(has(said(0, {.root = true, .sys_admin = true, .user_namespace = true}), "root's"));
}

TEST_CASE("What is to be done for permission fits where the process runs") {
  struct Row {
    Surroundings here;
    std::vector<const char*> has, lacks;
  };

  const Row rows[] = {
      {{.admin_only = true}, {"sudo gridsmith doctor", option, "on this machine"}, {"docker"}},
      {{}, {"whether to administrators alone cannot be seen here", option}, {}},
      {{.root = true, .admin_only = true}, {"this root is without CAP_SYS_ADMIN", option}, {}},
      {{.sys_admin = true, .admin_only = true},
       {"the reason is not visible here: the process has CAP_SYS_ADMIN", "- on this machine",
        option},
       {"sudo gridsmith"}},
      {{.admin_only = false}, {"restricts no user", "sudo gridsmith doctor"}, {option}},
      {{.root = true, .admin_only = true, .container = Container::docker},
       {"docker run --cap-add=SYS_ADMIN --gpus all", "container's host", option},
       {"--user=0", "sudo gridsmith"}},
      {{.admin_only = true, .container = Container::docker},
       {"docker run --user=0 --cap-add=SYS_ADMIN"},
       {}},
      {{.root = true, .sys_admin = true, .user_namespace = true, .container = Container::docker},
       {"of a user namespace is none to it", "--userns=host"},
       {}},
      {{.root = true, .container = Container::podman},
       {"  podman run --cap-add=SYS_ADMIN --device nvidia.com/gpu=all"},
       {"sudo podman"}},
      {{.root = true, .sys_admin = true, .user_namespace = true, .container = Container::podman},
       {"sudo podman run --cap-add=SYS_ADMIN"},
       {}},
      {{.root = true, .container = Container::kubernetes},
       {"add: [\"SYS_ADMIN\"]", "on the node", option},
       {"runAsUser", "docker"}},
      {{.container = Container::kubernetes}, {"runAsUser: 0"}, {}},
      {{.container = Container::other}, {"with CAP_SYS_ADMIN"}, {"docker"}},
      {{.slurm = true},
       {"ask the cluster's administrator", option},
       {"sudo gridsmith", "--gres", "--constraint"}},
      {{.container = Container::other, .slurm = true}, {"cluster's"}, {"start the container"}},
      {{.wsl = true}, {"NVIDIA Control Panel"}, {option, "sudo"}}};
  for (const Row& row : rows) {
    const std::string text = said(35, row.here);
    CAPTURE(text);
    for (const char* part : row.has)
      CHECK(has(text, part));
    for (const char* part : row.lacks)
      CHECK_FALSE(has(text, part));
  }
}

TEST_CASE("Other states heed where the process runs") {
  const AttachedProfiler nsys{"Nsight Systems", "NSYS_PROFILING_SESSION_ID"};
  CHECK(has(said(39, {.profiler = nsys}), "env -u NSYS_PROFILING_SESSION_ID gridsmith doctor"));
  CHECK(has(said(26, {.container = Container::docker}), "outside this container"));
  CHECK(has(said(27, {.mig = true}), "sudo nvidia-smi mig"));
  CHECK(has(said(15, {.container = Container::docker, .gpu = false}), "docker run --gpus all"));
  CHECK(has(said(15, {.container = Container::podman, .gpu = false}), "nvidia.com/gpu=all"));
  CHECK(has(said(15, {.container = Container::kubernetes, .gpu = false}), "nvidia.com/gpu: 1"));
  CHECK(has(said(15, {.gpu = false}), "install or update the driver"));
  CHECK_FALSE(has(said(15, {.container = Container::docker}), "docker run"));
  CHECK(has(said(15, {.slurm = true, .gpu = false}), "ask for a GPU in the job"));
  CHECK(has(said(14, {.worker = "/w"}), "ldd /w | grep cupti"));
}

TEST_CASE("What a restricted driver is answered with, word by word") {
  CHECK(
      said(35, {.admin_only = true}) ==
      R"(not permitted to this process (ERR_NVGPUCTRPERM): the driver permits administrators alone (RmProfilingAdminOnly is 1), and this process is without CAP_SYS_ADMIN
- as root:
  sudo gridsmith doctor
- or on this machine, for every user from the next start on:
  echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' | sudo tee /etc/modprobe.d/nvidia-profiling.conf
  sudo update-initramfs -u  # Debian, Ubuntu; Fedora, RHEL: sudo dracut --force
  sudo reboot
  grep RmProfilingAdminOnly /proc/driver/nvidia/params  # must say 0 then
- instead of the reboot, while nothing uses a GPU there:
  sudo modprobe -r nvidia_uvm nvidia_drm nvidia_modeset nvidia && sudo modprobe nvidia_uvm
)");
}

TEST_CASE("What held counters are answered with, word by word") {
  CHECK(said(26) ==
        R"(another process holds the counters of this GPU; which cannot be seen here
- if it is DCGM, let it rest while you tune:
  dcgmi profile --pause
  dcgmi profile --resume  # afterwards
- if it is a profiler or another tuning, wait for its end
)");
}

TEST_CASE("What a pod is answered with, word by word") {
  const CounterAnswer answer = counter_answer(
      {.code = 35, .message = ""}, {.admin_only = true, .container = Container::kubernetes});
  REQUIRE(answer.remedies.size() == 3);
  CHECK(answer.remedies[0].lines ==
        std::vector<std::string>{"securityContext:", "  capabilities:", "    add: [\"SYS_ADMIN\"]",
                                 "  runAsUser: 0"});
  CHECK(answer.remedies[1].what ==
        "or on the node, by its administrator, for every user from the next start on:");
}

TEST_CASE("A message of CUPTI has a remedy where its code has one") {
  CHECK(has_counter_remedy("cannot start counting: counters … (CUPTI error 35)"));
  CHECK(has_counter_remedy("cannot count (again): x (CUPTI error 26)"));
  CHECK_FALSE(has_counter_remedy("cannot count x on GH100: no such counter (CUPTI error 17)"));
  CHECK_FALSE(has_counter_remedy("mining (CUPTI error 42)"));
  CHECK_FALSE(has_counter_remedy("counters are not permitted"));
  CHECK_FALSE(has_counter_remedy("odd (CUPTI error "));
  CHECK_FALSE(has_counter_remedy(""));
}

} // namespace counter_remedy_test
