// SPDX-License-Identifier: Apache-2.0
// The best configurations by device name, kernel and problem, schema "gridsmith-per-device-1": one
// line each and in a fixed order, so that a new measurement changes its line and a new GPU adds its
// own. For repositories and for programs that choose at run time.
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/results/formats/answer_json.hpp"
#include "gridsmith/results/formats/newest.hpp"
#include "gridsmith/results/measurement/objective.hpp"

#include <nlohmann/json.hpp>

#include <map>

namespace gridsmith {
namespace {

using Ordered = nlohmann::ordered_json;

Ordered best_json(const Export& exported) {
  const Recording& of = exported.recording;
  const Measurement& best = best_of(exported);
  Ordered line = {{"configuration", object_of(best.configuration)},
                  {"time_ms", cost_ms(best).value()},
                  {"date", best.when.empty() ? of.date : best.when},
                  {"conditions", of.conditions},
                  {"source_hash", of.source_hash}};
  if (const FoundBy by = answer_of(exported).found_by; objective_name(by) != objective_name({})) {
    line["objective"] = by.objective;
    if (const auto value = objective_of(by, of.device).value(best, by.workload))
      line["value"] = *value;
  }
  return line;
}

/// {"name": member, …} with a line each.
template <typename Members, typename Text>
std::string object_text(const Members& members, const Text& text_of) {
  std::string text = "{";
  const char* separator = "\n";
  for (const auto& [name, held] : members) {
    text += separator + json_text(Ordered(name)) + ": " + text_of(held);
    separator = ",\n";
  }
  return text + "\n}";
}

} // namespace

std::string per_device_text(std::span<const Export> exports) {
  using Problems = std::vector<std::pair<std::string, const Export*>>;
  std::map<std::string, std::map<std::string, Problems>> devices; // then kernels
  for (const Export* one : newest_of(exports)) {
    const Recording& of = one->recording;
    devices[of.device.name][of.kernel].emplace_back(of.problem, one);
  }
  const auto problems = [](const Problems& held) {
    return object_text(held, [](const Export* one) { return json_text(best_json(*one)); });
  };
  const auto kernels = [&](const auto& held) { return object_text(held, problems); };
  return "{\"schema\": \"gridsmith-per-device-1\",\n\"devices\": " + object_text(devices, kernels) +
         "\n}\n";
}

} // namespace gridsmith
