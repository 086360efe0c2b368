// SPDX-License-Identifier: Apache-2.0
// A kernel that writes its results many times over, said beside its answer.
#pragma once

#include "gridsmith/kernels/definition/instance.hpp"
#include "gridsmith/metrics/analysis/repeated_stores.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <string>

namespace gridsmith {

/// Of all vectors that are not read only. @throws InputError
WritableSize writable_size(const KernelInstance& instance);

/// "The best stores each element … 128 times …"; "" where it does not, or nobody knows.
std::string stores_text(const Outcome& outcome);

} // namespace gridsmith
