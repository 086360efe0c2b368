// Who else uses a GPU: processes that the driver lists, whatever they run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gridsmith {

/// One text each, "pid 4711 (python3, 2048 MiB)", this process left out. Empty also where the driver
/// does not say. A container may be told process numbers of its host: the name is left out where
/// there is no such process here.
/// @param helpers folder of gridsmith-worker
/// @param uuid of the GPU
std::vector<std::string> other_users(const std::filesystem::path& helpers, const std::string& uuid);

} // namespace gridsmith
