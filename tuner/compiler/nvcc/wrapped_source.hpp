// SPDX-License-Identifier: Apache-2.0
// A file that includes a kernel's source, for nvcc: it defines the macros, asks for the kernel, and makes
// the compiler say the kernel's name. Text and cubin only: no compiler in sight.
#pragma once

#include "gridsmith/tuner/protocol/messages.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

struct WrappedSource {
  std::string text;
  std::vector<std::string> options; ///< those that it does not replace
};

/// @param watched as with_watched_parameters() gives it
WrappedSource wrap(const CompileRequest& watched);

/// The same for another source of the program: macros, and the source.
std::string wrap_unit(const CompileRequest& watched, const std::string& unit);

/// The lowered name of the kernel that was asked for; "" where the cubin does not have it.
std::string named_kernel(const Bytes& cubin);

} // namespace gridsmith
