// One configuration of a kernel made concrete: geometry for the launch, arguments with their sizes.
// Plain values that travel to a worker.
#pragma once

#include "gridsmith/base/fields.hpp"
#include "gridsmith/kernels/definition/geometry.hpp"
#include "gridsmith/kernels/definition/instance.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gridsmith {

/// @throws InputError when an expression gives no positive integer; the message names field and
/// value.
Geometry launch_geometry(const KernelInstance& instance, const Configuration& configuration);
Geometry reference_geometry(const KernelInstance& instance);

/// Every parameter as the reference kernel has it: its own value, else the default, else the first.
Configuration reference_configuration(const KernelInstance& instance);

/// A vector argument with its size fixed.
struct BufferSpec {
  std::string name;
  ElementType type = ElementType::float32;
  std::uint64_t elements = 0;
  Access access = Access::read_only;
  Fill fill = Fill::constant;
  double fill_value = 0;
  bool output = false;
  bool constant_memory = false;
};

struct ScalarSpec {
  std::string name;
  ElementType type = ElementType::int32;
  double value = 0;
};

/// The arguments in order: exactly one of the two is set.
struct ArgumentSpec {
  std::optional<BufferSpec> buffer;
  std::optional<ScalarSpec> scalar;
};

template <Like<BufferSpec> T>
void for_fields(T& v, auto&& visit) {
  visit("name", v.name);
  visit("type", v.type);
  visit("elements", v.elements);
  visit("access", v.access);
  visit("fill", v.fill);
  visit("fill_value", v.fill_value);
  visit("output", v.output);
  visit("constant_memory", v.constant_memory);
}

template <Like<ScalarSpec> T>
void for_fields(T& v, auto&& visit) {
  visit("name", v.name);
  visit("type", v.type);
  visit("value", v.value);
}

template <Like<ArgumentSpec> T>
void for_fields(T& v, auto&& visit) {
  visit("buffer", v.buffer);
  visit("scalar", v.scalar);
}

std::vector<ArgumentSpec> argument_specs(const KernelInstance& instance);

/// The content of Reference.File. @pre there is one. @throws InputError: it cannot be read, or has
/// not as many bytes as the outputs need.
std::string expected_output(const KernelInstance& instance);

/// Bytes that one thread moves with one global load and one store: AccessBytes of the definition,
/// else the element type of the first vector argument.
struct AccessBytes {
  int load = 4, store = 4;
};

/// @throws InputError when an expression gives no positive integer.
AccessBytes access_bytes(const KernelInstance& instance, const Configuration& configuration);

} // namespace gridsmith
