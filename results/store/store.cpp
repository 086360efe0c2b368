#include "gridsmith/results/store/store.hpp"

#include "gridsmith/results/formats/json_reader.hpp"
#include "gridsmith/results/measurement/measurement_json.hpp"
#include "gridsmith/results/store/store_schema.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

namespace gridsmith {
namespace {

using nlohmann::json;

constexpr const char* now = "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')";

constexpr const char* scope_columns =
    "s.id, s.kernel, s.source_hash, s.definition_hash, s.device_name, s.device_uuid, s.driver, "
    "s.toolkit, s.problem, s.warm, s.counter_set, s.device, s.parameters, s.recorded";

/// The key's ten columns, in the order of scope_columns, from parameter 1 on.
void bind_key(Statement& statement, const ScopeKey& key) {
  int column = 1;
  for (const std::string* text :
       {&key.kernel, &key.source_hash, &key.definition_hash, &key.device_name, &key.device_uuid,
        &key.driver, &key.toolkit, &key.problem})
    statement.bind(column++, *text);
  statement.bind(9, std::int64_t{key.warm}).bind(10, key.counter_set);
}

/// Four steps of what a record is worth when two programs measured the same.
std::int64_t worth(const Measurement& measurement) {
  if (!measurement.correct())
    return 0;
  if (measurement.raced_out)
    return 1;
  return measurement.counters.empty() ? 2 : 3;
}

json json_of(const std::vector<Parameter>& parameters) {
  json list = json::array();
  for (const Parameter& parameter : parameters) {
    json values = json::array();
    for (const Value& value : parameter.values)
      std::visit([&](const auto& held) { values.push_back(held); }, value);
    list.push_back({{"name", parameter.name}, {"values", std::move(values)}});
  }
  return list;
}

std::vector<Parameter> parameters_of(const std::string& text) {
  std::vector<Parameter> parameters;
  JsonReader reader(text, "parameters");
  reader.array([&] {
    Parameter& parameter = parameters.emplace_back();
    reader.object([&](const std::string& key) {
      if (key == "name")
        parameter.name = reader.string();
      else
        reader.array([&] { parameter.values.push_back(reader.scalar()); });
    });
  });
  return parameters;
}

/// What is stored was written by us: JSON that does not fit means a damaged store.
template <class T>
T held_in(const Database& database, const std::string& text) {
  try {
    return json::parse(text).get<T>();
  } catch (const json::exception& error) {
    throw InputError(database.name() + ": the store is damaged: " + error.what());
  }
}

Scope scope_of(const Database& database, const Statement& row) {
  Scope scope;
  scope.id = row.integer(0);
  ScopeKey& key = scope.key;
  int column = 1;
  for (std::string* text : {&key.kernel, &key.source_hash, &key.definition_hash, &key.device_name,
                            &key.device_uuid, &key.driver, &key.toolkit, &key.problem})
    *text = row.text(column++);
  key.warm = row.integer(9) != 0;
  key.counter_set = row.text(10);
  scope.device = held_in<Device>(database, row.text(11));
  scope.parameters = parameters_of(row.text(12));
  scope.when = row.text(13);
  scope.records = static_cast<std::size_t>(row.integer(14));
  scope.correct = static_cast<std::size_t>(row.integer(15));
  if (!row.null(16))
    scope.best_ms = row.real(16);
  return scope;
}

std::string scopes_sql(const std::string& where) {
  return std::string("SELECT ") + scope_columns +
         ", count(r.id), count(r.cost_ms), min(r.cost_ms) FROM scopes s LEFT JOIN records r ON "
         "r.scope = s.id " +
         where + " GROUP BY s.id ORDER BY s.id";
}

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
  Database database = Database::open(file, Database::Mode::read_write);
  make_durable(database);
  bring_up_to_date(database, version);
  return Store(std::move(database));
}

std::optional<ScopeId> Store::find_scope(const ScopeKey& key) const {
  Statement statement = database_.prepare(
      "SELECT id FROM scopes WHERE kernel = ?1 AND source_hash = ?2 AND definition_hash = ?3 AND "
      "device_name = ?4 AND device_uuid = ?5 AND driver = ?6 AND toolkit = ?7 AND problem = ?8 AND "
      "warm = ?9 AND counter_set = ?10");
  bind_key(statement, key);
  return statement.step() ? std::optional(statement.integer(0)) : std::nullopt;
}

ScopeId Store::declare(const ScopeKey& key, const Device& device,
                       const std::vector<Parameter>& parameters) {
  if (const auto found = find_scope(key))
    return *found;
  Statement statement = database_.prepare(
      std::string("INSERT INTO scopes(kernel, source_hash, definition_hash, device_name, "
                  "device_uuid, driver, toolkit, problem, warm, counter_set, device, parameters, "
                  "recorded) VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,") +
      now + ") ON CONFLICT DO NOTHING");
  bind_key(statement, key);
  statement.bind(11, json(device).dump()).bind(12, json_of(parameters).dump());
  statement.step();
  return find_scope(key).value();
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

void Store::insert(ScopeId scope, const Measurement& measurement) {
  Statement statement = database_.prepare(
      std::string("INSERT INTO records(scope, configuration, status, cost_ms, worth, measurement, "
                  "recorded) VALUES(?1,?2,?3,?4,?5,?6,") +
      now +
      ") ON CONFLICT(scope, configuration) DO UPDATE SET status = excluded.status, cost_ms = "
      "excluded.cost_ms, worth = excluded.worth, measurement = excluded.measurement, recorded = "
      "excluded.recorded WHERE excluded.worth > records.worth");
  statement.bind(1, scope)
      .bind(2, to_text(measurement.configuration))
      .bind(3, to_text(measurement.status))
      .bind(5, worth(measurement))
      .bind(6, json(measurement).dump(-1, ' ', false, json::error_handler_t::replace));
  if (const auto cost = cost_ms(measurement))
    statement.bind(4, *cost);
  statement.step();
}

void Store::add(ScopeId scope, const Measurement& measurement) {
  insert(scope, measurement); // a statement alone is a transaction of its own
}

void Store::add(ScopeId scope, std::span<const Measurement> measurements) {
  Transaction transaction(database_);
  for (const Measurement& measurement : measurements)
    insert(scope, measurement);
  transaction.commit();
}

std::optional<Measurement> Store::find(ScopeId scope, const Configuration& configuration) const {
  Statement statement =
      database_.prepare("SELECT measurement FROM records WHERE scope = ?1 AND configuration = ?2");
  statement.bind(1, scope).bind(2, to_text(configuration));
  if (!statement.step())
    return std::nullopt;
  return held_in<Measurement>(database_, statement.text(0));
}

std::vector<Measurement> Store::all(ScopeId scope) const {
  std::vector<Measurement> rows;
  Statement statement =
      database_.prepare("SELECT measurement FROM records WHERE scope = ?1 ORDER BY id");
  statement.bind(1, scope);
  while (statement.step())
    rows.push_back(held_in<Measurement>(database_, statement.text(0)));
  return rows;
}

std::vector<Measurement> Store::best(ScopeId scope, std::size_t count) const {
  std::vector<Measurement> rows;
  Statement statement = database_.prepare(
      "SELECT measurement FROM records WHERE scope = ?1 AND status = 'correct' AND cost_ms IS NOT "
      "NULL ORDER BY worth = 1, cost_ms, id LIMIT ?2");
  statement.bind(1, scope).bind(2, static_cast<std::int64_t>(count));
  while (statement.step())
    rows.push_back(held_in<Measurement>(database_, statement.text(0)));
  return rows;
}

void Store::add_answer(ScopeId scope, const Answer& answer) {
  Statement statement = database_.prepare(
      std::string("INSERT INTO answers(scope, answer, recorded) VALUES(?1,?2,") + now + ")");
  const json held = {{"tied", answer.tied}, {"finalists", answer.finalists}};
  statement.bind(1, scope).bind(2, held.dump(-1, ' ', false, json::error_handler_t::replace));
  statement.step();
}

std::optional<Answer> Store::answer(ScopeId scope) const {
  Statement statement = database_.prepare(
      "SELECT answer, recorded FROM answers WHERE scope = ?1 ORDER BY id DESC LIMIT 1");
  statement.bind(1, scope);
  if (!statement.step())
    return std::nullopt;
  const auto held = held_in<json>(database_, statement.text(0));
  return Answer{statement.text(1), held.at("finalists").get<std::vector<Measurement>>(),
                held.at("tied").get<std::size_t>()};
}

} // namespace gridsmith
