// SPDX-License-Identifier: Apache-2.0
// What a report shows, as one JSON document: sets of measurements, one per kernel, problem and device, with
// the answer, the analysis and the influence of each, computed here once. The page draws it and computes none
// of it anew; docs/schema/report.schema.json says what each field is.
#pragma once

#include "gridsmith/metrics/code/code_facts.hpp"
#include "gridsmith/results/check/past_check.hpp"
#include "gridsmith/results/formats/formats.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gridsmith {

/// The best's code, compiled again where that gives what was measured.
struct ReportCode {
  CodeFacts facts;
  std::optional<CodeFacts> fast_math; ///< of the same source compiled with fast math
  std::string command;                ///< of nvcc's kind
  std::string kind, text;             ///< "sass" or "ptx"
};

/// What a process of the tuning was at.
struct ReportSpan {
  std::string lane, what;    ///< "compiler 2", "compile"
  std::string configuration; ///< as text; "" of none, or of one that is not told
  double from_s = 0, to_s = 0;
};

/// One tuning, and what its teller says of it.
struct ReportSource {
  Export exported;
  std::string origin;                 ///< the file that holds it
  std::vector<std::string> sentences; ///< the answer in words, as `tune` shows it
  std::string verified;               ///< what the right results were compared with
  std::string command;                ///< that repeats it; "" not known
  std::optional<ReportCode> code = {};
  std::vector<PastCheck> checks = {}; ///< of its kernel, problem and device, the oldest first
  /// Lane by lane; empty where nobody looked on: then what rows tell of the worker is shown.
  std::vector<ReportSpan> timeline = {};
};

struct ReportSettings {
  std::string command; ///< that made the report; "" none
  /// False: no source, nothing of a compiler's log, no path and no command, so nothing of this machine.
  bool source = true;
};

/// Sources of one kernel, problem and device become one set: of the first; the others are runs beside it.
/// @throws InputError: no source
nlohmann::ordered_json report_model(std::span<const ReportSource> sources,
                                    const ReportSettings& settings = {});

/// The name in the field "version"; a change that readers would notice makes it the next.
inline constexpr int report_version = 1;

} // namespace gridsmith
