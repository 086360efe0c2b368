// SPDX-License-Identifier: Apache-2.0
// What is kept of one compilation beside a kernel's source: metrics/code/code_summary.hpp, filled
// from what the compiler process answered.
#pragma once

#include "gridsmith/metrics/code/code_summary.hpp"
#include "gridsmith/metrics/device/device.hpp"
#include "gridsmith/tuner/processes/disassembler.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"

namespace gridsmith {

/// Where a newer toolkit writes its code in a way that is not known, only what the compiler says.
/// Without SASS. @pre code.cubin
CodeSummary code_summary(const CodeObject& code, const Device& device, const Geometry& geometry);

/// None: there is no disassembler, or it does not know this code. @pre code.cubin
std::optional<SassSummary> sass_summary(const CodeObject& code, const Disassembler& disassembler);

} // namespace gridsmith
