// SPDX-License-Identifier: Apache-2.0
// Several stores become one: rows are taken over as they are, after they were read as a tuning reads
// them.
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/named.hpp"
#include "gridsmith/results/store/store.hpp"

#include <fmt/format.h>

#include <map>

namespace gridsmith {
namespace {

/// Column `from` of a row as the value of a statement, whatever it is.
void copy_text(Statement& to, int parameter, const Statement& row, int from) {
  if (row.null(from))
    to.bind_null(parameter);
  else
    to.bind(parameter, row.text(from));
}

bool same_parameters(const std::vector<Parameter>& a, const std::vector<Parameter>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
    return one.name == other.name && one.values == other.values;
  });
}

/// What `other` has measured later than `held`, or alone.
Peaks newer_peaks(const Peaks& held, const Peaks& other) {
  Peaks newer;
  for (const Peak& peak : other) {
    const Peak* same = find_named(peak.name, held);
    if (!same || same->date < peak.date)
      newer.push_back(peak);
  }
  return newer;
}

/// The same run here, made now where there is none.
RunId run_here(const Database& database, ScopeId scope, const Statement& run) {
  const auto filled = [&](const char* sql) {
    Statement statement = database.prepare(sql);
    statement.bind(1, scope).bind(3, run.integer(2));
    for (const auto& [parameter, column] : {std::pair(2, 1), {4, 3}, {5, 4}})
      statement.bind(parameter, run.text(column));
    return statement;
  };
  Statement same =
      filled("SELECT id FROM runs WHERE scope = ?1 AND strategy = ?2 AND seed = ?3 AND "
             "conditions = ?4 AND begun = ?5");
  if (same.step())
    return same.integer(0);
  filled("INSERT INTO runs(scope, strategy, seed, conditions, begun) VALUES(?1,?2,?3,?4,?5)")
      .step();
  return database.last_id();
}

/// Runs of the other store -> runs here.
std::map<RunId, RunId> taken_runs(const Database& from, ScopeId from_scope, const Database& to,
                                  ScopeId to_scope) {
  Statement runs = from.prepare(
      "SELECT id, strategy, seed, conditions, begun FROM runs WHERE scope = ?1 ORDER BY id");
  runs.bind(1, from_scope);
  std::map<RunId, RunId> here;
  while (runs.step())
    here[runs.integer(0)] = run_here(to, to_scope, runs);
  return here;
}

} // namespace

void Store::all_or_none(const std::function<void()>& write) {
  Transaction transaction(database_);
  write();
  transaction.commit();
}

Taken Store::take(const Store& other) {
  Taken taken;
  all_or_none([&] {
    for (const Scope& scope : other.scopes()) {
      const Taken of = take_scope(other, scope);
      taken.added += of.added;
      taken.held += of.held;
    }
    take_board_peaks(other);
    take_checks(other);
    take_verdicts(other);
  });
  return taken;
}

Taken Store::take_scope(const Store& other, const Scope& scope) {
  other.history(scope.id); // what is damaged there is not taken
  other.answer(scope.id);
  const auto known = find_scope(scope.key);
  const ScopeId id = declare(scope.key, scope.device, scope.parameters);
  Peaks peaks;
  if (known) {
    const Scope here = this->scope(id);
    peaks = here.peaks;
    if (!here.parameters.empty() && !scope.parameters.empty() &&
        !same_parameters(here.parameters, scope.parameters))
      throw InputError(fmt::format("{}: '{}', problem '{}' on '{}' has other parameters than in {}",
                                   other.database_.name(), scope.key.kernel, scope.key.problem,
                                   scope.key.device_name, database_.name()));
  } else {
    database_.prepare("UPDATE scopes SET recorded = ?2 WHERE id = ?1")
        .bind(1, id)
        .bind(2, scope.when)
        .step();
  }
  if (const Peaks newer = newer_peaks(peaks, scope.peaks); !newer.empty())
    set_peaks(id, merged(newer, peaks));
  if (const auto model = other.model(scope.id))
    keep_model(id, *model);
  const Taken taken = take_records(other, scope.id, id);
  take_answers(other, scope.id, id);
  return taken;
}

Taken Store::take_records(const Store& other, ScopeId from, ScopeId to) {
  const std::map<RunId, RunId> runs = taken_runs(other.database_, from, database_, to);
  Statement row = other.database_.prepare(
      "SELECT run, configuration, mode, status, cost_ms, worth, measurement, counters, recorded FROM "
      "records WHERE scope = ?1 ORDER BY id");
  Statement same = database_.prepare(
      "SELECT id FROM records WHERE scope = ?1 AND configuration = ?2 AND mode = ?3 AND "
      "measurement = ?4 ORDER BY counters IS NULL DESC, id");
  Statement count = database_.prepare( // counters may have come later, to one of the two
      "UPDATE records SET counters = ?2, worth = ?3 WHERE id = ?1 AND counters IS NULL");
  Statement insert = database_.prepare(
      "INSERT INTO records(scope, run, configuration, mode, status, cost_ms, worth, measurement, "
      "counters, recorded) VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10)");
  row.bind(1, from);
  Taken taken;
  while (row.step()) {
    same.reset().bind(1, to).bind(2, row.text(1)).bind(3, row.text(2)).bind(4, row.text(6));
    if (same.step()) {
      ++taken.held;
      if (!row.null(7))
        count.reset().bind(1, same.integer(0)).bind(2, row.text(7)).bind(3, row.integer(5)).step();
      continue;
    }
    ++taken.added;
    insert.reset().bind(1, to).bind(7, row.integer(5));
    if (row.null(0))
      insert.bind_null(2);
    else
      insert.bind(2, runs.at(row.integer(0)));
    if (row.null(4))
      insert.bind_null(6);
    else
      insert.bind(6, row.real(4));
    for (const auto& [parameter, column] :
         {std::pair(3, 1), {4, 2}, {5, 3}, {8, 6}, {9, 7}, {10, 8}})
      copy_text(insert, parameter, row, column);
    insert.step();
  }
  return taken;
}

void Store::take_answers(const Store& other, ScopeId from, ScopeId to) {
  Statement row =
      other.database_.prepare("SELECT answer, recorded FROM answers WHERE scope = ?1 ORDER BY id");
  Statement insert = database_.prepare(
      "INSERT INTO answers(scope, answer, recorded) SELECT ?1, ?2, ?3 WHERE NOT EXISTS (SELECT 1 FROM "
      "answers WHERE scope = ?1 AND answer = ?2 AND recorded = ?3)");
  row.bind(1, from);
  while (row.step())
    insert.reset().bind(1, to).bind(2, row.text(0)).bind(3, row.text(1)).step();
}

void Store::take_board_peaks(const Store& other) {
  Statement board = other.database_.prepare("SELECT DISTINCT device_name, device_uuid FROM peaks");
  while (board.step()) {
    Device device;
    device.name = board.text(0);
    device.uuid = board.text(1);
    keep_peaks(device, newer_peaks(kept_peaks(device), other.kept_peaks(device)));
  }
}

} // namespace gridsmith
