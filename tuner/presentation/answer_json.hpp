// An outcome as scripts read it.
#pragma once

#include "gridsmith/tuner/session/session.hpp"

#include <nlohmann/json_fwd.hpp>

namespace gridsmith {

nlohmann::json answer_json(const Outcome& outcome);

} // namespace gridsmith
