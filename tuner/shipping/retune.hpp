// SPDX-License-Identifier: Apache-2.0
// What is shipped for this device, checked again: with this driver and toolkit, does each shipped
// configuration still run, as fast as it was recorded, and as the fastest of the shipped set? Only what
// moved is tuned again.
#pragma once

#include "gridsmith/results/header/read_header.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace gridsmith {

struct RetuneSettings {
  /// As of AllSettings. Of its budget the seconds are those of all, the evaluations those of kernels tuned
  /// again. By its `reuse` what the store has settles a size without a launch.
  SessionSettings session = {.kernel = "", .reuse = false};
  std::vector<Shipment> shipped;
  /// Definitions, and folders with definitions anywhere below them, of kernels that the catalogue has
  /// not.
  std::vector<std::filesystem::path> where = {};
  bool replay = false;     ///< serve recordings where there is no GPU, in place of an error
  double tolerance = 0.05; ///< a time that differs by less has not moved
};

/// A kernel at one problem.
struct Rechecked {
  std::string kernel, problem;
  Configuration shipped;
  std::optional<double> recorded_ms, now_ms; ///< of it; none: unknown, no correct result
  std::string moved;                         ///< why it was tuned again, one line; "": it holds
  std::optional<Configuration> best;         ///< now; none: nothing gave a right result
  std::optional<double> best_ms;
  std::string lacks; ///< why there is no best, one line; "": there is one, or it was not reached
};

struct Retuned {
  Device device, shipped_for; ///< as it is, and as the shipped one was: driver and toolkit
  std::vector<Rechecked> problems;
  bool replayed = false;                     ///< from recordings: nothing was measured
  std::uint64_t evaluations = 0, reused = 0; ///< measured or replayed now; from the store
  bool out_of_time = false, stopped = false;
  /// What the next header is made of. What has not moved keeps the fuller table that the session's
  /// store has of it, where that is of the same code; else of it only the shipped set is known.
  std::vector<Export> exports;    ///< none after a stop
  std::size_t of_shipped_set = 0; ///< exports of which only the shipped set is known
};

/// @throws InputError: nothing is shipped for this device, no definition of a shipped kernel;
/// NoSuchDevice: there is no GPU, and a replay is not asked for; as tune_all()
Retuned retune(const RetuneSettings& settings, std::stop_token stop = {},
               const Listener& listener = {});

/// The header to ship now; none: nothing moved, or it was stopped.
/// @param shipped of which it says what has changed. @throws Error: no configuration gave a correct result
std::optional<std::string> header_of(const Retuned& retuned, const std::vector<Shipment>& shipped);

} // namespace gridsmith
