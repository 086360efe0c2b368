// SPDX-License-Identifier: Apache-2.0
// Settings as JSON objects, for languages that have no structs of ours.
#pragma once

#include "gridsmith/tuner/guard/check.hpp"
#include "gridsmith/tuner/guard/judge.hpp"
#include "gridsmith/tuner/session/session.hpp"
#include "gridsmith/tuner/shipping/retune.hpp"
#include "gridsmith/tuner/shipping/tune_all.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string_view>

namespace gridsmith {

/// What is absent has its default. @throws InputError naming the setting, with the valid ones
SessionSettings session_settings(std::string_view json);

/// Likewise, of a check.
CheckSettings check_settings(std::string_view json);

/// Likewise, of retune(); what is shipped is read.
RetuneSettings retune_settings(std::string_view json);
AllSettings all_settings(std::string_view json);
JudgeSettings judge_settings(std::string_view json);

/// The names of all settings and a line on each: {"tune": {…}, "check": {…}, …}.
nlohmann::ordered_json described_settings();

/// Facts of a device, at least {"compute_capability": 90}; the others are of the largest of its kind.
/// @throws InputError: no capability, or a fact that does not exist
Device device_of_json(std::string_view json);

/// {"A": 1, "B": "x"}. @throws InputError
Configuration configuration_of_json(std::string_view json);

} // namespace gridsmith
