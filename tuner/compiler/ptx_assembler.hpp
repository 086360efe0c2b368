// SPDX-License-Identifier: Apache-2.0
// PTX that was made before, assembled by nvJitLink: the toolkit's library for it, opened when the first PTX comes.
#pragma once

#include "gridsmith/tuner/protocol/messages.hpp"

#include <filesystem>
#include <string>

namespace gridsmith {

/// Whether a text states a version and a target, as PTX has to.
bool is_ptx(const std::string& text);

/// The cubin of PTX for a device, such as 90 for compute capability 9.0.
/// @param libraries the folder of the toolkit's libraries, where nvJitLink is looked for first
/// @throws InputError: there is no nvJitLink, or its first complaint
Bytes assembled(const SourceFile& ptx, int compute_capability,
                const std::filesystem::path& libraries);

} // namespace gridsmith
