// SPDX-License-Identifier: Apache-2.0
// A definition's JSON: read, instantiated, its space built where that is quick, and its first
// configurations made concrete.
#include "gridsmith/kernels/definition/compile_request.hpp"
#include "gridsmith/kernels/definition/first_guesses.hpp"
#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/tests/fuzz/fuzz.hpp"

#include <algorithm>

namespace gridsmith::fuzz::definitions {

namespace {

constexpr double quick_product = 4096;
constexpr std::uint64_t looked_at = 8;

bool quick(const KernelInstance& instance) {
  double product = 1;
  for (const Parameter& parameter : instance.parameters)
    product *= static_cast<double>(parameter.values.size());
  return product <= quick_product;
}

void make_concrete(const KernelInstance& instance, const Configuration& configuration) {
  answered([&] { launch_geometry(instance, configuration); });
  answered([&] { access_bytes(instance, configuration); });
  answered([&] { compile_request(instance, configuration); });
}

void use(const KernelInstance& instance) {
  answered([&] { argument_specs(instance); });
  if (!quick(instance))
    return;
  const SearchSpace space = build_space(instance);
  if (space.size() > 0)
    answered([&] { reference_compile_request(instance, first_configuration(instance, space)); });
  for (ConfigurationId id = 0; id < std::min(space.size(), looked_at); ++id)
    make_concrete(instance, space.at(id));
}

} // namespace

void run(const std::uint8_t* bytes, std::size_t count) {
  static const auto source =
      file_with("extern \"C\" __global__ void k(float* out) { *out = 1; }\n", "k.cu");
  static const Device device = device_of_capability(90);
  const auto file = file_with(text_of(bytes, count), "definition.json");
  answered([&] {
    const KernelDefinition definition = read_definition(file);
    use(instantiate(definition, definition.default_problem(), device));
  });
}

} // namespace gridsmith::fuzz::definitions
