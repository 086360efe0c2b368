// SPDX-License-Identifier: Apache-2.0
// One configuration of a kernel made concrete: geometry for the launch, arguments with their sizes.
// Plain values that travel to a worker.
#pragma once

#include "gridsmith/base/fields.hpp"
#include "gridsmith/kernels/definition/geometry.hpp"
#include "gridsmith/kernels/definition/instance.hpp"
#include "gridsmith/search/formula/formula_words.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gridsmith {

/// Bytes that the vectors of a tuning begin at a multiple of, but for an Offset of theirs.
inline constexpr std::int64_t vector_alignment = 256;

/// @throws InputError when an expression gives no positive integer, or an alignment that no vector of
/// a tuning has; the message names field and value.
Geometry launch_geometry(const KernelInstance& instance, const Configuration& configuration);
/// @param first what the parameters are that the reference names no value of
Geometry reference_geometry(const KernelInstance& instance, const Configuration& first);

/// Every parameter of the reference kernel: its own value, else that of `first`.
Configuration reference_configuration(const KernelInstance& instance, const Configuration& first);

/// A vector argument with its size fixed.
struct BufferSpec {
  std::string name;
  ElementType type = ElementType::float32;
  std::uint64_t elements = 0;
  Access access = Access::read_only;
  Fill fill = Fill::constant;
  FillNumbers numbers = {};
  /// Of csr_offsets and csr_columns: the position of the first argument of the same structure.
  std::uint64_t structure = 0;
  std::vector<FormulaStep> program = {}; ///< of an expression
  std::vector<std::uint64_t> reads =
      {}; ///< positions of the arguments that it reads, in the program's order
  std::shared_ptr<const std::vector<std::uint8_t>> content = {}; ///< of a file, once it was read
  std::uint64_t offset = 0; ///< elements from a start that is aligned to 256 bytes
  std::uint64_t row = 0;    ///< elements of a row, pitched as by cudaMallocPitch; 0: all in one
  bool output = false;
  bool constant_memory = false;
  Tolerance tolerance = {};  ///< of an output
  std::string verified = {}; ///< of an output: as in Argument
  HostSide host = HostSide::none;
};

/// A texture object over the elements of a buffer, in an array of their own.
struct TextureSpec {
  std::string of;            ///< the buffer's argument
  std::uint64_t columns = 0; ///< elements of a row; 0: one dimension
  TextureMode mode = {};
};

/// A number in a struct that is passed by value.
struct FieldSpec {
  std::string name; ///< as C++ writes it after the argument's: ".x"
  ElementType type = ElementType::int32;
  std::uint64_t offset = 0; ///< bytes
  double value = 0;
};

struct ScalarSpec {
  std::string name;
  ElementType type = ElementType::int32;
  double value = 0;
  std::string pitch_of = {};               ///< else the pitch of the rows of this argument …
  bool pitch_in_bytes = false;             ///< … which is in elements otherwise
  std::optional<TextureSpec> texture = {}; ///< else this one's object
  bool chunk_elements = false;        ///< the kernel is given those of each chunk of a transfer
  std::uint64_t struct_bytes = 0;     ///< else a struct of this size …
  std::vector<FieldSpec> fields = {}; ///< … with these, and 0 between them
};

/// The arguments in order: exactly one of the two is set.
struct ArgumentSpec {
  std::optional<BufferSpec> buffer;
  std::optional<ScalarSpec> scalar;
};

template <Like<FillNumbers> T>
void for_fields(T& v, auto&& visit) {
  visit("value", v.value);
  visit("from", v.from);
  visit("to", v.to);
  visit("step", v.step);
  visit("mean", v.mean);
  visit("deviation", v.deviation);
  visit("exponent", v.exponent);
  visit("rows", v.rows);
  visit("columns", v.columns);
  visit("density", v.density);
  visit("skew", v.skew);
}

template <Like<FormulaStep> T>
void for_fields(T& v, auto&& visit) {
  visit("action", v.action);
  visit("op", v.op);
  visit("function", v.function);
  visit("real", v.real);
  visit("to", v.to);
  visit("a", v.a);
  visit("b", v.b);
  visit("c", v.c);
  visit("column", v.column);
}

