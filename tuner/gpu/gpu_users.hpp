// SPDX-License-Identifier: Apache-2.0
// Who else uses a GPU: processes that the driver lists, whatever they run.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace gridsmith {

/// As the worker lists it.
struct GpuUser {
  std::int64_t pid = 0;
  std::uint64_t mib = 0; ///< 0: not known
};

/// Of what it prints. @throws nlohmann::json::exception
std::vector<GpuUser> gpu_users_in(const nlohmann::json& list);

/// Those of the list as below.
std::vector<std::string> described(const std::vector<GpuUser>& users);

/// One text each, "pid 4711 (python3, 2048 MiB)", this process left out. Empty also where the driver
/// does not say. A container may be told process numbers of its host: the name is left out where
/// there is no such process here.
/// @param helpers folder of gridsmith-worker
/// @param uuid of the GPU
std::vector<std::string> other_users(const std::filesystem::path& helpers, const std::string& uuid);

} // namespace gridsmith
