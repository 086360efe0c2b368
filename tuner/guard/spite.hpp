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
  bool at_smallest = true; ///< the smallest size shows it; else what overflows does not
};

/// Reals that are all 0, small, large, huge, or too small for a normal number, or some of them NaN; integers that are
/// all the least or the most that their rule allows; a permutation's numbers in place of which any of the same range are
/// drawn; sparse rows of uneven lengths; and in place of every constant
/// something else, so that what a kernel ignores is missed. Files stay as they are, and integers whose order may matter. Not every reference survives
/// all of it: what the incumbent is wrong with says nothing.
std::vector<OtherData> other_data(const KernelDefinition& definition);

} // namespace gridsmith