template <Like<Tolerance> T>
void for_fields(T& v, auto&& visit) {
  visit("absolute", v.absolute);
  visit("relative", v.relative);
  visit("magnitude", v.magnitude);
}

template <Like<BufferSpec> T>
void for_fields(T& v, auto&& visit) {
  visit("name", v.name);
  visit("type", v.type);
  visit("elements", v.elements);
  visit("access", v.access);
  visit("fill", v.fill);
  visit("numbers", v.numbers);
  visit("structure", v.structure);
  visit("program", v.program);
  visit("reads", v.reads);
  visit("content", v.content);
  visit("offset", v.offset);
  visit("row", v.row);
  visit("output", v.output);
  visit("constant_memory", v.constant_memory);
  visit("tolerance", v.tolerance);
  visit("verified", v.verified);
  visit("host", v.host);
}

template <Like<TextureMode> T>
void for_fields(T& v, auto&& visit) {
  visit("filter", v.filter);
  visit("address", v.address);
  visit("normalized", v.normalized);
}

template <Like<TextureSpec> T>
void for_fields(T& v, auto&& visit) {
  visit("of", v.of);
  visit("columns", v.columns);
  visit("mode", v.mode);
}

template <Like<FieldSpec> T>
void for_fields(T& v, auto&& visit) {
  visit("name", v.name);
  visit("type", v.type);
  visit("offset", v.offset);
  visit("value", v.value);
}

template <Like<ScalarSpec> T>
void for_fields(T& v, auto&& visit) {
  visit("name", v.name);
  visit("type", v.type);
  visit("value", v.value);
  visit("pitch_of", v.pitch_of);
  visit("pitch_in_bytes", v.pitch_in_bytes);
  visit("texture", v.texture);
  visit("chunk_elements", v.chunk_elements);
  visit("struct_bytes", v.struct_bytes);
  visit("fields", v.fields);
}

template <Like<ArgumentSpec> T>
void for_fields(T& v, auto&& visit) {
  visit("buffer", v.buffer);
  visit("scalar", v.scalar);
}

std::uint64_t bytes_of(const ScalarSpec& spec);
/// Whether it is a number: no pitch, texture or struct.
bool has_value(const ScalarSpec& spec);
/// As the kernel gets it, an integer where 63 bits hold it. @pre has_value()
Value passed_value(const ScalarSpec& spec);
/// As the kernel gets it, little-endian, 0 behind its bytes up to a whole word.
std::vector<std::uint64_t> words_of(const ScalarSpec& spec);

/// Without the content of files. @throws InputError naming the field: a size that is none, a fill
/// whose numbers do not go with the type, the elements or each other.
std::vector<ArgumentSpec> argument_specs(const KernelInstance& instance);

/// One that the reference kernel is passed.
struct ReferenceArgument {
  std::uint64_t position = 0;            ///< among the tuned kernel's …
  std::optional<ScalarSpec> scalar = {}; ///< … or one of its own
};

template <Like<ReferenceArgument> T>
void for_fields(T& v, auto&& visit) {
  visit("position", v.position);
  visit("scalar", v.scalar);
}

/// Of Reference.Arguments. @throws InputError naming the field: a value that its type does not hold
std::vector<ReferenceArgument> reference_arguments(const KernelInstance& instance);

/// That Reference.File has the type and the elements of the outputs, by its head and its length. @pre
/// there is one. @throws InputError
void check_expected_output(const KernelInstance& instance);
/// The content of Reference.File: elements alone. @pre there is one. @throws InputError: it cannot be
/// read, has not what the outputs need, or has changed.
std::string expected_output(const KernelInstance& instance);

/// Bytes that one thread moves with one global load and one store: AccessBytes of the definition,
/// else the element type of the first vector argument.
struct AccessBytes {
  int load = 4, store = 4;
};

/// @throws InputError when an expression gives another number than 1, 2, 4, 8, 16 or 32.
AccessBytes access_bytes(const KernelInstance& instance, const Configuration& configuration);

} // namespace gridsmith
