// SPDX-License-Identifier: Apache-2.0
// What regression checks found, over time.
#include "gridsmith/results/store/held.hpp"
#include "gridsmith/results/store/store.hpp"

#include <algorithm>
#include <cmath>

namespace gridsmith {
namespace {

std::string objection_to_check(const PastCheck& check) {
  const bool sound = std::isfinite(check.ratio) && check.ratio > 0 && !check.kernel.empty();
  return sound ? "" : "a check with a ratio that is none";
}

} // namespace

void Store::keep_checks(std::span<const PastCheck> checks) {
  Transaction transaction(database_);
  for (const PastCheck& check : checks) {
    Statement statement = database_.prepare("INSERT INTO checks(kernel, found) VALUES(?1,?2)");
    statement.bind(1, check.kernel).bind(2, json_text(to_fields(check)));
    statement.step();
  }
  transaction.commit();
}

std::vector<PastCheck> Store::past_checks() const {
  Statement statement = database_.prepare("SELECT found FROM checks ORDER BY id");
  std::vector<PastCheck> checks;
  while (statement.step())
    checks.push_back(fields_in(database_, statement.text(0), objection_to_check));
  // Those of another store were added behind ours.
  std::stable_sort(checks.begin(), checks.end(),
                   [](const PastCheck& a, const PastCheck& b) { return a.date < b.date; });
  return checks;
}

void Store::take_checks(const Store& other) {
  const std::vector<PastCheck> held = past_checks();
  std::vector<PastCheck> fresh;
  for (PastCheck& one : other.past_checks())
    if (std::find(held.begin(), held.end(), one) == held.end())
      fresh.push_back(std::move(one));
  keep_checks(fresh);
}

} // namespace gridsmith
