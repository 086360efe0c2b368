// SPDX-License-Identifier: Apache-2.0
// What an answer says of its objectives other than time: the best's value, and the front of two.
#pragma once

#include "gridsmith/tuner/session/session.hpp"

#include <cstddef>
#include <string>

namespace gridsmith {

/// "energy_mj 12.31 mJ (12.28 to 12.34)" of the best; "" where its objective is the time. @pre there is a best
std::string best_by_objective(const Outcome& outcome);

/// A row for each configuration of the front, and what its knee is; "" where no front was looked for.
std::string front_table(const Outcome& outcome, std::size_t width);

/// One sentence; "" likewise.
std::string front_sentence(const Outcome& outcome);

} // namespace gridsmith
