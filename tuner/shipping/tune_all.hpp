// SPDX-License-Identifier: Apache-2.0
// A new GPU: every kernel at every size, in one budget, each beginning with the best of the nearest
// device that is known. A session for many kernels: it prints nothing, ends nothing and leaves nothing
// process-wide behind.
//
//   gridsmith::AllSettings settings;
//   settings.session.store = "gridsmith.db";
//   settings.session.budget.seconds = 3600;
//   const gridsmith::AllTuned tuned = gridsmith::tune_all(settings);
#pragma once

#include "gridsmith/results/selection/selection.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace gridsmith {

struct AllSettings {
  /// Of each kernel: kernel, weights, across, recording, strategy and `only` have no part in it, and of
  /// the devices the first counts; of the problems those that are sizes of its own, or all of these where
  /// there are none. Its budget is that of all kernels together.
  SessionSettings session = {};
  /// Definitions, and folders with definitions anywhere below them; empty: the catalogue.
  std::vector<std::filesystem::path> where = {};
  /// Stores, recordings and headers of other devices, besides the session's store and the recordings
  /// that lie next to a definition.
  std::vector<std::filesystem::path> from = {};
};

/// One kernel at one problem. Losses are over the best of this problem: 0.02 is 2 % slower; none where
/// there is no such configuration or it gave no right result.
struct ProblemTuned {
  Outcome outcome;
  std::optional<Configuration> transferred; ///< best of another device, tried here
  std::string transferred_from;             ///< "NVIDIA H100 4096x4096"; "" where nothing was
  std::optional<double> transferred_loss, default_loss;
  bool moved = false; ///< the best is neither the transferred one nor tied with it
};

struct KernelTuned {
  std::string kernel;
  std::filesystem::path definition;
  std::vector<ProblemTuned> problems;
  /// At problems that were not asked for (SessionSettings::calibrate), and what a header loses there; none: not calibrated.
  std::vector<Outcome> drawn;
  std::optional<Calibration> calibration;
  std::vector<std::string> left_out; ///< problems that were not measured: no recording, no time
  std::string failed; ///< why the kernel could not be measured, or not to the end; or ""
  std::uint64_t evaluations = 0, reused = 0; ///< of all problems; of these from the store
};

struct AllTuned {
  std::vector<KernelTuned> kernels; ///< by the paths of their definitions
  std::string known_device;         ///< that most of the transferred configurations come from; ""
  std::vector<std::string> news;    ///< about this device compared with that one, a fact a line
  double seconds = 0;
  bool out_of_time = false, stopped = false;

  /// From recordings: nothing was measured.
  bool replayed() const;
  /// Everything measured, to be written in any format.
  std::vector<Export> exported() const;
};

/// The sizes at which a kernel is tuned.
std::vector<ProblemSize> problems_of(const KernelDefinition& definition,
                                     const AllSettings& settings);
/// The definitions that settings name, sorted. @throws InputError: no such file, none below a folder
std::vector<std::filesystem::path> definitions_of(const AllSettings& settings);

/// The same call goes on from the store. A stop ends within a second, with what was measured so far.
/// @throws InputError: a file that cannot be read, two kernels of one name; NoSuchDevice: nothing can be
/// measured here; WorkerRefused, StoreError
AllTuned tune_all(const AllSettings& settings, const std::stop_token& stop = {},
                  const Listener& listener = {});

} // namespace gridsmith
