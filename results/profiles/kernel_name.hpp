// SPDX-License-Identifier: Apache-2.0
// A kernel's name as tools print it, taken apart so that one kernel is known by whatever tool and
// version printed it.
#pragma once

#include <string>
#include <string_view>

namespace gridsmith {

/// "void ns::copy<(int)32, float>(float *, int)" -> "ns::copy" and "32, float".
struct KernelName {
  std::string base;               ///< without return type, template arguments and parameters
  std::string template_arguments; ///< of the function; in one spelling: 32 for (int)32 and int=32
};

/// @param printed demangled in full or in part; what cannot be taken apart is the base as it is
KernelName kernel_name(std::string_view printed);

} // namespace gridsmith
