// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/definition/launch.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/definition/automatic_shape.hpp"
#include "gridsmith/kernels/definition/expression_values.hpp"
#include "gridsmith/kernels/definition/input_specs.hpp"
#include "gridsmith/kernels/inputs/element_bits.hpp"
#include "gridsmith/kernels/inputs/element_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace gridsmith {
namespace {

/// What Kernel Tuner launches where a file says nothing of blocks.
constexpr std::array<int, 3> default_block{256, 1, 1};

std::string field_of(std::string_view group, std::size_t axis) {
  return fmt::format("KernelSpecification.{}{}", group, axis_names[axis]);
}

int narrow_block(const KernelInstance& instance, const std::string& field, std::int64_t extent) {
  if (extent > std::numeric_limits<int>::max())
    throw InputError(fmt::format("{}: {}: gives a block extent of {}",
                                 instance.definition.file.string(), field, extent));
  return static_cast<int>(extent);
}

bool is_automatic(const KernelDefinition& definition, std::size_t axis) {
  return definition.automatic && static_cast<int>(axis) < definition.automatic->dimensions;
}

int block_extent(const KernelInstance& instance, const Configuration& configuration,
                 std::size_t axis, const Lookup& lookup) {
  const KernelDefinition& definition = instance.definition;
  const bool automatic = is_automatic(definition, axis);
  const std::string field = field_of("LocalSize.", axis);
  if (definition.block[axis] && !automatic)
    return narrow_block(instance, field,
                        integer_of({definition, field}, *definition.block[axis], lookup, 1));
  if (const Value* value = find_value(configuration, block_names[axis])) {
    const double extent = to_number(*value);
    if (!(extent >= 1) || extent != std::floor(extent))
      throw InputError(
          fmt::format("{}: parameter {}: a block extent of {}; expected a positive integer",
                      definition.file.string(), block_names[axis], to_text(*value)));
    return narrow_block(instance, block_names[axis], static_cast<std::int64_t>(extent));
  }
  return definition.automatic ? 1 : default_block[axis];
}

/// The tuned kernel's shapes are kept within the device's limits by the space, this one by nothing.
void check_reference_limits(const KernelInstance& instance, const Geometry& geometry) {
  const Device& device = instance.device;
  const auto check = [&](const std::string& what, std::int64_t count, std::int64_t limit) {
    if (limit > 0 && count > limit)
      throw InputError(fmt::format("{}: Gridsmith.Reference: {} {}, the device allows {}",
                                   instance.definition.file.string(), count, what, limit));
  };
  check("threads per block", geometry.threads_per_block(), device.max_threads_per_block);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    check(fmt::format("threads along {}", axis_names[axis]), geometry.block[axis],
          device.max_block_extent[axis]);
    check(fmt::format("blocks along {}", axis_names[axis]), geometry.grid[axis],
          device.max_grid_extent[axis]);
  }
}

std::int64_t ceil_divide(const KernelInstance& instance, std::string_view field,
                         std::int64_t extent, double divisor) {
  if (!(divisor > 0))
    throw InputError(fmt::format("{}: {}: divides the extent {} by {}",
                                 instance.definition.file.string(), field, extent, divisor));
  if (divisor == std::floor(divisor) && divisor < 9e15) { // exact where both are integers
    const auto whole = static_cast<std::int64_t>(divisor);
    return extent / whole + (extent % whole != 0);
  }
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(extent) / divisor));
}

/// Blocks that cover the problem along one axis.
std::int64_t cover(const KernelInstance& instance, std::size_t axis, int block,
                   const Lookup& lookup) {
  const KernelDefinition& definition = instance.definition;
  const auto& extents = instance.problem.extents;
  const std::int64_t extent = axis < extents.size() ? extents[axis] : 1;
  const AxisCover unsaid = axis_cover(definition, axis);
  if (definition.has_grid_div()) {
    const std::string field = "KernelSpecification.GridDiv" + std::string(axis_names[axis]);
    const auto& factors = definition.grid_div[axis];
    if (!factors && unsaid == AxisCover::once)
      return 1;
    double divisor = unsaid == AxisCover::by_threads && !factors ? block : 1;
    for (const Expression& factor : factors.value_or(std::vector<Expression>{}))
      divisor *= number_of({definition, field}, factor, lookup);
    return ceil_divide(instance, field, extent, divisor);
  }
  if (definition.grid[axis]) {
    const std::string field = field_of("GlobalSize.", axis);
    const auto size = integer_of({definition, field}, *definition.grid[axis], lookup, 1);
    return definition.grid_unit == GridUnit::threads ? (size + block - 1) / block : size;
  }
  if (definition.grid[0] || definition.grid[1] || definition.grid[2])
    return 1;
  return unsaid == AxisCover::by_threads ? (extent + block - 1) / block
         : unsaid == AxisCover::once     ? 1
                                         : extent;
}

