// Everything about one tunable kernel: source, parameters, constraints, geometry, arguments,
// reference and work model. Read from a T1 JSON file beside a .cu, with an optional "Gridsmith"
// section for what T1 lacks. A definition is data: nothing of it runs on the host.
#pragma once

#include "gridsmith/base/words.hpp"
#include "gridsmith/kernels/definition/element_type.hpp"
#include "gridsmith/metrics/device/device.hpp"
#include "gridsmith/search/expression/expression.hpp"
#include "gridsmith/search/space/space.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

template <>
struct Words<ElementType> {
  static constexpr std::string_view kind = "element type";
  static constexpr std::array<std::string_view, 11> list{
      "float16", "float32", "float64", "int8",  "uint8", "int16",
      "uint16",  "int32",   "uint32",  "int64", "uint64"};
};

std::size_t size_of(ElementType type); ///< bytes

enum class Access { read_only, write_only, read_write };

template <>
struct Words<Access> {
  static constexpr std::string_view kind = "access";
  static constexpr std::array<std::string_view, 3> list{"read_only", "write_only", "read_write"};
};

/// How a vector is filled before a launch: a constant, or pseudo-random from a seed and the index
/// (counter-based, the same on host and device: see kernels/definition/fill.hpp).
enum class Fill { constant, random };

template <>
struct Words<Fill> {
  static constexpr std::string_view kind = "fill";
  static constexpr std::array<std::string_view, 2> list{"constant", "random"};
};

/// One kernel argument, in order. Sizes are in elements and evaluated per problem size.
struct Argument {
  std::string name;
  ElementType type = ElementType::float32;
  bool is_vector = true;
  Access access = Access::read_only;
  Fill fill = Fill::constant;
  double fill_value = 0;          ///< constant: the value; random: the scale
  std::optional<Expression> size; ///< vectors: elements
  std::optional<Expression>
      value;                    ///< scalars: an expression of the problem extents, else fill_value
  bool output = false;          ///< verified against the reference
  bool constant_memory = false; ///< also copied to the __constant__ symbol of that name
};

/// How an output is judged: by a kernel, a host reference or a file, or by nothing: then nothing
/// can be verified. A host reference beside a kernel only checks single elements of the kernel's
/// answer.
struct Reference {
  std::string kernel;           ///< another kernel of the file, run once on the GPU …
  std::filesystem::path source; ///< … or of this other file, when not empty …
  Configuration kernel_values;  ///< … compiled with these parameter values …
  std::optional<Expression> grid[3], block[3]; ///< … with this geometry
  std::string host;           ///< a built-in host reference (kernels/references.hpp)
  std::filesystem::path file; ///< raw little-endian elements of all outputs, one after the other
  double absolute_tolerance = 1e-6;
  double relative_tolerance = 1e-4;

  bool any() const { return !kernel.empty() || !host.empty() || !file.empty(); }
};

/// Block and grid left to Gridsmith: all block shapes of up to `dimensions` dimensions whose thread
/// count is a multiple of the warp and allowed by the device, as the parameters block_size_x,
/// block_size_y, block_size_z (as many as dimensions), and the parameter blocks_per_sm when choices
/// are listed. 0 blocks per SM covers the problem: by GridDiv or GlobalSize where given, else one
/// thread per element (extent 0 along x). k blocks per SM launch k * sm_count blocks, never more
/// than cover the problem, filling x, then y, then z; the kernel strides over the rest.
struct AutomaticShape {
  int dimensions = 0; ///< 0: the kernel has its own geometry
  std::vector<int>
      blocks_per_sm; ///< "k blocks per SM" choices beside "cover the problem" (0 in the list)
};

enum class GridUnit { blocks, threads };

struct ProblemSize {
  std::vector<std::int64_t> extents; ///< 1 to 3
  bool operator==(const ProblemSize&) const = default;
};

std::string to_text(const ProblemSize& size); ///< "8192x8192"
/// @throws InputError
ProblemSize problem_size_from_text(std::string_view text);

