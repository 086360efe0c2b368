// SPDX-License-Identifier: Apache-2.0
// Verdicts on the planted bottlenecks (tests/planted), whose causes are known: read from recordings of a real device.
#pragma once

#include "gridsmith/results/explanation/explanation.hpp"
#include "gridsmith/results/formats/read_recording.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith::test {

inline const std::filesystem::path planted_folder =
    std::filesystem::path(GRIDSMITH_SOURCE_DIR) / "tests/planted";

/// Machine code of a configuration, and the same with fast math.
struct Codes {
  std::optional<CodeFacts> code, fast_math;
};

/// @param definition file of the kernel
using CodeOf = std::function<Codes(const std::filesystem::path& definition,
                                   const Recording& recording, const Measurement& measurement)>;

struct JudgedCase {
  std::string kernel, cause; ///< "none": nothing holds it back
  Recording recording;
  Measurement slow;
  Verdict verdict;
  std::optional<double> gain;       ///< measured: time over that of the twin
  std::optional<Verdict> twin = {}; ///< on the twin

  bool clean() const { return cause == "none"; }

  bool named(std::size_t place) const {
    return place < verdict.findings.size() && to_text(verdict.findings[place].cause) == cause;
  }

  /// The stated gain of the planted cause where it is named first.
  std::optional<Gain> estimate() const {
    return named(0) ? verdict.findings.front().gain : std::nullopt;
  }

  /// Within 1.5 of the measured gain.
  bool near() const {
    const auto told = estimate();
    return told && gain && told->likely / *gain < 1.5 && *gain / told->likely < 1.5;
  }

  bool covered() const {
    const auto told = estimate();
    return told && gain && told->low <= *gain && *gain <= told->high;
  }
};

struct Tally {
  int cases = 0, right = 0, among_two = 0, unknown = 0; ///< of causes
  int clean = 0, accused = 0;                           ///< twins, and kernels without a cause
  int estimated = 0, near = 0, covered = 0;             ///< gains

  void add(const JudgedCase& one) {
    const bool named = !one.verdict.findings.empty();
    if (one.clean()) {
      ++clean;
      accused += !one.verdict.clean();
      return;
    }
    ++cases;
    right += one.named(0);
    among_two += one.named(0) || one.named(1);
    unknown += !named;
    clean += one.twin.has_value();
    accused += one.twin && !one.twin->clean();
    estimated += one.gain && one.estimate();
    near += one.near();
    covered += one.covered();
  }

  std::string text() const {
    return fmt::format(
        "{} of {} causes right, {} among the first two, {} not known; {} of {} clean "
        "accused; {} of {} gains within 1.5, {} in their intervals",
        right, cases, among_two, unknown, accused, clean, near, estimated, covered);
  }
};

inline const Measurement* find(const Recording& recording, const nlohmann::json& configuration) {
  for (const Measurement& one : recording.measurements) {
    bool same = true;
    for (const auto& [name, value] : configuration.items())
      for (const auto& [parameter, held] : one.configuration)
        same = same && (parameter != name || to_number(held) == value.get<double>());
    if (same)
      return &one;
  }
  return nullptr;
}

/// @param code_of none: the code is not at hand, as in `tune`
inline std::vector<JudgedCase> judged(const std::string& set, const std::string& device,
                                      const CodeOf& code_of = {}) {
  std::vector<JudgedCase> all;
  std::ifstream list(planted_folder / set / "cases.json");
  for (const auto& one : nlohmann::json::parse(list)) {
    const std::filesystem::path definition =
        planted_folder / set / one["definition"].get<std::string>();
    const std::string kernel = definition.stem().string();
    Recording recording = read_recording(planted_folder / set / device / (kernel + ".json.gz"));
    const auto verdict_of = [&](const Measurement& measurement) {
      const Codes codes = code_of ? code_of(definition, recording, measurement) : Codes{};
      return explain(recording, measurement, codes.code ? &*codes.code : nullptr,
                     codes.fast_math ? &*codes.fast_math : nullptr)
          .verdict;
    };
    const Measurement* slow = find(recording, one["planted"]);
    if (!slow || !cost_ms(*slow))
      throw InputError(kernel + ": the planted configuration was not measured");
    JudgedCase found{kernel, one["cause"], {}, *slow, verdict_of(*slow), {}, {}};
    if (const Measurement* clean =
            one["clean"].is_null() ? nullptr : find(recording, one["clean"])) {
      found.gain = *cost_ms(*slow) / *cost_ms(*clean);
      found.twin = verdict_of(*clean);
    }
    found.recording = std::move(recording);
    all.push_back(std::move(found));
  }
  return all;
}

} // namespace gridsmith::test