/// k blocks per SM instead of the whole problem, filling x, then y, then z.
void limit_blocks(const KernelInstance& instance, const Configuration& configuration,
                  Geometry& geometry) {
  const Value* value = find_value(configuration, "blocks_per_sm");
  if (!instance.definition.automatic || !value || to_number(*value) < 1)
    return;
  std::int64_t left =
      static_cast<std::int64_t>(to_number(*value)) * std::max(1, instance.device.sm_count);
  for (std::int64_t& extent : geometry.grid) {
    extent = std::min(extent, std::max<std::int64_t>(1, left));
    left /= extent;
  }
}

/// Gridsmith.Launch. @throws InputError: a cluster that no device has, or that the grid is no multiple of
void set_launch_options(const KernelInstance& instance, const Lookup& lookup, Geometry& geometry) {
  constexpr int most_blocks = 16; // beyond 8 a device may have none
  const KernelDefinition& definition = instance.definition;
  const auto fail = [&](std::string_view field, const std::string& what) {
    throw InputError(
        fmt::format("{}: Gridsmith.Launch.{}: {}", definition.file.string(), field, what));
  };
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (const auto& extent = definition.cluster[axis]) {
      const std::int64_t blocks =
          integer_of({definition, "Gridsmith.Launch.Cluster"}, *extent, lookup, 1);
      if (blocks > most_blocks || geometry.grid[axis] % blocks != 0)
        fail("Cluster",
             fmt::format("{} blocks along {}; expected up to {} that divide the grid's {}", blocks,
                         axis_names[axis], most_blocks, geometry.grid[axis]));
      geometry.cluster[axis] = static_cast<int>(blocks);
    }
  if (geometry.blocks_per_cluster() > most_blocks)
    fail("Cluster",
         fmt::format("{} blocks; expected up to {}", geometry.blocks_per_cluster(), most_blocks));
  geometry.cooperative = definition.cooperative;
  if (const auto& carveout = definition.shared_carveout_percent) {
    const std::int64_t percent =
        integer_of({definition, "Gridsmith.Launch.SharedCarveout"}, *carveout, lookup, -1);
    if (percent > 100)
      fail("SharedCarveout", fmt::format("{} percent; expected 0 to 100, or -1", percent));
    if (percent >= 0)
      geometry.shared_carveout_percent = static_cast<int>(percent);
  }
}

std::optional<HostTransfer> transfer_of(const KernelInstance& instance, const Lookup& lookup) {
  const KernelDefinition& definition = instance.definition;
  if (!definition.transfer)
    return std::nullopt;
  const auto count = [&](std::string_view field, const std::optional<Expression>& expression) {
    return expression ? static_cast<int>(std::min<std::int64_t>(
                            integer_of({definition, field}, *expression, lookup, 1), 1 << 20))
                      : 1;
  };
  HostTransfer transfer{.chunks = count("Gridsmith.Transfer.Chunks", definition.transfer->chunks),
                        .streams =
                            count("Gridsmith.Transfer.Streams", definition.transfer->streams)};
  try {
    transfer.memory = from_text<HostMemory>(to_text(definition.transfer->memory.evaluate(lookup)));
  } catch (const Error& error) {
    throw InputError(
        fmt::format("{}: Gridsmith.Transfer.Memory: {}", definition.file.string(), error.what()));
  }
  return transfer;
}

/// Of what the tuner's vectors have, so that no configuration is measured that they do not suit.
void check_alignments(const KernelInstance& instance, const Lookup& lookup) {
  for (const Argument& argument : instance.definition.arguments) {
    if (!argument.alignment)
      continue;
    const std::string field = fmt::format("Gridsmith.Needs.{}.Alignment", argument.name);
    const std::int64_t bytes =
        integer_of({instance.definition, field}, *argument.alignment, lookup, 1);
    if (bytes > vector_alignment || vector_alignment % bytes != 0)
      throw InputError(fmt::format("{}: {}: {} bytes; expected a power of two up to {}",
                                   instance.definition.file.string(), field, bytes,
                                   vector_alignment));
  }
}

/// The reference runs on the work's own data.
Geometry without_transfer(Geometry geometry) {
  geometry.transfer.reset();
  return geometry;
}

} // namespace

