// SPDX-License-Identifier: Apache-2.0
// What a check judges: a kernel at a size as it was and as it is, both as far as they can be had
// without a GPU.
#pragma once

#include "gridsmith/kernels/definition/instance.hpp"
#include "gridsmith/results/check/baseline.hpp"
#include "gridsmith/results/check/verdict.hpp"
#include "gridsmith/tuner/guard/check.hpp"
#include "gridsmith/tuner/guard/revision.hpp"
#include "gridsmith/tuner/processes/compile_all.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gridsmith {

struct CheckSubject {
  BaselineEntry before;
  std::shared_ptr<const Bytes> old_binary; ///< none: `no_old_binary` says why
  std::string no_old_binary;
  std::shared_ptr<const KernelInstance>
      then; ///< of a revision, to be compiled; none: of a baseline

  std::shared_ptr<const KernelInstance> instance; ///< now; none: settled
  BaselineEntry now;                              ///< as far as it is known without a GPU
  Code code, reference;                           ///< compiled now; no reference kernel: null
  Code device_code;                               ///< the worker's own
  std::string data; ///< what it is filled with, in a word; "": as the definition says
  /// Its result is compared, its time is not: of other data, of other sizes.
  bool only_verified = false;
  bool keep_scratch =
      false; ///< verified with what the launch before left in memory that is no output
  /// Verified on data that differs from that of the launch before by this DataSeed::change; 0: in all.
  std::uint64_t change = 0;
  /// What needs no GPU to be known: its verdict and why.
  std::optional<std::pair<CheckVerdict, std::string>> settled;

  void settle(CheckVerdict verdict, std::string why) { settled.emplace(verdict, std::move(why)); }
};

/// @param kernels by name or by the file of their definition; none: all
/// @param problems none: all
bool is_wanted(const BaselineEntry& entry, const std::vector<std::string>& kernels,
               const std::vector<ProblemSize>& problems);

/// @throws InputError naming the valid: a kernel that no entry has, a size that no entry of the kernels has
void check_asked(const std::vector<BaselineEntry>& entries, const std::vector<std::string>& kernels,
                 const std::vector<ProblemSize>& problems);

/// Of its definition now: the file that the check names, else the baseline's, else the catalogue's.
/// @throws InputError: there is none
std::filesystem::path definition_file(const BaselineEntry& entry, const CheckSettings& settings);

/// What a baseline, a store or a recording holds. @throws InputError: no such file, or none of these
std::vector<BaselineEntry> old_entries(const std::filesystem::path& file);
/// Of these: what is asked for. @throws InputError: nothing of them is
std::vector<CheckSubject> subjects_of_file(std::vector<BaselineEntry> entries,
                                           const CheckSettings& settings, const Device& device);
/// Of a revision that is checked out, on both sides with the same configuration: the best that
/// settings.store holds, else the definition's default of then.
/// @param checkout null: the source of now on both sides, for two compilers
/// @throws InputError: no kernels named, no such definition
std::vector<CheckSubject> subjects_of_revision(const CheckSettings& settings, const Device& device,
                                               const Checkout* checkout);

/// Of two versions of a definition, each in a configuration of its own.
CheckSubject subject_of_versions(std::shared_ptr<const KernelInstance> then,
                                 const Configuration& configuration_then,
                                 const KernelDefinition& now,
                                 const Configuration& configuration_now);

/// Compiles all that is to run; what does not compile is settled.
/// @throws HelperError
void compile_subjects(std::vector<CheckSubject>& subjects, const CheckSettings& settings,
                      const Device& device, const std::stop_token& stop);

/// A session that measures this alone, and keeps nothing.
SessionSettings session_of_one(SessionSettings settings, const KernelDefinition& definition,
                               ProblemSize problem, Configuration configuration);

/// How its times are taken: cold or warm as they were recorded, without counters.
Conditions conditions_of(const CheckSubject& subject, const CheckSettings& settings);

/// What a compilation tells of an instance in a configuration.
BaselineEntry entry_of(const KernelInstance& instance, const Configuration& configuration,
                       const CodeObject& code, const std::string& toolkit);

/// The objective as a baseline has it: "" where time decides it, or this program does not know it.
std::string guarded_name(const std::string& objective, const OwnMetrics& own);

inline bool is_guarded(const CheckSubject& subject) {
  return !subject.before.objective.empty();
}

/// What is counted and judged besides the time; none: the time alone. Where something is guarded and cannot be
/// judged, the case says why.
std::optional<Objective> objective_to_count(const CheckSubject& subject,
                                            const CheckSettings& settings, CheckCase& one);
/// What passes, and is worse by its objective, is worse.
void judge_objective(CheckCase& one);
/// Why it has no value where nothing else is known.
std::string why_not_counted(const Objective& objective);

/// The user's folder for binaries that no baseline has beside it; "" where there is no cache.
std::filesystem::path binaries_in_cache();

} // namespace gridsmith
