// SPDX-License-Identifier: Apache-2.0
// Everything about one tunable kernel: source, parameters, constraints, geometry, arguments,
// reference and work model. Read from a T1 JSON file next to a .cu, with an optional "Gridsmith"
// section for what T1 lacks. A definition is data: nothing of it runs on the host.
#pragma once

#include "gridsmith/base/expression/expression.hpp"
#include "gridsmith/base/words.hpp"
#include "gridsmith/kernels/definition/problem_size.hpp"
#include "gridsmith/kernels/inputs/element_words.hpp"
#include "gridsmith/kernels/inputs/layout.hpp"
#include "gridsmith/kernels/source/readable_files.hpp"
#include "gridsmith/metrics/catalogue/metrics.hpp"
#include "gridsmith/metrics/device/device.hpp"
#include "gridsmith/search/space/space.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gridsmith {

enum class Access { read_only, write_only, read_write };

template <>
struct Words<Access> {
  static constexpr std::string_view kind = "access";
  static constexpr std::array<std::string_view, 3> list{"read_only", "write_only", "read_write"};
};

/// How a vector is filled and lies in memory, where the file says more than T1 has words for.
struct InputRule {
  std::optional<Fill> fill; ///< none: T1's
  /// By their names in the file, fill_fields.hpp: of the extents, a fill's Value of the index too.
  std::map<std::string, Expression, std::less<>> numbers;
  std::optional<std::filesystem::path> file; ///< of Fill::file
  std::optional<Expression> offset;          ///< elements from an aligned start
  std::optional<Expression> row; ///< elements of a row; rows begin at multiples of the pitch
};

/// A scalar that is the distance from a row to the next, which the worker knows.
struct PitchOf {
  std::string argument; ///< a vector in rows
  bool bytes = false;   ///< else elements
};

/// What a texture gives between two elements.
enum class TextureFilter { point, linear };

template <>
struct Words<TextureFilter> {
  static constexpr std::string_view kind = "filter";
  static constexpr std::array<std::string_view, 2> list{"point", "linear"};
};

/// What it gives beyond its borders: the last element, those of the other side, the same ones
/// backwards, or 0.
enum class TextureAddress { clamp, wrap, mirror, border };

template <>
struct Words<TextureAddress> {
  static constexpr std::string_view kind = "address";
  static constexpr std::array<std::string_view, 4> list{"clamp", "wrap", "mirror", "border"};
};

/// How a texture is read.
struct TextureMode {
  TextureFilter filter = TextureFilter::point;
  TextureAddress address = TextureAddress::clamp;
  bool normalized = false; ///< coordinates from 0 to 1; else in elements
};

/// A scalar that is a texture object, which the worker makes.
struct TextureOf {
  std::string argument;                   ///< the vector whose elements it has
  std::optional<Expression> columns = {}; ///< of one with two dimensions, of the extents
  TextureMode mode = {};
};

/// The end of a transfer that is in host memory, for a vector.
enum class HostSide { none, source, target };

template <>
struct Words<HostSide> {
  static constexpr std::string_view kind = "side of a transfer";
  static constexpr std::array<std::string_view, 3> list{"none", "source", "target"};
};

/// An element is right if |found - expected| <= absolute + relative * |expected| + magnitude * the root mean square of
/// the expected elements (of some of them). Of integers the absolute one counts alone.
struct Tolerance {
  double absolute = 1e-6, relative = 1e-4, magnitude = 0;
};

