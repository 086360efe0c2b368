// SPDX-License-Identifier: Apache-2.0
// A definition with other data than its own, by which a kernel that is right for these alone is found out.
#pragma once

#include "gridsmith/kernels/definition/definition.hpp"

#include <string>
#include <vector>

namespace gridsmith {

struct OtherData {
  std::string word; ///< "zeros"
  KernelDefinition definition;
};

/// Reals that are all 0, huge, or too small for a normal number; and in place of every constant something else, so that
/// what a kernel ignores is missed. Integers may be indices and stay; so do files and expressions. Not every reference
/// survives all of it: what the incumbent is wrong with says nothing.
std::vector<OtherData> other_data(const KernelDefinition& definition);

} // namespace gridsmith
