// Where records live: measurements with their provenance, in one SQLite file. What is best is a
// query here, never a variable in a loop.
//
// Durability: write-ahead log with synchronous=FULL, so the log is forced to the disk by every
// commit before it returns. What add() has returned from survives kill -9, a crash of the machine
// and a power cut (as far as the disk keeps its promise to have written what it was told to force).
// Where the file system cannot do a shared write-ahead log (some network ones) the store falls back
// to a rollback journal with synchronous=EXTRA, which is as durable and slower.
// Several programs may use one store at once; each Store object is for one thread.
#pragma once

#include "gridsmith/results/store/database.hpp"
#include "gridsmith/results/measurement/measurement.hpp"
#include "gridsmith/results/measurement/recording.hpp"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gridsmith {

/// What must be equal for a record to be worth something: then it is not measured again.
struct ScopeKey {
  std::string kernel;
  std::string source_hash;     ///< sha256_hex of the source with what it includes
  std::string definition_hash; ///< sha256_hex of the definition
  std::string device_name, device_uuid, driver, toolkit;
  std::string problem; ///< "8192x8192"
  bool warm = false;   ///< L2 not flushed between samples
  std::string counter_set;

  bool operator==(const ScopeKey&) const = default;
};

using ScopeId = std::int64_t;

struct Scope {
  ScopeId id = 0;
  ScopeKey key;
  Device device;
  std::vector<Parameter> parameters; ///< as first declared; empty when the declarer gave none
  std::string when;                  ///< declared; UTC, ISO 8601
  std::size_t records = 0, correct = 0;
  std::optional<double> best_ms;
};

/// The finalists measured again, interleaved: what was answered.
struct Answer {
  std::string when;                   ///< UTC, ISO 8601; set by the store
  std::vector<Measurement> finalists; ///< best first
  std::size_t tied = 0;               ///< so many of the first cannot be told apart; 1: none tied
};

class Store {
public:
  enum class Mode {
    read_write, ///< created when absent, brought up to date when older
    read_only,  ///< nothing is written, not even for an older version
  };

  /// Schema written; older ones are migrated, newer ones refused and left untouched.
  static constexpr int version = 2;

  /// @throws InputError: no store, damaged, newer version, missing folder.
  /// @throws StoreError: read-only though writing was asked for, locked too long, disk full.
  static Store open(const std::filesystem::path& file, Mode mode);

  ~Store();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;

  /// The scope of this key, declared now where there is none. @throws StoreError
  ScopeId declare(const ScopeKey& key, const Device& device,
                  const std::vector<Parameter>& parameters = {});
  std::optional<ScopeId> find_scope(const ScopeKey& key) const;
  /// All, in the order declared.
  std::vector<Scope> scopes() const;
  /// @throws InputError when there is none of that number.
  Scope scope(ScopeId id) const;

  /// Committed and forced to the disk before it returns. Where the configuration has a record
  /// already, the one worth more stays, the older one among equals: counted, then correct, then
  /// raced out, then failed. @throws StoreError; then nothing was written and the store goes on
  /// being readable.
  void add(ScopeId scope, const Measurement& measurement);
  /// All or none, in one commit.
  void add(ScopeId scope, std::span<const Measurement> measurements);

  std::optional<Measurement> find(ScopeId scope, const Configuration& configuration) const;
  /// In the order recorded.
  std::vector<Measurement> all(ScopeId scope) const;
  /// At most `count` correct ones, lowest cost first; those raced out come after all others.
  std::vector<Measurement> best(ScopeId scope, std::size_t count = 1) const;

  /// The most similar other scope of the same kernel with a correct record: same definition first,
  /// then the nearest device, then the nearest problem. For priors; nothing when there is none.
  std::optional<Scope> nearest(const ScopeKey& key, const Device& device) const;

  void add_answer(ScopeId scope, const Answer& answer);
  /// The last one.
  std::optional<Answer> answer(ScopeId scope) const;

private:
  explicit Store(Database database);
  void insert(ScopeId scope, const Measurement& measurement);

  Database database_;
};

/// A scope as a recording (format "gridsmith"), to be written or used as the device.
Recording recording_of(const Store& store, ScopeId scope);

} // namespace gridsmith
