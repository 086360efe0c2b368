// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/formats/newest.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/kernels/definition/problem_size.hpp"
#include "gridsmith/kernels/source/compiler_options.hpp"
#include "gridsmith/results/measurement/objective.hpp"

#include <fmt/format.h>

#include <map>
#include <tuple>
#include <utility>

namespace gridsmith {

bool is_newer(const Recording& one, const Recording& other) {
  const auto precedes = [](const Recording& of) {
    return precedence(of.source_hash.starts_with(replayed_prefix), of.date, of.measurements.size());
  };
  return precedes(one) > precedes(other);
}

std::vector<const Export*> newest_of(std::span<const Export> exports) {
  std::map<std::tuple<std::string, std::string, std::vector<std::int64_t>, std::string>,
           const Export*>
      kept;
  for (const Export& exported : exports) {
    const Recording& of = exported.recording;
    const Export*& one = kept[{of.kernel, of.device.name, extents_of(of.problem), of.problem}];
    if (!one || !is_newer(one->recording, of))
      one = &exported;
  }
  std::vector<const Export*> list;
  for (const auto& [what, exported] : kept)
    list.push_back(exported);
  return list;
}

std::string provenance_of(const Export& exported) {
  const Recording& of = exported.recording;
  std::string text = fmt::format("{} {} on {}, {} ms", of.kernel, of.problem, of.device.name,
                                 cost_ms(best_of(exported)).value());
  if (exported.answer && objective_name(exported.answer->found_by) != objective_name({}))
    text += ", the best by " + exported.answer->found_by.objective;
  for (const auto& [before, part] :
       {std::pair(", ", of.date.substr(0, 10)), std::pair(", ", of.conditions),
        std::pair(", source ", of.source_hash.substr(0, 12))})
    if (!part.empty())
      text += before + part;
  return printable(text);
}

void check_macro_name(std::string_view format, const std::string& parameter) {
  if (!is_macro_name(parameter))
    throw InputError(fmt::format("format '{}': the parameter '{}' cannot name a macro (letters, "
                                 "digits and underscores, no digit first)",
                                 format, printable(parameter)));
}

} // namespace gridsmith
