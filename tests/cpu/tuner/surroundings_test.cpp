// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"
#include "gridsmith/tuner/gpu/surroundings.hpp"

namespace surroundings_test {

using namespace gridsmith;
namespace fs = std::filesystem;

namespace {

/// A system whose files say this.
class System {
public:
  System& with(const std::string& file, const std::string& text) {
    fs::create_directories((folder_.path() / file).parent_path());
    test::write(folder_.path() / file, text);
    return *this;
  }

  Surroundings read(const std::vector<std::string>& environment = {}) const {
    return read_surroundings(folder_.path(), environment);
  }

private:
  test::Folder folder_;
};

std::string status(const std::string& user, const std::string& capabilities) {
  return "Name:\tgridsmith\nUid:\t1000\t" + user + "\t0\t0\nCapPrm:\tffffffffffffffff\nCapEff:\t" +
         capabilities + "\n";
}

} // namespace

TEST_CASE("what cannot be read of the surroundings is not known") {
  const Surroundings here = System().read();
  CHECK_FALSE(here.root);
  CHECK_FALSE(here.sys_admin);
  CHECK_FALSE(here.perfmon);
  CHECK_FALSE(here.user_namespace);
  CHECK_FALSE(here.admin_only);
  CHECK(here.container == Container::none);
  CHECK_FALSE(here.slurm);
  CHECK_FALSE(here.wsl);
  CHECK_FALSE(here.mig);
  CHECK_FALSE(here.profiler);
}

TEST_CASE("rights are those in effect, in the system's first user namespace") {
  System system;
  const char* const file = "proc/self/status";
  CHECK(system.with(file, status("0", "0000000000000000")).read().root);
  CHECK_FALSE(system.read().sys_admin);
  CHECK_FALSE(system.with(file, status("1000", "0000000000200000")).read().root);
  CHECK(system.read().sys_admin);
  CHECK_FALSE(system.read().perfmon);
  CHECK(system.with(file, status("1000", "0000004000000000")).read().perfmon);
  CHECK_FALSE(system.read().sys_admin);
  const char* const map = "proc/self/uid_map";
  CHECK_FALSE(system.with(map, "         0          0 4294967295\n").read().user_namespace);
  CHECK(system.with(map, "         0       1000          1\n").read().user_namespace);
}

TEST_CASE("the driver's restriction is read of its parameters") {
  System system;
  const char* const file = "proc/driver/nvidia/params";
  CHECK(system.with(file, "EnableMSI: 1\nRmProfilingAdminOnly: 1\n").read().admin_only == true);
  CHECK(system.with(file, "RmProfilingAdminOnly: 0\n").read().admin_only == false);
  CHECK_FALSE(system.with(file, "RmProfilingAdminOnlyToo: 0\n").read().admin_only);
}

TEST_CASE("containers and clusters are recognised by what they leave") {
  struct Row {
    const char *file, *text, *variable;
    Container container;
  };

  const Row rows[] = {
      {".dockerenv", "", "A=", Container::docker},
      {"run/.containerenv", "engine=podman\n", "A=", Container::podman},
      {"proc/self/cgroup", "4:memory:/docker/1f2e\n", "A=", Container::docker},
      {"proc/self/cgroup", "0::/kubepods.slice/pod1\n", "A=", Container::kubernetes},
      {"proc/self/cgroup", "0::/user.slice\n", "A=", Container::none},
      {".dockerenv", "", "KUBERNETES_SERVICE_HOST=10.0.0.1", Container::kubernetes},
      {"proc/none", "", "container=podman", Container::podman},
      {"proc/none", "", "container=lxc", Container::other},
      {".singularity.d/env", "", "A=", Container::other},
      {"proc/none", "", "KUBERNETES_SERVICE_HOST=", Container::none}};
  for (const Row& row : rows) {
    INFO(row.file << " " << row.text << " " << row.variable);
    CHECK(System().with(row.file, row.text).read({row.variable}).container == row.container);
  }
  CHECK(System().read({"SLURM_JOB_ID=7"}).slurm);
  CHECK_FALSE(System().read({"SLURM_CONF=/etc/slurm.conf"}).slurm);
  CHECK(System().read({"CUDA_VISIBLE_DEVICES=MIG-1234"}).mig);
  CHECK_FALSE(System().read({"CUDA_VISIBLE_DEVICES=GPU-1234"}).mig);
  CHECK(System().with("proc/version", "Linux 5.15-microsoft-standard-WSL2\n").read().wsl);
  CHECK_FALSE(System().with("proc/version", "Linux version 6.8.0\n").read().wsl);
  CHECK(System().read({"NVPROF_ID=1"}).profiler->tool == "nvprof");
}

} // namespace surroundings_test
