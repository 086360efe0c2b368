// SPDX-License-Identifier: Apache-2.0
// Small pictures of an outcome in characters: how its times are spread, and how near the best comes to
// its nearest ceiling. Blocks of Unicode where the terminal takes them, else ASCII.
#pragma once

#include "gridsmith/metrics/device/roofline.hpp"
#include "gridsmith/tuner/presentation/terminal.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <string>
#include <vector>

namespace gridsmith {

/// "0.132 ms ▂█▅▁ … ▁ 1.01 ms": how many lie where on a logarithmic scale, higher for more; in ASCII
/// the denser the more. "" for fewer than three different ones.
std::string histogram_text(std::vector<double> times_ms, const Terminal& terminal);

/// "DRAM ██████████████████░░ 93 % of 4.22 TB/s, measured". "" where no ceiling is known.
std::string ceiling_text(const Roofline& roofline, const Terminal& terminal);

/// Both of an outcome, a line each with its title; "" where there is nothing to draw.
std::string sketch_text(const Outcome& outcome, const Terminal& terminal);

} // namespace gridsmith
