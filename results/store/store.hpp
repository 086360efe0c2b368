// SPDX-License-Identifier: Apache-2.0
// Where records live: measurements with their provenance, and what was answered of them, in one SQLite
// file. What is best of them answer.hpp says, by any objective.
//
// A scope is what makes measurements comparable (kernel, device, problem, conditions); a run is one
// session that measured in it; a configuration may have many records: raced, as a finalist, as a
// check, in this run and in others.
//
// Durability: write-ahead log with synchronous=FULL, so the log is forced to the disk by every
// commit before it returns. What add() has returned from survives kill -9, a crash of the machine
// and a power cut (as far as the disk has really written the data that it was asked to force).
// On a file system that several machines share (writer_host.hpp), and where a shared write-ahead log cannot
// be had, the store has a rollback journal with synchronous=EXTRA, which is as durable and slower.
// Several programs may use one store at once, on a shared file system those of one machine; each Store
// object is for one thread.
#pragma once

#include "gridsmith/base/value.hpp"
#include "gridsmith/metrics/device/peaks.hpp"
#include "gridsmith/results/check/past_check.hpp"
#include "gridsmith/results/database/database.hpp"
#include "gridsmith/results/formats/formats.hpp"
#include "gridsmith/results/measurement/answer.hpp"
#include "gridsmith/results/measurement/measurement.hpp"
#include "gridsmith/results/measurement/recording.hpp"
#include "gridsmith/results/store/watched_file.hpp"
#include "gridsmith/results/store/writer_host.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

struct Evidence; // results/judge/evidence.hpp

/// What must be equal for two records to be compared.
struct ScopeKey {
  std::string kernel;
  std::string source_hash;     ///< of all that was compiled and compared with: see record_book.cpp
  std::string definition_hash; ///< of the definition's bytes, as they were parsed
  std::string device_name, device_uuid, driver, toolkit;
  std::string problem;     ///< "8192x8192"
  std::string conditions;  ///< comparable_text() of the conditions: "cold", "warm 1200 MHz"
  std::string counter_set; ///< of a kept replay: the format of the recording

  bool operator==(const ScopeKey&) const = default;
};

using ScopeId = std::int64_t;
using RunId = std::int64_t;
using RecordId = std::int64_t;

struct Scope {
  ScopeId id = 0;
  ScopeKey key;
  Device device;
  Peaks peaks;                       ///< as last measured
  std::vector<Parameter> parameters; ///< as first declared; empty when the declarer gave none
  std::string when;                  ///< declared; UTC, ISO 8601
  std::string newest;                ///< measurement; UTC, ISO 8601; "" without one
  std::size_t configurations = 0, correct = 0; ///< with a record; with a correct one

  /// Measured elsewhere or earlier, and kept when it was replayed.
  bool replayed() const { return key.source_hash.starts_with(replayed_prefix); }
};

/// What taking over came to, in records.
struct Taken {
  std::size_t added = 0, held = 0; ///< new here; there already

  bool operator==(const Taken&) const = default;
};

/// One session that measures in a scope.
struct Run {
  std::string strategy;
  std::uint64_t seed = 0;
  Conditions conditions;
};

class Store {
public:
  enum class Mode {
    read_write, ///< created when absent, brought up to date when older
    read_only,  ///< nothing is written, not even for an older version
  };

  /// Schema written; older ones are migrated, newer ones refused and left untouched.
  static constexpr int version = 7;

  /// @throws InputError: no store, damaged, newer version, missing folder, another machine writes to it.
  /// @throws StoreError: read-only though writing was asked for, locked too long, disk full.
  static Store open(const std::filesystem::path& file, Mode mode);

  ~Store();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;

  /// The scope of this key, declared now where there is none. @throws StoreError
  ScopeId declare(const ScopeKey& key, const Device& device,
                  const std::vector<Parameter>& parameters = {});
  std::optional<ScopeId> find_scope(const ScopeKey& key) const;
  /// Its records stay, as of before now, and are asked for under its key no more. @throws StoreError
  void set_aside(ScopeId scope);
  /// All, in the order declared.
  std::vector<Scope> scopes() const;
  /// @throws InputError when there is none of that number.
  Scope scope(ScopeId id) const;
  /// What the device was measured to reach, known only after work on it began.
  void set_peaks(ScopeId scope, const Peaks& peaks);

  /// Of the file that a scope was taken from; the first one stays, and one that says nothing is not kept.
  void keep_model(ScopeId scope, const KernelModel& model);
  std::optional<KernelModel> model(ScopeId scope) const;

  /// Of a board, measured on their own; each takes the place of the one of its name. @throws
  /// StoreError; then none was kept.
  void keep_peaks(const Device& device, const Peaks& peaks);
  /// In the order kept; none for a board that was not measured.
  Peaks kept_peaks(const Device& device) const;

