// SPDX-License-Identifier: Apache-2.0
// The store as the tuning loop sees it: look up, write down. When the disk is full or the file
// cannot be written any more the tuning goes on in memory and says so once; nothing committed is
// touched. When the file is deleted, replaced or damaged while in use, what this run has measured
// and used is written to a new one beside it, which is said, and the tuning goes on with that.
#pragma once

#include "gridsmith/kernels/definition/instance.hpp"
#include "gridsmith/results/measurement/stored_drift.hpp"
#include "gridsmith/results/store/store.hpp"
#include "gridsmith/tuner/loop/tuning.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gridsmith {

/// Of the kernel's source with its own headers: the same on every machine. 32 hex digits.
std::string code_hash(const KernelInstance& instance);
/// The code_hash() in a source_hash of scope_key(); none in older ones and in replays.
std::optional<std::string> code_in(const std::string& source_hash);

/// What must be equal for a record to count again. Its source_hash is the code_hash(), a dot, and the
/// hash of all else that the result depends on.
/// @param toolkit which one compiles, with what it reads of it
ScopeKey scope_key(const KernelInstance& instance, const Conditions& conditions,
                   const std::string& toolkit);

class RecordBook {
public:
  /// Begins a run in the scope of this key. @param warn one line to the user.
  /// @throws InputError, StoreError as Store::open
  RecordBook(const std::filesystem::path& file, const ScopeKey& key, const Device& device,
             const std::vector<Parameter>& parameters, const Run& run,
             std::function<void(const std::string&)> warn);

  /// Refers to this object. @param serves which of the records found are answers; empty: all
  RecordKeeping keeping(std::function<bool(const Measurement&)> serves = {});
  /// What is added from here on is of this board, in place of another one of the same product.
  void become(const Device& device);
  /// What earlier runs measured serves no more; what this one did is kept in its place.
  void set_aside();

  /// How far what the store answered in this run is from these finals of it.
  std::optional<StoredDrift> drift(std::span<const Measurement> finals) const {
    return stored_drift(reused_, earlier_finals_, finals);
  }

  void add_answer(const Answer& answer);
  void set_peaks(const Peaks& peaks);
  /// At the end: what was written must be there.
  /// @param whole_file looks at all of the file, too: tens of milliseconds, which once at the end of a run will do
  void finish(bool whole_file);
  /// The file that has it all; none where it could not be written.
  std::optional<std::filesystem::path> stored_in() const;
  /// Measurements of the nearest other device or problem, for a prior; empty when there are none.
  /// @param from says what they are of
  std::vector<Measurement> nearest(std::string& from) const;

  /// What the device was measured to reach before this run, on its own.
  const Peaks& kept_peaks() const { return kept_peaks_; }

private:
  void attempt(const std::function<void()>& write);
  void move_on(const std::string& what);
  void begin_in(const std::filesystem::path& file);
  void add(std::span<const Measurement> measurements);
  void add_counters(const Measurement& measurement);
  std::optional<Measurement> find(const Configuration& configuration,
                                  const std::function<bool(const Measurement&)>& serves);

  std::filesystem::path file_;
  Store store_;
  ScopeKey key_;
  Device device_;
  std::vector<Parameter> parameters_;
  ScopeId scope_;
  Run run_;
  RunId run_id_;
  Peaks kept_peaks_;
  std::vector<Measurement> earlier_finals_;
  std::function<void(const std::string&)> warn_;
  bool memory_only_ = false, readable_ = true;
  // What a new file would need.
  std::vector<Measurement> measured_, reused_;
  std::vector<RecordId> written_; ///< of `measured_`, in the file of now
  std::optional<Answer> answer_;
  Peaks peaks_;
};

} // namespace gridsmith