/// One kernel argument, in order. Sizes are in elements and evaluated per problem size.
struct Argument {
  std::string name;
  ElementType type = ElementType::float32;
  bool is_vector = true;
  Access access = Access::read_only;
  Fill fill = Fill::constant;
  double fill_value = 0;          ///< constant: the value; random: the scale of reals; above 1 the
                                  ///< largest of integers, whose bits are all random otherwise
  std::optional<Expression> size; ///< vectors: elements
  /// Scalars: of a struct, whose values are by field; none yet: each is the value of the whole.
  std::shared_ptr<const Layout> layout = {};
  std::vector<std::optional<Expression>> field_values = {};
  std::uint64_t numbers_each = 1;   ///< vectors: of a float4 four; `size` counts these
  std::optional<Expression> value;  ///< scalars: of the problem's extents, else fill_value
  std::optional<PitchOf> pitch;     ///< scalars: else of this
  std::optional<TextureOf> texture; ///< scalars: else this
  std::optional<InputRule> input;   ///< vectors: wins over fill
  /// Vectors: bytes that the pointer has to be a multiple of, of the parameters too; none: unknown.
  std::optional<Expression> alignment;
  /// Vectors: elements from a row to the next that the kernel takes for granted, of the extents.
  std::optional<Expression> leading_dimension;
  bool output = false;          ///< verified against the reference
  bool constant_memory = false; ///< also copied to the __constant__ symbol of that name
  Tolerance tolerance = {};     ///< of an output
  std::string verified =
      {}; ///< of an output: a formula that is 0 where an element may be anything; "": nowhere
  HostSide host = HostSide::none; ///< of a transfer: a vector of as many elements as …
  bool chunk_elements = false;    ///< … this scalar has, which the kernel is given of each chunk
};

/// How an output is judged: by a kernel, by what each element is, or by a file, or by nothing: then
/// nothing can be verified. Formulas in addition to a kernel only check single elements of the kernel's
/// answer.
struct Reference {
  std::optional<std::string> kernel; ///< another kernel of the file, run once on the GPU …
  std::optional<std::filesystem::path> source; ///< … or of this other file …
  Configuration kernel_values;                 ///< … compiled with these parameter values …
  std::optional<Expression> grid[3], block[3]; ///< … with this geometry
  /// By the name of the output: what one element of it is (search/formula, references.hpp).
  std::map<std::string, std::string> element;
  std::optional<std::filesystem::path> file; ///< raw little-endian elements of all outputs,
                                             ///< one after the other
  /// What the kernel is passed, in its order; empty: as the tuned one. Scalars that are no argument of that are here alone.
  std::vector<Argument> arguments;

  /// In place of tolerances: Acceptance; "": tolerances decide.
  std::string accept = {};

  bool any() const { return kernel || !element.empty() || file; }
};

/// Block and grid left to Gridsmith: all block shapes of up to `dimensions` dimensions whose thread
/// count is a multiple of the warp and allowed by the device, as the parameters block_size_x,
/// block_size_y, block_size_z (as many as dimensions), and the parameter blocks_per_sm when choices
/// are listed. 0 blocks per SM covers the problem: by GridDiv or GlobalSize where given, else one
/// thread per element (extent 0 along x). k blocks per SM launch k * sm_count blocks, never more
/// than cover the problem, filling x, then y, then z; the kernel strides over the rest.
struct AutomaticShape {
  int dimensions = 1;             ///< 1 to 3
  std::vector<int> blocks_per_sm; ///< the choices; empty: always cover the problem
};

/// What is measured begins and ends in host memory (HostTransfer); which arguments take part, they
/// say themselves.
struct TransferRule {
  Expression memory;                         ///< a word of HostMemory
  std::optional<Expression> chunks, streams; ///< 1 where they are missing
};

enum class GridUnit { blocks, threads };

/// What a person should know of a definition that was read all the same.
struct Remark {
  /// It may change what is tuned, such as a misspelt field: every command tells it. Others are of
  /// interest to who writes the definition.
  bool warning = false;
  std::string text; ///< one line: "file: field: what"
};

/// What a tool wrote into a definition without knowing it, until its author confirms it.
struct FieldGuess {
  std::string field; ///< "KernelSpecification.ProblemSize"
  std::string text;
};

/// What turns the source into machine code: NVRTC takes device code alone, nvcc whole files with host code; none: it is
/// machine code already.
enum class Compiler { nvrtc, nvcc, none };