Configuration reference_configuration(const KernelInstance& instance, const Configuration& first) {
  Configuration configuration = first;
  for (auto& [name, value] : configuration)
    if (const Value* own = find_value(instance.definition.reference.kernel_values, name))
      value = *own;
  return configuration;
}

Geometry launch_geometry(const KernelInstance& instance, const Configuration& configuration) {
  const Lookup lookup = lookup_in(configuration, instance.facts);
  Geometry geometry;
  for (std::size_t axis = 0; axis < 3; ++axis)
    geometry.block[axis] = block_extent(instance, configuration, axis, lookup);
  for (std::size_t axis = 0; axis < 3; ++axis)
    geometry.grid[axis] = cover(instance, axis, geometry.block[axis], lookup);
  limit_blocks(instance, configuration, geometry);
  check_alignments(instance, lookup);
  if (const auto& shared = instance.definition.dynamic_shared_bytes)
    geometry.dynamic_shared_bytes =
        integer_of({instance.definition, "dynamic shared memory"}, *shared, lookup, 0);
  set_launch_options(instance, lookup, geometry);
  geometry.transfer = transfer_of(instance, lookup);
  return geometry;
}

Geometry reference_geometry(const KernelInstance& instance, const Configuration& first) {
  const KernelDefinition& definition = instance.definition;
  const Reference& reference = definition.reference;
  const Configuration configuration = reference_configuration(instance, first);
  if (!reference.grid[0] && !reference.block[0])
    return without_transfer(launch_geometry(
        instance, configuration)); // a configuration of the tuned kernel's own shape
  const Lookup lookup = lookup_in(configuration, instance.facts);
  Geometry geometry;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (reference.block[axis])
      geometry.block[axis] = narrow_block(
          instance, "Gridsmith.Reference.Block",
          integer_of({definition, "Gridsmith.Reference.Block"}, *reference.block[axis], lookup, 1));
    if (reference.grid[axis])
      geometry.grid[axis] =
          integer_of({definition, "Gridsmith.Reference.Grid"}, *reference.grid[axis], lookup, 1);
  }
  check_reference_limits(instance, geometry);
  return geometry;
}

