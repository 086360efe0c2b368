#include "gridsmith/tuner/gpu/open_work.hpp"

#include "gridsmith/kernels/definition/input_specs.hpp"
#include "gridsmith/kernels/definition/references.hpp"
#include "gridsmith/metrics/catalogue/counter_sets.hpp"

#include <string>

namespace gridsmith {
namespace {

Bytes bytes_of(const std::string& text) {
  return Bytes(text.begin(), text.end());
}

} // namespace

OpenWork open_work(const KernelInstance& instance, const Conditions& conditions,
                   std::uint64_t seed) {
  const Reference& reference = instance.definition.reference;
  OpenWork open;
  open.ordinal = instance.device.ordinal;
  open.label = instance.definition.name;
  open.arguments = argument_specs(instance);
  read_contents(instance, open.arguments);
  open.seed = seed;
  open.reference.element = reference.element;
  open.reference.extents = extents_of(instance);
  if (reference.file)
    open.reference.expected = bytes_of(expected_output(instance));
  open.reference.absolute_tolerance = reference.absolute_tolerance;
  open.reference.relative_tolerance = reference.relative_tolerance;
  const std::string& chip = instance.device.chip;
  open.counters = wanted_counters(conditions.counter_set, chip).names;
  open.final_counters = wanted_counters(counters_of_finals(conditions.counter_set), chip).names;
  open.cache = conditions.cache;
  open.sampling = conditions.sampling;
  open.measure_copy = true;
  return open;
}

} // namespace gridsmith
