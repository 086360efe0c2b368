// SPDX-License-Identifier: Apache-2.0
// What a definition may say and its author hardly means.
#pragma once

#include "gridsmith/tuner/cli/definitions/element_report.hpp"
#include "gridsmith/tuner/cli/definitions/value_examples.hpp"

#include <vector>

namespace gridsmith {

/// Conditions that exclude nothing whatever the size and the device; values that no
/// configuration has, also into `absent`. What is not found out within some seconds is left out.
std::vector<Remark> space_remarks(const KernelInstance& instance, const SearchSpace& space,
                                  std::vector<NamedValue>& absent);

/// @throws InputError: less than nothing
std::vector<Remark> work_remarks(const KernelInstance& instance);

/// Files of elements with numbers that are not finite.
/// @throws InputError naming a file
std::vector<Remark> input_remarks(const KernelInstance& instance);

/// Elements that take too long to be compared with, and tolerances that are large for elements of
/// this size.
std::vector<Remark> element_remarks(const KernelDefinition& definition,
                                    const std::vector<ElementReport>& elements);

} // namespace gridsmith
