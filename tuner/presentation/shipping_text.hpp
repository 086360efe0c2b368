// SPDX-License-Identifier: Apache-2.0
// What tuning all kernels came to, and what checking again what is shipped did: for people, for a pull
// request, for scripts.
#pragma once

#include "gridsmith/tuner/presentation/terminal.hpp"
#include "gridsmith/tuner/shipping/retune.hpp"
#include "gridsmith/tuner/shipping/tune_all.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace gridsmith {

/// A row per kernel, what failed or was left out, what is new about the device.
std::string all_text(const AllTuned& tuned, const Terminal& terminal);
std::string all_markdown(const AllTuned& tuned);
nlohmann::ordered_json all_json(const AllTuned& tuned);

/// A row per kernel and problem, and the header's diff below. @param diff of the header; "" no change
std::string retuned_markdown(const Retuned& retuned, const std::string& diff);
nlohmann::ordered_json retuned_json(const Retuned& retuned);

} // namespace gridsmith