struct KernelDefinition {
  std::string name;             ///< of the definition (file stem or BenchmarkName)
  std::filesystem::path file;   ///< the JSON
  std::filesystem::path source; ///< the .cu
  std::string language;         ///< "CUDA", "OpenCL", "HIP", …
  bool community = true;        ///< a plain T1 file, without our section
  std::string kernel;           ///< function name in the source, or a template-id: name<…>
  std::vector<std::string> compiler_options;
  std::vector<Parameter> parameters; ///< without automatic ones
  Configuration defaults;            ///< where the file gives them
  std::vector<Constraint> constraints;
  std::vector<ProblemSize> problem_sizes; ///< the first is the default
  std::vector<std::string> extent_names;  ///< e.g. {"m", "n", "k"}; also usable in expressions
  std::vector<Expression>
      grid_div[3]; ///< GridDivX/Y/Z: the extent is divided by their product, rounded up
  bool has_grid_div = false;
  bool divides_x = false; ///< GridDivX is there; without it the extent is divided by the block's x
  std::optional<Expression> grid[3]; ///< GlobalSize
  GridUnit grid_unit = GridUnit::blocks;
  std::optional<Expression> block[3]; ///< LocalSize
  std::optional<Expression> dynamic_shared_bytes;
  AutomaticShape automatic;
  std::vector<Argument> arguments;
  Reference reference;
  std::optional<Expression> flops; ///< work model
  std::optional<Expression> bytes; ///< least bytes the algorithm needs
  /// Bytes one thread moves with one load or store; decides the ideal sectors per request.
  std::optional<Expression> load_bytes, store_bytes;

  bool runnable() const { return language == "CUDA"; }
};

/// Reads a T1 file. Fields of T1 that do not concern us are ignored; the optional top-level object
/// "Gridsmith" is ours, and an unknown field in it is an error:
///
///   "Gridsmith": {
///     "Extents": ["m", "n"],                    names of the problem's extents
///     "ProblemSizes": [[8192, 8192], "1000x3000"],   beside T1's ProblemSize; the first is the
///     default "Scalars": {"m": "m", "n": "n"},          scalar arguments as expressions of the
///     extents "Reference": {"Kernel": "name", "Source": "other.cu", "Values": {"TILE": 32},
///                   "Grid": ["…"], "Block": ["32", "8"], "Host": "transpose"},
///                  or {"Host": "transpose"} or {"File": "expected.bin"};
///                  each with "AbsoluteTolerance" and "RelativeTolerance"
///     "WorkModel": {"Flops": "2*m*n*k", "Bytes": "…"},
///     "AutomaticShape": {"Dimensions": 1, "BlocksPerSM": [0, 4]},
///     "AccessBytes": {"Load": "4 * VECTOR", "Store": "4"},   of one thread's load and store
///     "DynamicSharedMemory": "…"                bytes; wins over T1's SharedMemory
///   }
///
/// Names in expressions: parameters, extents, ProblemSize[i], device facts; they are checked here.
/// In argument sizes a parameter stands for its largest value, which is also what max(parameter)
/// gives.
/// @throws InputError naming file, field and valid choices; an expression's error has its column.
KernelDefinition read_definition(const std::filesystem::path& file);

/// Definitions under a folder, kernels/<name>/<name>.json, sorted by name.
std::vector<std::filesystem::path> catalogue(const std::filesystem::path& folder);
/// A name of the catalogue or a path to a JSON file. @throws InputError with the nearest name.
std::filesystem::path find_definition(const std::string& name_or_path,
                                      const std::filesystem::path& folder);

/// A definition for one problem size on one device: what the tuner works with.
struct KernelInstance {
  KernelDefinition definition;
  ProblemSize problem;
  Device device;
  /// Text of the .cu as it was when instantiated; nothing when the file could not be read.
  std::optional<std::string> source_text;
  std::vector<Parameter> parameters;   ///< with automatic block and grid parameters added
  std::vector<Constraint> constraints; ///< with the automatic ones and the device's limits added
  Bindings facts; ///< device facts, extents ("ProblemSize[0]", "m"), "max(parameter)"
  double model_flops = 0, model_bytes = 0; ///< 0: unknown
};

/// @param device automatic shapes and device facts come from it; limits it does not know (0) forbid
/// nothing.
/// @throws InputError: wrong number of extents, an extent below 1, a work model without a number.
KernelInstance instantiate(const KernelDefinition& definition, const ProblemSize& problem,
                           const Device& device);

SearchSpace build_space(const KernelInstance& instance);

/// First asks: the formula's estimates, best predicted occupancy first; the definition's defaults
/// too.
std::vector<ConfigurationId> first_guesses(const KernelInstance& instance, const SearchSpace& space,
                                           std::size_t count);

} // namespace gridsmith
