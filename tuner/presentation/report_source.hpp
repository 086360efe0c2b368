// What a report tells of an outcome: the words that `tune` and `show` have for it.
#pragma once

#include "gridsmith/results/report/model.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <string>

namespace gridsmith {

ReportSource report_source(const Outcome& outcome);
/// Of what was answered once. @param file where it is held
ReportSource report_source(const Export& exported, const std::string& file);

/// Compiles the best again, where a compiler and the definition are there, so that causes have their lines
/// and the code is in the report. A second or so.
void add_code(ReportSource& source, const Installation& installation, bool confined = true);

} // namespace gridsmith
