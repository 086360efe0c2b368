// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/presentation/stores_text.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/number_text.hpp"

#include <fmt/format.h>

namespace gridsmith {
namespace {

std::optional<double> stored_times(const Outcome& outcome) {
  if (!outcome.definition || !outcome.definition->runnable() || outcome.answer.ranking.empty())
    return std::nullopt;
  try {
    const KernelInstance instance =
        instantiate(*outcome.definition, problem_size_from_text(outcome.subject.problem),
                    outcome.subject.device);
    return stores_per_element(outcome.answer.ranking.front().measurement.counters,
                              writable_size(instance));
  } catch (const InputError&) { // of a recording that the definition of today does not fit
    return std::nullopt;
  }
}

} // namespace

WritableSize writable_size(const KernelInstance& instance) {
  WritableSize size;
  for (const auto& [buffer, scalar] : argument_specs(instance))
    if (buffer && buffer->access != Access::read_only) {
      const auto elements = static_cast<double>(buffer->elements);
      size.elements += elements;
      size.bytes += elements * static_cast<double>(size_of(buffer->type));
    }
  return size;
}

std::string stores_text(const Outcome& outcome) {
  const auto times = stored_times(outcome);
  if (!times || *times < many_stores)
    return "";
  return fmt::format(
      "The best stores each element of its outputs {} times on average: check whether blocks "
      "repeat the same work; 'gridsmith check-definition' shows the grid.",
      number_text(*times));
}

} // namespace gridsmith
