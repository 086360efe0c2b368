// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/demangled.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace gridsmith {

std::string demangled(const std::string& lowered) {
  if (!lowered.starts_with("_Z")) // of C linkage: "f" would be a float
    return lowered;
  int failed = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(lowered.c_str(), nullptr, nullptr, &failed), std::free);
  return name && failed == 0 ? name.get() : lowered;
}

} // namespace gridsmith
