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

bool wants(CounterKind kind, const std::vector<std::string>& counters) {
  return std::any_of(counters.begin(), counters.end(),
                     [&](const std::string& name) { return counter_kind(name) == kind; });
}

/// The definition's own beside a set; where the profiler has nothing to count it does not count them either.
std::vector<std::string> with_own(std::vector<std::string> counters,
                                  const KernelDefinition& definition) {
  if (wants(CounterKind::profiler, counters))
    for (const OwnCounter& own : definition.own_metrics.counters)
      if (std::find(counters.begin(), counters.end(), own.cupti) == counters.end())
        counters.push_back(own.cupti);
  return counters;
}

/// Of the profiler. None of a transfer, which is no single kernel.
std::vector<std::string> profiled_of(std::string_view set, const KernelInstance& instance) {
  if (instance.definition.transfer)
    return {};
  std::vector<std::string> counters =
      with_own(wanted_counters(set, instance.device.chip).names, instance.definition);
  std::erase_if(counters, [](const std::string& name) {
    return counter_kind(name) != CounterKind::profiler;
  });
  return counters;
}

} // namespace

UseDevice use_device(const KernelInstance& instance, const Conditions& conditions) {
  return {.ordinal = instance.device.ordinal,
          .device_code = nullptr,
          .counters = profiled_of(conditions.counter_set, instance),
          .later_counters = profiled_of(counters_of_finals(conditions.counter_set), instance),
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
  open.counters = profiled_of(conditions.counter_set, instance);
  open.final_counters = profiled_of(counters_of_finals(conditions.counter_set), instance);
  const auto wanted = wanted_counters(conditions.counter_set, instance.device.chip).names;
  open.accept = reference.accept;
  open.differences = !reference.accept.empty() || wants(CounterKind::result, wanted);
  open.energy = wants(CounterKind::board, wanted);
  open.conditions = conditions;
  open.measure_copy = true;
  return open;
}

} // namespace gridsmith
