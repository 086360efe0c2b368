// The recordings shipped with the program: results/recorded/<kernel>__<problem>__<device>.json[.gz]
#pragma once

#include <filesystem>
#include <string>

namespace gridsmith {

/// The shipped recording of a kernel and problem. @throws InputError naming what there is instead.
std::filesystem::path find_recording(const std::filesystem::path& folder, const std::string& kernel,
                                     const std::string& problem);

} // namespace gridsmith