namespace {

/// T1's words: random integers are a range where FillValue is one, else all their bits.
void apply_t1_fill(const Argument& argument, BufferSpec& spec) {
  spec.fill = argument.fill;
  spec.numbers.value = argument.fill_value;
  if (argument.fill != Fill::random || is_real(argument.type) || !(argument.fill_value > 1))
    return;
  spec.fill = Fill::uniform;
  spec.numbers.to = std::min(std::floor(argument.fill_value), largest_whole(argument.type));
}

BufferSpec buffer_spec(const KernelInstance& instance, const Argument& argument,
                       const std::string& field) {
  const std::int64_t elements =
      integer_of({instance.definition, field}, *argument.size, lookup_largest(instance), 1);
  BufferSpec spec;
  spec.name = argument.name;
  spec.type = argument.type;
  if (static_cast<std::uint64_t>(elements) >
      std::numeric_limits<std::int64_t>::max() / argument.numbers_each)
    throw InputError(fmt::format("{}: {}: {} elements of {} numbers are too many",
                                 instance.definition.file.string(), field, elements,
                                 argument.numbers_each));
  spec.elements = static_cast<std::uint64_t>(elements) * argument.numbers_each;
  spec.access = argument.access;
  spec.output = argument.output;
  spec.constant_memory = argument.constant_memory;
  spec.tolerance = argument.tolerance;
  spec.verified = argument.verified;
  spec.host = argument.host;
  apply_t1_fill(argument, spec);
  if (argument.input)
    apply_input(instance, *argument.input, spec);
  return spec;
}

TextureSpec texture_spec(const KernelInstance& instance, const TextureOf& texture,
                         const std::string& field) {
  const KernelDefinition& definition = instance.definition;
  TextureSpec spec{.of = texture.argument, .mode = texture.mode};
  if (!texture.columns)
    return spec;
  const std::int64_t columns =
      integer_of({definition, field}, *texture.columns, lookup_largest(instance), 1);
  for (const Argument& argument : definition.arguments)
    if (argument.name == texture.argument)
      if (const std::int64_t elements =
              integer_of({definition, field}, *argument.size, lookup_largest(instance), 1);
          elements % columns != 0)
        throw InputError(fmt::format("{}: {}: {} elements of '{}' are no whole rows of {}",
                                     definition.file.string(), field, elements, argument.name,
                                     columns));
  spec.columns = static_cast<std::uint64_t>(columns);
  return spec;
}

/// Else the kernel would be given another number. What is no whole number is cut in a plain T1 file, as C++ does.
void check_range(const KernelInstance& instance, ElementType type, double value,
                 const std::string& field) {
  if (is_real(type))
    return;
  const int sign = is_signed_integer(type) ? 1 : 0;
  const double end = std::ldexp(1, 8 * static_cast<int>(size_of(type)) - sign);
  if (const double whole = std::trunc(value); !(whole >= -sign * end && whole < end))
    throw InputError(fmt::format("{}: {}: {} is beyond {}", instance.definition.file.string(),
                                 field, value, to_text(type)));
  if (value != std::trunc(value) && !instance.definition.community)
    throw InputError(fmt::format("{}: {}: {} is no whole number, and the type is {}; int() and "
                                 "round() make one",
                                 instance.definition.file.string(), field, value, to_text(type)));
}

void set_fields(const KernelInstance& instance, const Argument& argument, const std::string& field,
                ScalarSpec& spec) {
  spec.struct_bytes = argument.layout->bytes;
  spec.fields.reserve(argument.layout->fields.size());
  const Lookup lookup = lookup_largest(instance);
  for (std::size_t i = 0; i < argument.layout->fields.size(); ++i) {
    const auto& [name, type, offset] = argument.layout->fields[i];
    const auto& value = argument.field_values.empty() ? argument.value : argument.field_values[i];
    const std::string where = fmt::format("{}: {}{}", field, argument.name, name);
    const double number =
        value ? number_of({instance.definition, where}, *value, lookup) : argument.fill_value;
    check_range(instance, type, number, where);
    spec.fields.push_back({name, type, offset, number});
  }
}

ScalarSpec scalar_spec(const KernelInstance& instance, const Argument& argument,
                       const std::string& field) {
  ScalarSpec spec{.name = argument.name, .type = argument.type, .value = argument.fill_value};
  if (argument.pitch) {
    spec.pitch_of = argument.pitch->argument;
    spec.pitch_in_bytes = argument.pitch->bytes;
  }
  spec.chunk_elements = argument.chunk_elements;
  if (argument.layout) {
    set_fields(instance, argument, field, spec);
    return spec;
  }
  if (argument.texture)
    spec.texture = texture_spec(instance, *argument.texture, field);
  if (argument.value)
    spec.value = number_of({instance.definition, field}, *argument.value, lookup_largest(instance));
  check_range(instance, spec.type, spec.value, field);
  return spec;
}

/// What is moved by chunks has as many elements as the scalar says that the kernel is given of them.
void check_transfer(const KernelInstance& instance, const std::vector<ArgumentSpec>& specs) {
  for (const ArgumentSpec& scalar : specs)
    for (const ArgumentSpec& vector : specs)
      if (scalar.scalar && scalar.scalar->chunk_elements && vector.buffer &&
          vector.buffer->host != HostSide::none &&
          static_cast<double>(vector.buffer->elements) != scalar.scalar->value)
        throw InputError(fmt::format("{}: Gridsmith.Transfer: '{}' has {} elements, and '{}' is {}",
                                     instance.definition.file.string(), vector.buffer->name,
                                     vector.buffer->elements, scalar.scalar->name,
                                     scalar.scalar->value));
}

} // namespace

bool has_value(const ScalarSpec& spec) {
  return spec.pitch_of.empty() && !spec.texture && spec.struct_bytes == 0;
}

Value passed_value(const ScalarSpec& spec) {
  const double passed = value_of_bits(spec.type, bits_of_value(spec.type, spec.value));
  return is_real(spec.type) || passed >= 0x1p63 ? Value(passed)
                                                : Value(static_cast<std::int64_t>(passed));
}

std::uint64_t bytes_of(const ScalarSpec& spec) {
  return spec.struct_bytes > 0 ? spec.struct_bytes : size_of(spec.type);
}

std::vector<std::uint64_t> words_of(const ScalarSpec& spec) {
  constexpr std::uint64_t word = sizeof(std::uint64_t);
  if (spec.struct_bytes == 0)
    return {bits_of_value(spec.type, spec.value)};
  // In a message anything may stand: what no definition has is not followed.
  std::vector<std::uint64_t> words(std::min(spec.struct_bytes, largest_struct_bytes) / word + 1);
  for (const FieldSpec& field : spec.fields)
    if (field.offset % size_of(field.type) == 0 && field.offset / word < words.size())
      words[field.offset / word] |= bits_of_value(field.type, field.value)
                                    << 8 * (field.offset % word);
  return words;
}