  /// What regression checks found; committed all or none. @throws StoreError
  void keep_checks(std::span<const PastCheck> checks);
  /// The oldest first. @throws InputError: damaged
  std::vector<PastCheck> past_checks() const;

  /// In the place of one with its key. @throws StoreError
  void keep_evidence(const Evidence& evidence);
  /// None: nothing was judged with this key. @throws InputError: damaged
  std::optional<Evidence> evidence(const std::string& key) const;

  RunId begin_run(ScopeId scope, const Run& run);

  /// Committed and forced to the disk before it returns, all or none. @throws StoreError; then
  /// nothing was written and the store goes on being readable.
  std::vector<RecordId> add(ScopeId scope, std::span<const Measurement> measurements,
                            std::optional<RunId> run = {});
  RecordId add(ScopeId scope, const Measurement& measurement, std::optional<RunId> run = {});
  /// Counters that came after the times were committed; they replace those of the record.
  void add_counters(RecordId record, const CounterValues& counters);

  /// The record of a configuration that is worth most among those that satisfy what is asked, the
  /// oldest among equals: counted, then correct, then pruned early, then failed. Where one was timed
  /// to its end and does not satisfy, lesser ones do not serve instead. Where it is right and its newest
  /// final overrules it (finals.hpp) that final is the answer, if it satisfies.
  /// @param serves what a record must be in addition; empty: anything
  std::optional<Measurement> find(ScopeId scope, const Configuration& configuration,
                                  const Conditions& asked = {},
                                  const std::function<bool(const Measurement&)>& serves = {}) const;
  /// Of each configuration the record worth most, in the order first recorded. Records of finals,
  /// checks and calibrations serve only where there is no raced one, and a final where it overrules that.
  std::vector<Measurement> all(ScopeId scope) const;
  /// Those of finals, in the order recorded.
  std::vector<Measurement> finals(ScopeId scope) const;
  /// Every record, in the order recorded.
  std::vector<Measurement> history(ScopeId scope) const;

  /// The most similar other scope of the same kernel with a correct record: same definition first,
  /// then the nearest device, then the nearest problem. For priors; nothing when there is none.
  /// Replays do not count: this run's own device may be where they come from.
  std::optional<Scope> nearest(const ScopeKey& key, const Device& device) const;

  /// Its date is set here.
  void add_answer(ScopeId scope, const Answer& answer);
  /// The newest one.
  std::optional<Answer> answer(ScopeId scope) const;
  /// Of each objective the newest one, the newest of all first.
  std::vector<Answer> answers(ScopeId scope) const;

  /// Takes over what the other store holds and this one does not: scopes, runs, records, answers,
  /// checks and peaks, all as they were recorded there; of peaks the newer ones. All or none.
  /// @throws InputError: the other store is damaged, or has other parameters under an equal key
  Taken take(const Store& other);
  /// All that is written in it is committed at its end, at once; nothing of it when it throws.
  void all_or_none(const std::function<void()>& write);

  /// What happened to the file since it was opened, to follow its name: "was deleted", "was
  /// replaced", "was cut off"; nothing: all is well. Quick enough for every commit.
  std::optional<std::string> disturbed();
  /// The same by reading the file again: it must hold these records of this run.
  /// @param whole_file and be whole, for which all of it is read
  std::optional<std::string> disturbed(RunId run, std::span<const RecordId> records,
                                       bool whole_file);
  /// The file now belongs to another program: closing will not touch it. What we wrote next to it is removed
  /// where it would be taken for the other file's.
  void let_go();

private:
  explicit Store(Database database);
  Taken take_scope(const Store& other, const Scope& scope);
  Taken take_records(const Store& other, ScopeId from, ScopeId to);
  void take_answers(const Store& other, ScopeId from, ScopeId to);
  void take_board_peaks(const Store& other);
  void take_checks(const Store& other);
  void take_verdicts(const Store& other);
  RecordId insert(ScopeId scope, const Measurement& measurement, std::optional<RunId> run);
  std::vector<Measurement> records(ScopeId scope, const std::string& query) const;
  std::optional<Measurement> overruling(ScopeId scope, const Configuration& configuration) const;

  std::optional<WriterHost> writer_; ///< on a shared file system; outlives the database
  Database database_;
  std::optional<WatchedFile> file_, log_; ///< where it is open for writing
  std::optional<Statement> insert_;       ///< prepared once
  mutable std::optional<Statement> find_;
};

/// How all of a scope was measured, one line: what a recording of it says.
std::string recorded_conditions(const Scope& scope);
/// A scope as a recording (format "gridsmith"), to be written or used as the device.
Recording recording_of(const Store& store, ScopeId scope);
/// With its newest answer, to be exported; of this objective, if one is named.
Export export_of(const Store& store, ScopeId scope, const std::string& objective = "");

} // namespace gridsmith
