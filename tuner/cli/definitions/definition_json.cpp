// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/cli/definitions/definition_json.hpp"

#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"

#include <nlohmann/json.hpp>

namespace gridsmith {
namespace {

using Json = nlohmann::json;

Json problem_json(const ProblemReport& report) {
  Json json = {{"problem", report.problem},
               {"configurations", or_null(report.configurations)},
               {"product", report.product},
               {"flops", report.flops},
               {"bytes", report.bytes},
               {"is_default", report.is_default},
               {"no_default", or_null(report.no_default)},
               {"configuration", object_of(report.configuration)},
               {"macros", report.macros},
               {"geometry", report.geometry ? to_fields(*report.geometry, Fields::all) : Json()},
               {"arguments", Json::array()},
               {"trouble", or_null(report.trouble)}};
  for (const auto& [buffer, scalar] : report.arguments)
    json["arguments"].push_back(buffer ? to_fields(*buffer, Fields::all)
                                       : to_fields(*scalar, Fields::all));
  return json;
}

Json compiled_json(const CompileReport& one) {
  return {{"what", one.what},
          {"configuration", object_of(one.configuration)},
          {"geometry", to_fields(one.geometry, Fields::all)},
          {"compiles", one.compiles},
          {"launchable", one.launchable()},
          {"error", or_null(one.error)},
          {"refusal", or_null(one.refusal)},
          {"facts", to_fields(one.facts, Fields::all)}};
}

} // namespace

nlohmann::json to_json(const DefinitionReport& report) {
  const KernelDefinition& definition = report.definition;
  const SampleCount count = report.samples();
  Json json = {{"definition", definition.file.string()},
               {"kernel", definition.kernel},
               {"language", definition.language},
               {"reference", definition.reference.any()},
               {"accept", or_null(definition.reference.accept)},
               {"compiler", report.compiler},
               {"good", report.good()},
               {"verdict", verdict_text(report)},
               {"all", report.all},
               {"samples",
                {{"all", count.all}, {"compile", count.compile}, {"launchable", count.launchable}}},
               {"parameters", Json::object()},
               {"problems", Json::array()},
               {"compiled", Json::array()},
               {"not_compiled", Json::array()},
               {"elements", Json::array()},
               {"in_no_configuration", grouped_json(report.absent)},
               {"troubles", report.troubles},
               {"guesses", Json::array()},
               {"warnings", Json::array()},
               {"notes", Json::array()}};
  for (const Parameter& parameter : definition.parameters)
    for (const Value& value : parameter.values)
      json["parameters"][parameter.name].push_back(json_of(value));
  for (const ProblemReport& problem : report.problems)
    json["problems"].push_back(problem_json(problem));
  for (const CompileReport& one : report.compiled)
    json["compiled"].push_back(compiled_json(one));
  for (const ElementReport& one : report.elements)
    json["elements"].push_back(to_json(one));
  for (const auto& [name, value] : report.uncompiled)
    json["not_compiled"].push_back({{"parameter", name}, {"value", json_of(value)}});
  for (const FieldGuess& guess : definition.guesses)
    json["guesses"].push_back({{"field", guess.field}, {"guess", guess.text}});
  for (const Remark& remark : definition.remarks)
    json[remark.warning ? "warnings" : "notes"].push_back(remark.text);
  return json;
}

} // namespace gridsmith
