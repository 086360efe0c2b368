// SPDX-License-Identifier: Apache-2.0
// Verdicts on candidates, with what they rest on.
#include "gridsmith/base/error.hpp"
#include "gridsmith/results/judge/evidence.hpp"
#include "gridsmith/results/store/store.hpp"

namespace gridsmith {
namespace {

/// What is stored was written by us, else the store is damaged.
Evidence evidence_in(const Database& database, const std::string& text) {
  try {
    return evidence_of_text(text);
  } catch (const InputError& error) {
    throw InputError(database.name() + ": the store is damaged: " + error.what());
  }
}

} // namespace

void Store::keep_evidence(const Evidence& evidence) {
  Transaction transaction(database_);
  Statement statement =
      database_.prepare("INSERT OR REPLACE INTO verdicts(key, evidence) VALUES(?1,?2)");
  statement.bind(1, evidence.key).bind(2, evidence_text(evidence));
  statement.step();
  transaction.commit();
}

std::optional<Evidence> Store::evidence(const std::string& key) const {
  Statement statement = database_.prepare("SELECT evidence FROM verdicts WHERE key = ?1");
  statement.bind(1, key);
  if (!statement.step())
    return std::nullopt;
  return evidence_in(database_, statement.text(0));
}

void Store::take_verdicts(const Store& other) {
  Statement theirs = other.database_.prepare("SELECT key, evidence FROM verdicts");
  while (theirs.step()) {
    evidence_in(other.database_, theirs.text(1)); // what is damaged there is not taken
    Statement statement =
        database_.prepare("INSERT OR IGNORE INTO verdicts(key, evidence) VALUES(?1,?2)");
    statement.bind(1, theirs.text(0)).bind(2, theirs.text(1));
    statement.step();
  }
}

} // namespace gridsmith
