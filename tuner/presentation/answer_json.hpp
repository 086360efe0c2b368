// SPDX-License-Identifier: Apache-2.0
// An outcome as scripts read it: the answer (results/formats/answer_json.hpp), and what only the
// run itself knows.
#pragma once

#include "gridsmith/tuner/session/session.hpp"

#include <nlohmann/json_fwd.hpp>

namespace gridsmith {

nlohmann::ordered_json answer_json(const Outcome& outcome);

} // namespace gridsmith
