// SPDX-License-Identifier: Apache-2.0
// What a report tells of an outcome: the words that `tune` and `show` have for it.
#pragma once

#include "gridsmith/results/report/model.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <span>
#include <string>

namespace gridsmith {

ReportSource report_source(const Outcome& outcome);
/// Of what was answered once. @param file where it is held
ReportSource report_source(const Export& exported, const std::string& file);

/// What the session, its strategy and its processes were at; nothing of a replay, or where all was stored
/// before: then rows tell of the worker that measured. @param spans as Trace::in_order has them
/// @param zero when the tuning began
void add_timeline(ReportSource& source, std::span<const Span> spans, Span::Time zero);

/// Compiles the best again, where a compiler and the definition are there, so that causes have their lines
/// and the code is in the report. A second or so.
void add_code(ReportSource& source, const HelperSettings& helpers);

} // namespace gridsmith
