// T4 results, schema 1.0.0: what the community's tools exchange.
#pragma once

#include "gridsmith/results/measurement/recording.hpp"

#include <string>

namespace gridsmith {

/// One result a line; times in ms, said in the metadata; counters under "measurements" by their
/// names. A failure's reason goes beside it as "reason", which the schema allows.
std::string t4_text(const Recording& recording);

} // namespace gridsmith