/// Of machine code: the parameter that chooses among several files, 0 is KernelFile, then Sources.
inline constexpr std::string_view binary_parameter = "BINARY";

template <>
struct Words<Compiler> {
  static constexpr std::string_view kind = "compiler";
  static constexpr std::array<std::string_view, 3> list{"nvrtc", "nvcc", "none"};
};

struct KernelDefinition {
  std::string name;           ///< of the definition: the file's, without its ending
  std::string description;    ///< one to three sentences, or ""
  std::filesystem::path file; ///< the JSON
  std::string file_hash;      ///< sha256_hex of its bytes as they were parsed; "": it was not read
  std::filesystem::path source;   ///< the .cu
  std::vector<std::string> units; ///< other sources of the kernel's program, from the file's folder
  std::string language;           ///< "CUDA", "OpenCL", "HIP", …
  bool community = true;          ///< a plain T1 file, without our section
  std::string kernel;             ///< the function in the source: name, name<…>, name(types)
  Compiler compiler = Compiler::nvrtc;
  /// Of those that are allowed (compiler_options.hpp), one a word; folders are absolute.
  std::vector<std::string> compiler_options;
  /// By parameter: the form of an option that its values add (option_of_value).
  std::map<std::string, std::string, std::less<>> parameter_options;
  /// That are no parameters: of extents, facts of the device and parameters.
  std::map<std::string, Expression, std::less<>> macros;
  /// Parameters and macros that the source gives values itself: what it says is replaced (rewriting.hpp).
  std::set<std::string> rewritten;
  /// These, or below them, its files must be. For a definition read from a file: its own folder, the one kernel file
  /// outside of it (read_source), and the folders that the user named.
  ReadableFolders readable{"/"};
  std::vector<Parameter> parameters; ///< without automatic ones
  Configuration defaults;            ///< where the file gives them
  std::vector<Constraint> constraints;
  std::vector<ProblemSize> problem_sizes; ///< the first is the default
  std::vector<std::string> extent_names;  ///< e.g. {"m", "n", "k"}; also usable in expressions
  /// GridDivX/Y/Z: the extent is divided by their product, rounded up. Where another axis has one,
  /// an x without is divided by the block's x.
  std::optional<std::vector<Expression>> grid_div[3];
  std::optional<Expression> grid[3]; ///< GlobalSize
  GridUnit grid_unit = GridUnit::blocks;
  std::optional<Expression> block[3]; ///< LocalSize
  std::optional<Expression> dynamic_shared_bytes;
  std::optional<Expression> cluster[3]; ///< blocks; none of them: no clusters
  bool cooperative = false;             ///< launched so that all blocks may wait for each other
  std::optional<Expression> shared_carveout_percent; ///< -1: the driver's choice
  std::optional<TransferRule> transfer;
  std::optional<AutomaticShape> automatic; ///< none: the kernel has its own geometry
  std::vector<Argument> arguments;
  /// Behind the source: that its types are laid out as Types says, where that names them.
  std::string layout_checks;
  Reference reference;
  std::optional<Expression> flops; ///< work model
  std::optional<Expression> bytes; ///< least bytes the algorithm needs
  /// Bytes one thread moves with one load or store; decides the ideal sectors per request.
  std::optional<Expression> load_bytes, store_bytes;
  OwnMetrics own_metrics; ///< counted with every configuration, in addition to the set asked for
  std::vector<FieldGuess> guesses; ///< that are still to be confirmed
  std::vector<Remark> remarks;     ///< in the order of the file's parts

  /// What is tuned if no size is named.
  ProblemSize default_problem() const {
    return problem_sizes.empty() ? ProblemSize{{1}} : problem_sizes.front();
  }

  bool runnable() const { return language == "CUDA"; }

  bool has_grid_div() const { return grid_div[0] || grid_div[1] || grid_div[2]; }
};

} // namespace gridsmith