std::vector<ArgumentSpec> argument_specs(const KernelInstance& instance) {
  std::vector<ArgumentSpec> specs;
  for (const Argument& argument : instance.definition.arguments) {
    const std::string field = fmt::format("argument {} ({})", specs.size() + 1, argument.name);
    ArgumentSpec& spec = specs.emplace_back();
    if (argument.is_vector)
      spec.buffer = buffer_spec(instance, argument, field);
    else
      spec.scalar = scalar_spec(instance, argument, field);
  }
  compile_fills(instance, specs);
  join_structures(instance.definition, specs);
  check_transfer(instance, specs);
  return specs;
}

namespace {

std::vector<BufferSpec> outputs_of(const KernelInstance& instance) {
  std::vector<BufferSpec> outputs;
  for (const ArgumentSpec& spec : argument_specs(instance))
    if (spec.buffer && spec.buffer->output)
      outputs.push_back(*spec.buffer);
  return outputs;
}

std::uint64_t bytes_of(const std::vector<BufferSpec>& outputs) {
  std::uint64_t bytes = 0;
  for (const BufferSpec& output : outputs)
    bytes += output.elements * size_of(output.type);
  return bytes;
}

} // namespace

std::vector<ReferenceArgument> reference_arguments(const KernelInstance& instance) {
  const auto& tuned = instance.definition.arguments;
  std::vector<ReferenceArgument> passed;
  for (const Argument& argument : instance.definition.reference.arguments) {
    const auto same = std::find_if(tuned.begin(), tuned.end(),
                                   [&](const Argument& one) { return one.name == argument.name; });
    if (same != tuned.end())
      passed.push_back({.position = static_cast<std::uint64_t>(same - tuned.begin())});
    else
      passed.push_back(
          {.scalar = scalar_spec(instance, argument,
                                 "Gridsmith.Reference.Arguments (" + argument.name + ")")});
  }
  return passed;
}

void check_expected_output(const KernelInstance& instance) {
  const std::filesystem::path& file = instance.definition.reference.file.value();
  const std::vector<BufferSpec> outputs = outputs_of(instance);
  if (is_npy(file) && outputs.size() != 1)
    throw InputError(fmt::format("{}: a .npy file holds the elements of one output, there are {}",
                                 file.string(), outputs.size()));
  if (is_npy(file))
    return check_elements(file, instance.definition.readable, outputs[0].type, outputs[0].elements);
  std::error_code error;
  const std::uint64_t bytes = std::filesystem::file_size(file, error), needed = bytes_of(outputs);
  if (!error && bytes != needed)
    throw InputError(fmt::format("{}: the expected output has {} bytes, the outputs need {}",
                                 file.string(), bytes, needed));
}

std::string expected_output(const KernelInstance& instance) {
  check_expected_output(instance); // before anything is read: it may have any length
  const std::filesystem::path& file = instance.definition.reference.file.value();
  const ReadableFolders& folders = instance.definition.readable;
  const std::vector<BufferSpec> outputs = outputs_of(instance);
  auto content = is_npy(file) ? read_elements(file, folders, outputs[0].type, outputs[0].elements)
                              : read_regular(readable_file(file, folders), bytes_of(outputs));
  if (!content)
    throw InputError(file.string() + ": the file of expected output cannot be read");
  check_unchanged(instance, file, *content);
  return *std::move(content);
}

AccessBytes access_bytes(const KernelInstance& instance, const Configuration& configuration) {
  const KernelDefinition& definition = instance.definition;
  AccessBytes bytes;
  for (const Argument& argument : definition.arguments)
    if (argument.is_vector) {
      bytes.load = bytes.store = static_cast<int>(size_of(argument.type) * argument.numbers_each);
      break;
    }
  const Lookup lookup = lookup_in(configuration, instance.facts);
  const auto given = [&](const std::optional<Expression>& expression, const char* field,
                         int otherwise) {
    if (!expression)
      return otherwise;
    const double number = number_of({definition, field}, *expression, lookup);
    for (const int width : {1, 2, 4, 8, 16, 32})
      if (number == width)
        return width;
    throw InputError(fmt::format("{}: {}: '{}' gives {}; a thread's access has 1, 2, 4, 8, 16 or "
                                 "32 bytes",
                                 definition.file.string(), field, expression->text(), number));
  };
  bytes.load = given(definition.load_bytes, "Gridsmith.AccessBytes.Load", bytes.load);
  bytes.store = given(definition.store_bytes, "Gridsmith.AccessBytes.Store", bytes.store);
  return bytes;
}

} // namespace gridsmith
