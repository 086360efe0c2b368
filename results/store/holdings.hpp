// SPDX-License-Identifier: Apache-2.0
// What files hold, whatever they are: the scopes of a store, a recording of any format that is read, or
// the kernels of a profile. Listed first, loaded when wanted.
#pragma once

#include "gridsmith/results/formats/formats.hpp"
#include "gridsmith/results/profiles/profile.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gridsmith {

/// All measurements of one kernel and problem on one device under one set of conditions.
struct Holding {
  std::string file;
  std::string kernel, problem, device, conditions; ///< "" where the file does not say
  std::string date;                                ///< of the newest measurement; "" unknown
  bool replayed = false;                           ///< measured elsewhere, kept when replayed
  std::size_t configurations = 0, correct = 0;
  std::string objective;         ///< that its best was found by: "time"
  std::optional<double> best_ms; ///< time of that best
  SetAside set_aside;            ///< of a recording or a profile, when it was read
  std::function<Export()> load;  ///< @throws as the store or the recording
  /// The same measurements with an older answer, each by another objective.
  std::vector<Holding> otherwise = {};
};

/// By its first bytes: any SQLite file but a profiler's.
bool is_store(const std::filesystem::path& file);
/// Of a file that was named to keep measurements in: something else is a slip, also where a replay would go on
/// without a store. @throws InputError: it is not empty, and no store
void check_is_store(const std::filesystem::path& file);

/// Those of a store with a record, in the order declared; the one of a recording; one per kernel and
/// device of a profile, one per device and problem of a wisdom file.
/// @throws InputError: none of these.
std::vector<Holding> holdings_of(const std::filesystem::path& file);
std::vector<Holding> holdings_of(const Profile& profile);

/// Words to choose by; "" is any.
struct HoldingChoice {
  std::string kernel = {}, problem = {}, device = {};
};

/// @throws InputError listing what is held, when none is left.
std::vector<Holding> chosen(std::vector<Holding> held, const HoldingChoice& choice);
/// By precedence().
bool goes_before(const Holding& one, const Holding& other);
/// Of each kernel, problem and device the one that goes before the others, where the first of them
/// stood.
std::vector<Holding> newest(const std::vector<Holding>& held);
/// Likewise of each kernel, problem, device and objective.
std::vector<Holding> newest_by_objective(const std::vector<Holding>& held);
/// These, each followed by what it holds otherwise.
std::vector<Holding> with_older_answers(const std::vector<Holding>& held);

/// "transpose 8192x8192 on NVIDIA H200".
std::string title_of(const Holding& holding);
/// One line: title, date and how many configurations, of each; the first eight.
std::string list_of(std::span<const Holding> held);

} // namespace gridsmith
