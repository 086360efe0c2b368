// SPDX-License-Identifier: Apache-2.0
// All that check-definition finds, for programs.
#pragma once

#include "gridsmith/tuner/cli/definitions/definition_report.hpp"

#include <nlohmann/json_fwd.hpp>

namespace gridsmith {

nlohmann::json to_json(const DefinitionReport& report);

} // namespace gridsmith
