// SPDX-License-Identifier: Apache-2.0
// Why a source that looks right does not compile: its names are macros.
#pragma once

#include "gridsmith/kernels/source/source_bundle.hpp"
#include "gridsmith/search/space/space.hpp"

#include <string>
#include <vector>

namespace gridsmith {

/// "; THREADS is a macro here, because it is a parameter" for an error of syntax in a line that
/// names a parameter; "" for any other.
/// @param error the compiler's, "file(line): error: …"
std::string macro_hint(const std::string& error, const SourceBundle& source,
                       const std::vector<Parameter>& parameters);

} // namespace gridsmith
