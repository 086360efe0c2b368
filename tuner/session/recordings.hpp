// The recordings shipped with the catalogue: <kernel>/recordings/<problem>__<device>.json[.gz]
#pragma once

#include <filesystem>
#include <string>

namespace gridsmith {

/// The shipped recording of a kernel and problem. @throws InputError naming what there is instead.
std::filesystem::path find_recording(const std::filesystem::path& catalogue,
                                     const std::string& kernel, const std::string& problem);

} // namespace gridsmith
