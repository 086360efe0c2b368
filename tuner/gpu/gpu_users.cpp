// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/gpu/gpu_users.hpp"

#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/tuner/processes/child_process.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <fstream>

namespace gridsmith {
namespace {

constexpr auto answer_limit = std::chrono::seconds(10);

std::string name_of(std::int64_t pid) {
  std::string name;
  std::getline(std::ifstream(fmt::format("/proc/{}/comm", pid)), name);
  return printable(name);
}

std::int64_t parent_of(std::int64_t pid) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  for (std::string word; status >> word;)
    if (std::int64_t parent = 0; word == "PPid:" && status >> parent)
      return parent;
  return 0;
}

/// This process or one below it, such as a worker.
bool is_ours(std::int64_t pid) {
  constexpr int deepest = 8;
  for (int step = 0; step < deepest && pid > 1; ++step, pid = parent_of(pid))
    if (pid == ::getpid())
      return true;
  return false;
}

std::string text_of(const GpuUser& user) {
  const std::string name = name_of(user.pid);
  std::string facts = name;
  if (user.mib > 0)
    facts += fmt::format("{}{} MiB", name.empty() ? "" : ", ", user.mib);
  return fmt::format("pid {}", user.pid) + (facts.empty() ? "" : " (" + facts + ")");
}

} // namespace

std::vector<std::string> described(const std::vector<GpuUser>& users) {
  std::vector<std::string> texts;
  for (const GpuUser& user : users)
    if (!is_ours(user.pid))
      texts.push_back(text_of(user));
  return texts;
}

std::vector<GpuUser> gpu_users_in(const nlohmann::json& list) {
  std::vector<GpuUser> users;
  for (const nlohmann::json& one : list)
    users.push_back({one.at("pid").get<std::int64_t>(), one.at("mib").get<std::uint64_t>()});
  return users;
}

std::vector<std::string> other_users(const std::filesystem::path& helpers,
                                     const std::string& uuid) {
  try {
    const ProgramOutput output =
        run_program(helpers / "gridsmith-worker", {"--processes", uuid}, answer_limit);
    return described(gpu_users_in(json_of_text(well_formed(output.text)).at("processes")));
  } catch (const std::exception&) { // nothing depends on it
    return {};
  }
}

} // namespace gridsmith
