// SPDX-License-Identifier: Apache-2.0
// Kernel Launcher's wisdom file, version 1.0: a line of JSON for the kernel, then one per device and
// problem with the best configuration there; times in ms. Format: python/kernel_launcher/wisdom.py
// and src/wisdom.cpp of its repository. Put it as <kernel>.wisdom where Kernel Launcher looks.
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/kernels/definition/problem_size.hpp"
#include "gridsmith/results/formats/newest.hpp"
#include "gridsmith/results/measurement/objective.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace gridsmith {
namespace {

using Ordered = nlohmann::ordered_json;

constexpr std::size_t most_extents = 3;      ///< that Kernel Launcher reads
constexpr double exact = 9007199254740992.0; ///< 2^53: whole numbers below are exact in a double

/// A whole number is written as one: Kernel Launcher compares 16 with the parameter's values, not 16.0.
Ordered wisdom_value(const Value& value) {
  const double* real = std::get_if<double>(&value);
  return real && std::trunc(*real) == *real && std::abs(*real) < exact
             ? Ordered(static_cast<std::int64_t>(*real))
             : Ordered(json_of(value));
}

/// @throws InputError: other parameters, or a problem that is none
Ordered line_of(const Export& exported, const Configuration& names) {
  const Recording& of = exported.recording;
  const Measurement& best = best_of(exported);
  const std::vector<std::int64_t> extents = extents_of(of.problem);
  const std::string what = printable(fmt::format("kernel '{}' on '{}'", of.kernel, of.device.name));
  if (extents.empty() || extents.size() > most_extents)
    throw InputError(fmt::format("{}: wisdom needs a problem size of 1 to 3 extents, not '{}'",
                                 what, printable(of.problem)));
  Ordered values = Ordered::array();
  for (const auto& [name, ignored] : names)
    if (const Value* value = find_value(best.configuration, name))
      values.push_back(wisdom_value(*value));
  if (values.size() != names.size() || names.size() != best.configuration.size())
    throw InputError(what + ": recordings have different parameters; a wisdom file has one list");
  return {{"config", std::move(values)},
          {"problem_size", extents},
          {"time", cost_ms(best).value()},
          {"environment",
           {{"date", best.when.empty() ? of.date : best.when},
            {"device_name", of.device.name},
            {"compute_capability", of.device.compute_capability},
            {"driver", of.device.driver_version},
            {"toolkit", of.device.toolkit_version},
            {"conditions", of.conditions},
            {"source_hash", of.source_hash}}}};
}

} // namespace

/// @throws InputError: several kernels, or what line_of() does
std::string wisdom_text(std::span<const Export> all) {
  std::vector<Export> exports;
  exports.reserve(all.size());
  for (const Export& one : all)
    exports.push_back(by_time(one));
  const std::vector<const Export*> list = newest_of(exports);
  const std::string& kernel = list.front()->recording.kernel;
  if (list.back()->recording.kernel != kernel)
    throw InputError(
        fmt::format("format 'wisdom' holds one kernel; choose with --kernel: '{}', '{}' …",
                    printable(kernel), printable(list.back()->recording.kernel)));
  const Configuration& names = best_of(*list.front()).configuration;
  Ordered parameters = Ordered::array();
  for (const auto& [name, ignored] : names)
    parameters.push_back(name);
  std::string text = json_text(Ordered{{"version", "1.0"},
                                       {"objective", "time"},
                                       {"tunable_parameters", std::move(parameters)},
                                       {"key", kernel}}) +
                     "\n";
  for (const Export* exported : list)
    text += json_text(line_of(*exported, names)) + "\n";
  return text;
}

} // namespace gridsmith
