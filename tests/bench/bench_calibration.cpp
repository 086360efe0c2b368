// SPDX-License-Identifier: Apache-2.0
// What `tune --sizes --calibrate` states of a header against what the header loses at sizes that were measured apart,
// as all of them were exhaustively. Figures, no assertions.
// bench calibration TUNED.db MEASURED.db   (stores of one device; the second one of other sizes)
// bench calibration TUNED.db               lists the drawn sizes
#include "gridsmith/base/error.hpp"
#include "gridsmith/results/formats/header.hpp"
#include "gridsmith/results/store/holdings.hpp"
#include "gridsmith/tests/bench/bench.hpp"
#include "gridsmith/tuner/inspection/exported_definition.hpp"

#include <fmt/format.h>

#include <iostream>
#include <map>

namespace bench_calibration {

using namespace gridsmith;

namespace {

/// By kernel; nothing of what has no best.
std::map<std::string, std::vector<Export>> exports_of(const std::filesystem::path& store) {
  Installation installation;
  installation.catalogue = std::filesystem::path(GRIDSMITH_SOURCE_DIR) / "kernels/catalogue";
  std::map<std::string, std::vector<Export>> kernels;
  for (const Holding& held : newest(holdings_of(store)))
    if (Export one = defined(held, installation); has_best(one))
      kernels[one.recording.kernel].push_back(std::move(one));
  return kernels;
}

std::string figures(const std::optional<Calibration>& of) {
  if (!of)
    return " | |";
  const LossFigures& loss = of->figures.left_out;
  return fmt::format(" {:.1f} %{}{} | {:.1f} % |", 100 * (loss.geometric_mean - 1),
                     loss.invalid > 0 ? fmt::format(", {} do not run", loss.invalid) : "",
                     loss.not_measured > 0 ? fmt::format(", {} not known", loss.not_measured) : "",
                     100 * (loss.worst - 1));
}

std::optional<Calibration> calibration_of(std::span<const Export> exports) {
  const std::vector<Calibration> all = calibrations_of(exports);
  return all.empty() ? std::nullopt : std::optional(all.front());
}

/// The header of what was tuned, drawn sizes too, at those that were measured apart.
std::optional<Calibration> found(std::vector<Export> tuned, std::span<const Export> measured) {
  for (Export& one : tuned)
    one.recording.drawn = false;
  for (const Export& one : measured) {
    tuned.push_back(one);
    tuned.back().recording.drawn = true;
  }
  return calibration_of(tuned);
}

void print(const std::string& kernel, const std::vector<Export>& tuned,
           const std::vector<Export>& measured) {
  std::size_t drawn = 0;
  for (const Export& one : tuned)
    drawn += one.recording.drawn;
  const auto stated = calibration_of(tuned);
  const auto truth = found(tuned, measured);
  fmt::print("| {} | {} | {} | {} |{}{}", kernel, tuned.size() - drawn, drawn, measured.size(),
             figures(stated), figures(truth));
  if (stated && truth)
    fmt::print(" {:+.1f} |", 100 * (truth->figures.left_out.geometric_mean -
                                    stated->figures.left_out.geometric_mean));
  fmt::print("\n");
}

void list(const std::string& kernel, const Calibration& calibration) {
  fmt::print("{}: rule {}, {:.0f} configurations, {}\n", kernel,
             to_text(calibration.figures.rule.kind), calibration.figures.configurations,
             to_text(calibration));
  for (std::size_t i = 0; i < calibration.problems.size(); ++i) {
    const Loss& loss = calibration.figures.choices[i].loss;
    fmt::print("  {:24} {}\n", to_text(calibration.problems[i]),
               !loss                 ? "not known"
               : *loss == cannot_run ? "does not run"
                                     : fmt::format("{:.1f} %", 100 * (*loss - 1)));
  }
}

} // namespace

int run(int argc, char** argv) {
  const bool each = argc == 4 && std::string(argv[3]) == "--each";
  if (argc != 2 && argc != 3 && !each) {
    std::cerr << "usage: benchmarks calibration TUNED.db [MEASURED.db [--each]]\n";
    return 2;
  }
  if (argc == 2) {
    for (const auto& [kernel, exports] : exports_of(argv[1]))
      if (const auto calibration = calibration_of(exports))
        list(kernel, *calibration);
    return 0;
  }
  const auto tuned = exports_of(argv[1]), measured = exports_of(argv[2]);
  fmt::print("| kernel | sizes | drawn | measured apart | stated | worst | found | worst | "
             "difference |\n|---|---|---|---|---|---|---|---|---|\n");
  for (const auto& [kernel, exports] : tuned)
    if (const auto apart = measured.find(kernel); apart != measured.end())
      print(kernel, exports, apart->second);
  for (const auto& [kernel, exports] : tuned)
    if (const auto apart = measured.find(kernel); each && apart != measured.end())
      if (const auto calibration = found(exports, apart->second))
        list(kernel, *calibration);
  return 0;
}

const Bench entry("calibration", run);

} // namespace bench_calibration
