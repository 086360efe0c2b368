#include "gridsmith/tuner/gpu/open_work.hpp"

#include "gridsmith/kernels/definition/input_specs.hpp"
#include "gridsmith/kernels/definition/references.hpp"
#include "gridsmith/metrics/counters/counters.hpp"

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
  open.counters = counter_set(conditions.counter_set).names(instance.device.chip);
  open.cache = conditions.cache;
  open.sampling = conditions.sampling;
  open.measure_copy = true;
  return open;
}

} // namespace gridsmith
