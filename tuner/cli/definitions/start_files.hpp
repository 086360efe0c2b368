// SPDX-License-Identifier: Apache-2.0
// What `gridsmith init` writes: a small kernel that can be tuned at once, and its definition with a
// comment on every part.
#pragma once

#include <string>

namespace gridsmith {

/// Whether a function, and with it its files, can have this name.
bool can_name_a_kernel(const std::string& name);

std::string start_source(const std::string& kernel);
std::string start_definition(const std::string& kernel);

} // namespace gridsmith
