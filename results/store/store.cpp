// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/store/store.hpp"

#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/results/formats/parts/members.hpp"
#include "gridsmith/results/measurement/finals.hpp"
#include "gridsmith/results/measurement/measurement_json.hpp"
#include "gridsmith/results/measurement/validity.hpp"
#include "gridsmith/results/store/held.hpp"
#include "gridsmith/results/store/store_schema.hpp"

#include <array>

namespace gridsmith {
namespace {

using nlohmann::json;

constexpr const char* sql_now = "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')";

constexpr const char* scope_columns =
    "s.id, s.kernel, s.source_hash, s.definition_hash, s.device_name, s.device_uuid, s.driver, "
    "s.toolkit, s.problem, s.conditions, s.counter_set, s.device, s.peaks, s.parameters, "
    "s.recorded";

/// The key's columns in the order of scope_columns.
template <Like<ScopeKey> T>
auto key_columns(T& key) {
  return std::array{&key.kernel,      &key.source_hash, &key.definition_hash, &key.device_name,
                    &key.device_uuid, &key.driver,      &key.toolkit,         &key.problem,
                    &key.conditions,  &key.counter_set};
}

void bind_key(Statement& statement, const ScopeKey& key) {
  int column = 1;
  for (const std::string* text : key_columns(key))
    statement.bind(column++, *text);
}

/// Text of what we wrote; bytes of a compiler's log that are no UTF-8 are replaced.
std::string dumped(const json& value) {
  return json_text(value);
}

/// Four steps of what a record is worth beside another of the same configuration.
std::int64_t worth(const Measurement& measurement) {
  if (!measurement.correct())
    return 0;
  if (measurement.pruned_early)
    return 1;
  return measurement.counters.empty() ? 2 : 3;
}

/// As of what fields_in() reads.
Measurement checked(const Database& database, Measurement held) {
  if (const std::string objection = objection_to(held); !objection.empty())
    throw InputError(database.name() + ": the store is damaged: " + objection);
  return held;
}

/// Columns 0 and 1 of a row: the measurement and its counters.
Measurement measurement_in(const Database& database, const Statement& row) {
  Measurement measurement = held_in(database, row.text(0), measurement_of);
  if (!row.null(1))
    measurement.counters =
        held_in(database, row.text(1), [](const json& held) { return held.get<CounterValues>(); });
  return checked(database, std::move(measurement));
}

/// Of columns answer, recorded. @throws InputError: damaged
Answer answer_in(const Database& database, const Statement& row) {
  Answer answer{.when = row.text(1), .ranking = {}};
  held_in(database, row.text(0), [&](const json& held) {
    if (held.contains("found_by"))
      read_fields(held.at("found_by"), answer.found_by);
    const auto in_tie = held.at("tied").get<std::size_t>();
    for (const json& finalist : held.at("finalists")) {
      Measurement measurement = checked(database, measurement_of(finalist));
      const auto time = time_of(measurement);
      if (!time)
        throw InputError(database.name() + ": the store is damaged: a finalist has no times");
      const std::size_t place = answer.ranking.size();
      answer.ranking.push_back({std::move(measurement), *time, place > 0 && place < in_tie});
    }
    return 0;
  });
  return answer;
}

Scope scope_of(const Database& database, const Statement& row) {
  Scope scope;
  scope.id = row.integer(0);
  int column = 1;
  for (std::string* text : key_columns(scope.key))
    *text = row.text(column++);
  scope.device = fields_in<Device>(database, row.text(11), objection_to);
  scope.peaks = held_in(database, row.text(12), [](const json& held) {
    Peaks peaks;
    read_fields(held, peaks);
    return peaks;
  });
  const std::string parameters = row.text(13);
  JsonReader reader(parameters, "parameters");
  scope.parameters = read_parameters(reader);
  scope.when = row.text(14);
  scope.configurations = static_cast<std::size_t>(row.integer(15));
  scope.correct = static_cast<std::size_t>(row.integer(16));
  scope.newest = row.null(17) ? "" : row.text(17);
  return scope;
}

/// SQL: scope and configuration of those whose newest final overrules what they were raced at. Beside
/// max() the other columns are of its row (SQLite, "Bare columns in an aggregate query").
std::string overruled_sql() {
  return "SELECT scope, configuration FROM (SELECT scope, configuration, status, measurement, "
         "max(id) FROM records WHERE mode = 'final' "
         "GROUP BY scope, configuration) WHERE status <> 'correct' AND "
         "json_extract(measurement, '$.reason') LIKE '" +
         std::string(failed_again) + "%'";
}

std::string scopes_sql(const std::string& where) {
  return "WITH overruled AS (" + overruled_sql() + ") SELECT " + scope_columns +
         ", count(DISTINCT r.configuration), count(DISTINCT CASE WHEN o.scope IS NULL AND r.status = "
         "'correct' THEN r.configuration END), max(coalesce(json_extract(r.measurement, '$.when'), "
         "CASE WHEN s.source_hash LIKE '" +
         std::string(replayed_prefix) +
         "%' THEN '' ELSE r.recorded END)) FROM scopes s LEFT JOIN records r ON r.scope = s.id "
         "LEFT JOIN overruled o ON o.scope = r.scope AND o.configuration = r.configuration " +
         where + " GROUP BY s.id ORDER BY s.id";
}

/// Of each configuration of scope ?1 the record worth most: measurement, counters, cost_ms, worth
/// and `first`, the number of its first record.
constexpr const char* of_scope =
    "SELECT measurement, counters, cost_ms, worth, first FROM (SELECT *, "
    "min(id) OVER (PARTITION BY configuration) AS first, row_number() OVER (PARTITION BY "
    "configuration ORDER BY mode <> 'race', worth DESC, id) AS place FROM records WHERE scope = ?1) "
    "WHERE place = 1";

} // namespace

Store::Store(Database database) : database_(std::move(database)) {
}

Store::~Store() = default;
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

Store Store::open(const std::filesystem::path& file, Mode mode) {
  std::error_code error;
  const bool exists = std::filesystem::exists(file, error);
  if (!exists && mode == Mode::read_only)
    throw InputError(file.string() + ": there is no such store");
  if (exists && !std::filesystem::is_regular_file(file, error))
    throw InputError(file.string() + ": is not a file; a store is one");
  // One byte: SQLite takes that for empty ("unixFileSize", a workaround of its), and would write over it.
  if (exists && std::filesystem::file_size(file, error) == 1)
    throw InputError(file.string() + ": is not a Gridsmith store (no SQLite database)");
  if (exists && (mode == Mode::read_only || std::filesystem::file_size(file, error) > 0)) {
    // Looked at before anything may be written: what is newer, or not ours, stays as it is.
    Database look = Database::open(file, Database::Mode::read_only);
    const int found = store_version(look, version);
    if (mode == Mode::read_only) {
      if (found == version)
        return Store(std::move(look));
      Database copy = look.copy_in_memory();
      bring_up_to_date(copy, version);
      copy.run("PRAGMA query_only = ON");
      return Store(std::move(copy));
    }
  }
  const std::string_view shared = network_file_system_of(file);
  std::optional<WriterHost> writer;
  if (!shared.empty())
    writer.emplace(file, host_name(), shared);
  Database database = Database::open(file, Database::Mode::read_write);
  make_durable(database, shared.empty() ? Journal::log : Journal::rollback);
  bring_up_to_date(database, version);
  Store store(std::move(database));
  store.writer_ = std::move(writer);
  store.file_.emplace(file);
  store.log_.emplace(file.string() + "-wal");
  return store;
}

std::optional<ScopeId> Store::find_scope(const ScopeKey& key) const {
  Statement statement = database_.prepare(
      "SELECT id FROM scopes WHERE kernel = ?1 AND source_hash = ?2 AND definition_hash = ?3 AND "
      "device_name = ?4 AND device_uuid = ?5 AND driver = ?6 AND toolkit = ?7 AND problem = ?8 AND "
      "conditions = ?9 AND counter_set = ?10");
  bind_key(statement, key);
  return statement.step() ? std::optional(statement.integer(0)) : std::nullopt;
}

ScopeId Store::declare(const ScopeKey& key, const Device& device,
                       const std::vector<Parameter>& parameters) {
  if (const auto found = find_scope(key))
    return *found;
  Statement statement = database_.prepare(
      std::string("INSERT INTO scopes(kernel, source_hash, definition_hash, device_name, "
                  "device_uuid, driver, toolkit, problem, conditions, counter_set, device, "
                  "parameters, recorded) VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,") +
      sql_now + ") ON CONFLICT DO NOTHING");
  bind_key(statement, key);
  statement.bind(11, dumped(to_fields(device))).bind(12, dumped(parameters_json(parameters)));
  statement.step();
  return find_scope(key).value();
}

void Store::set_aside(ScopeId scope) {
  Statement statement = database_.prepare(
      std::string("UPDATE scopes SET conditions = conditions || '") + std::string(set_aside_mark) +
      "' || strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE id = ?1");
  statement.bind(1, scope);
  statement.step();
}

std::vector<Scope> Store::scopes() const {
  std::vector<Scope> scopes;
  Statement statement = database_.prepare(scopes_sql(""));
  while (statement.step())
    scopes.push_back(scope_of(database_, statement));
  return scopes;
}

Scope Store::scope(ScopeId id) const {
  Statement statement = database_.prepare(scopes_sql("WHERE s.id = ?1"));
  statement.bind(1, id);
  if (!statement.step())
    throw InputError(database_.name() + ": the store has no scope " + std::to_string(id));
  return scope_of(database_, statement);
}

void Store::set_peaks(ScopeId scope, const Peaks& peaks) {
  Statement statement = database_.prepare("UPDATE scopes SET peaks = ?2 WHERE id = ?1");
  statement.bind(1, scope).bind(2, dumped(fields::written(peaks, Fields::changed)));
  statement.step();
}

RunId Store::begin_run(ScopeId scope, const Run& run) {
  Statement statement = database_.prepare(
      std::string(
          "INSERT INTO runs(scope, strategy, seed, conditions, begun) VALUES(?1,?2,?3,?4,") +
      sql_now + ")");
  statement.bind(1, scope)
      .bind(2, run.strategy)
      .bind(3, static_cast<std::int64_t>(run.seed))
      .bind(4, dumped(to_fields(run.conditions)));
  statement.step();
  return database_.last_id();
}

RecordId Store::insert(ScopeId scope, const Measurement& measurement, std::optional<RunId> run) {
  if (!insert_)
    insert_ = database_.prepare(
        std::string("INSERT INTO records(scope, run, configuration, mode, status, cost_ms, worth, "
                    "measurement, counters, recorded) VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,") +
        sql_now + ")");
  json held = json_of(measurement);
  held.erase("counters");
  Statement& statement = insert_->reset();
  statement.bind(1, scope)
      .bind(3, to_text(measurement.configuration))
      .bind(4, to_text(measurement.mode))
      .bind(5, to_text(measurement.status))
      .bind(7, worth(measurement))
      .bind(8, dumped(held));
  if (run)
    statement.bind(2, *run);
  if (const auto cost = cost_ms(measurement))
    statement.bind(6, *cost);
  if (!measurement.counters.empty())
    statement.bind(9, dumped(json(measurement.counters)));
  statement.step();
  statement.reset();
  return database_.last_id();
}

RecordId Store::add(ScopeId scope, const Measurement& measurement, std::optional<RunId> run) {
  return insert(scope, measurement, run); // a statement alone is a transaction of its own
}

std::vector<RecordId> Store::add(ScopeId scope, std::span<const Measurement> measurements,
                                 std::optional<RunId> run) {
  Transaction transaction(database_);
  std::vector<RecordId> ids;
  for (const Measurement& measurement : measurements)
    ids.push_back(insert(scope, measurement, run));
  transaction.commit();
  return ids;
}

void Store::add_counters(RecordId record, const CounterValues& counters) {
  Statement statement = database_.prepare("UPDATE records SET counters = ?2, worth = CASE worth "
                                          "WHEN 2 THEN 3 ELSE worth END WHERE id = ?1");
  statement.bind(1, record).bind(2, dumped(json(counters)));
  statement.step();
}

/// Of one configuration.
std::optional<Measurement> Store::overruling(ScopeId scope,
                                             const Configuration& configuration) const {
  Statement statement = database_.prepare(
      "SELECT measurement, counters FROM records WHERE scope = ?1 AND configuration = ?2 AND mode "
      "= 'final' ORDER BY id DESC LIMIT 1");
  statement.bind(1, scope).bind(2, to_text(configuration));
  if (!statement.step())
    return std::nullopt;
  Measurement final = measurement_in(database_, statement);
  return overrules(final) ? std::optional(std::move(final)) : std::nullopt;
}

std::optional<Measurement>
Store::find(ScopeId scope, const Configuration& configuration, const Conditions& asked,
            const std::function<bool(const Measurement&)>& serves) const {
  if (!find_)
    find_ = database_.prepare("SELECT measurement, counters FROM records WHERE scope = ?1 AND "
                              "configuration = ?2 AND mode = 'race' ORDER BY worth DESC, id");
  Statement& statement = find_->reset();
  statement.bind(1, scope).bind(2, to_text(configuration));
  std::optional<Measurement> found;
  int settled = 0; // what was timed to its end once is not answered by less
  while (!found && statement.step()) {
    Measurement record = measurement_in(database_, statement);
    const int kind = !record.correct() ? 0 : record.pruned_early ? 1 : 2;
    if (kind < settled)
      break;
    settled = kind;
    if (satisfies(record, asked) && (!serves || serves(record)))
      found = std::move(record);
  }
  statement.reset();
  if (!found || !found->correct())
    return found;
  const auto final = overruling(scope, configuration);
  return !final ? found : satisfies(*final, asked) ? final : std::nullopt;
}

std::vector<Measurement> Store::records(ScopeId scope, const std::string& query) const {
  std::vector<Measurement> rows;
  Statement statement = database_.prepare(query);
  statement.bind(1, scope);
  while (statement.step())
    rows.push_back(measurement_in(database_, statement));
  return rows;
}

std::vector<Measurement> Store::all(ScopeId scope) const {
  std::vector<Measurement> rows = records(scope, std::string(of_scope) + " ORDER BY first");
  settle(rows, finals(scope));
  return rows;
}

std::vector<Measurement> Store::finals(ScopeId scope) const {
  return records(scope, "SELECT measurement, counters FROM records WHERE scope = ?1 AND mode = "
                        "'final' ORDER BY id");
}

std::vector<Measurement> Store::history(ScopeId scope) const {
  return records(scope, "SELECT measurement, counters FROM records WHERE scope = ?1 ORDER BY id");
}

void Store::add_answer(ScopeId scope, const Answer& answer) {
  Statement statement = database_.prepare(
      std::string("INSERT INTO answers(scope, answer, recorded) VALUES(?1,?2,") + sql_now + ")");
  json finalists = json::array();
  for (const Ranked& one : answer.ranking)
    finalists.push_back(json_of(one.measurement));
  const json held = {{"tied", answer.ties() + 1},
                     {"finalists", std::move(finalists)},
                     {"found_by", to_fields(answer.found_by)}};
  statement.bind(1, scope).bind(2, dumped(held));
  statement.step();
}

std::vector<Answer> Store::answers(ScopeId scope) const {
  // What is no JSON is read as well, and then told as damage.
  Statement statement = database_.prepare(
      "SELECT answer, recorded FROM (SELECT answer, recorded, id, row_number() OVER (PARTITION BY CASE "
      "WHEN json_valid(answer) THEN coalesce(json_extract(answer, '$.found_by.objective'), '" +
      objective_name({}) +
      "') END ORDER BY recorded DESC, id DESC) AS place FROM answers WHERE scope = ?1) WHERE "
      "place = 1 ORDER BY recorded DESC, id DESC");
  statement.bind(1, scope);
  std::vector<Answer> newest;
  while (statement.step())
    newest.push_back(answer_in(database_, statement));
  return newest;
}

std::optional<Answer> Store::answer(ScopeId scope) const {
  Statement statement = database_.prepare(
      "SELECT answer, recorded FROM answers WHERE scope = ?1 ORDER BY recorded DESC, id DESC LIMIT 1");
  statement.bind(1, scope);
  return statement.step() ? std::optional(answer_in(database_, statement)) : std::nullopt;
}

} // namespace gridsmith
