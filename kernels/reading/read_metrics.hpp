// SPDX-License-Identifier: Apache-2.0
// "Counters" and "Metrics" of our section: what a definition has counted beside the catalogue.
#pragma once

#include "gridsmith/kernels/reading/reading.hpp"

namespace gridsmith {

/// @param counters an object of names and CUPTI's names; possibly not present
/// @param metrics an array of objects; possibly not present
/// @throws InputError naming the place: a name that is taken, a formula that is none or uses a name
/// that is not known where it stands.
void read_own_metrics(const JsonField& counters, const JsonField& metrics, Reading& reading);

/// Further metrics, of a session, for a definition that was read before. @throws InputError likewise
/// @param metrics an array as "Metrics" is
void add_metrics(KernelDefinition& definition, const Json& metrics);

} // namespace gridsmith
