// SPDX-License-Identifier: Apache-2.0
// What a file says of the kernel whose measurements were taken from it. Of what was tuned here the answer says it.
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/results/measurement/validity.hpp"
#include "gridsmith/results/store/store.hpp"

#include <exception>

namespace gridsmith {
namespace {

/// What is stored was written by us, else the store is damaged.
KernelModel model_in(const Database& database, const std::string& text) {
  std::string objection;
  try {
    KernelModel model;
    read_fields(json_of_text(text), model);
    objection = objection_to(model.workload);
    if (objection.empty())
      objection = objection_to(model.own_metrics);
    if (objection.empty())
      return model;
  } catch (const std::exception& error) {
    objection = plain_text(error);
  }
  throw InputError(database.name() + ": the store is damaged: " + objection);
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
  return model_in(database_, statement.text(0));
}

} // namespace gridsmith
