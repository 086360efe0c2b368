// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/gpu/open_work.hpp"

#include "gridsmith/kernels/definition/input_specs.hpp"
#include "gridsmith/kernels/definition/references.hpp"
#include "gridsmith/metrics/catalogue/counter_sets.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace gridsmith {
namespace {

Bytes bytes_of(const std::string& text) {
  return Bytes(text.begin(), text.end());
}

/// The definition's own beside a set; where nothing is to be counted they are not either.
std::vector<std::string> with_own(std::vector<std::string> counters,
                                  const KernelDefinition& definition) {
  if (!counters.empty())
    for (const OwnCounter& own : definition.own_metrics.counters)
      if (std::find(counters.begin(), counters.end(), own.cupti) == counters.end())
        counters.push_back(own.cupti);
  return counters;
}

/// None of a transfer, which is no single kernel.
std::vector<std::string> counters_of(std::string_view set, const KernelInstance& instance) {
  if (instance.definition.transfer)
    return {};
  return with_own(wanted_counters(set, instance.device.chip).names, instance.definition);
}

} // namespace

UseDevice use_device(const KernelInstance& instance, const Conditions& conditions) {
  return {.ordinal = instance.device.ordinal,
          .device_code = nullptr,
          .counters = counters_of(conditions.counter_set, instance),
          .later_counters = counters_of(counters_of_finals(conditions.counter_set), instance),
          .chip = instance.device.chip};
}

OpenWork open_work(const KernelInstance& instance, const Conditions& conditions,
                   std::uint64_t seed) {
  const Reference& reference = instance.definition.reference;
  OpenWork open;
  open.label = instance.definition.name;
  open.arguments = argument_specs(instance);
  read_contents(instance, open.arguments);
  open.seed = seed;
  open.reference.element = reference.element;
  open.reference.extents = extents_of(instance);
  open.reference.arguments = reference_arguments(instance);
  if (reference.file)
    open.reference.expected = bytes_of(expected_output(instance));
  open.counters = counters_of(conditions.counter_set, instance);
  open.final_counters = counters_of(counters_of_finals(conditions.counter_set), instance);
  open.regime = conditions.regime;
  open.sampling = conditions.sampling;
  open.measure_copy = true;
  return open;
}

} // namespace gridsmith
