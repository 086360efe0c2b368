// SPDX-License-Identifier: Apache-2.0
// What a file says of the kernel whose measurements were taken from it. Of what was tuned here the answer says it.
#include "gridsmith/results/measurement/validity.hpp"
#include "gridsmith/results/store/held.hpp"
#include "gridsmith/results/store/store.hpp"

namespace gridsmith {
namespace {

std::string objection_to_model(const KernelModel& model) {
  const std::string first = objection_to(model.workload);
  return first.empty() ? objection_to(model.own_metrics) : first;
}

} // namespace

void Store::keep_model(ScopeId scope, const KernelModel& model) {
  const nlohmann::json held = to_fields(model);
  if (held.empty())
    return;
  Statement statement =
      database_.prepare("INSERT OR IGNORE INTO models(scope, model) VALUES(?1,?2)");
  statement.bind(1, scope).bind(2, json_text(held));
  statement.step();
}

std::optional<KernelModel> Store::model(ScopeId scope) const {
  Statement statement = database_.prepare("SELECT model FROM models WHERE scope = ?1");
  statement.bind(1, scope);
  if (!statement.step())
    return std::nullopt;
  return fields_in(database_, statement.text(0), objection_to_model);
}

} // namespace gridsmith
