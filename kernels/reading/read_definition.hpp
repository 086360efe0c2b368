// SPDX-License-Identifier: Apache-2.0
// Reading kernel definitions.
//
// A definition is a T1 file (the JSON format that the autotuning community shares): the objects
// "ConfigurationSpace" and "KernelSpecification". Its fields that do not concern us are ignored; what
// looks like a slip becomes a remark of the definition. Comments are allowed. What T1 lacks is in an
// optional top-level object "Gridsmith", where every field is optional and an unknown one is an
// error; what cannot be meant, such as a default that is not among the values, is one as well then:
//
//   "Gridsmith": {
//     "Description": "…",                         one to three sentences, for `gridsmith kernels`
//     "Extents": ["m", "n"],                      names of the problem's extents, for expressions
//     "ProblemSizes": [[8192, 8192], "1000x3000"],  besides T1's ProblemSize; the first of all is
//                                                 the default
//     "Inputs": {                                 vectors, by argument; docs/definition.md has all
//       "index": {"Fill": "permutation"},         how it is filled; each fill has its own fields
//       "in": {
//         "File": "in.npy",                       instead of Fill: raw elements, little-endian, or .npy
//         "Offset": 1,                            elements from an aligned start
//         "Row": "n"                              elements of a row, which begins at the pitch
//       }
//     },
//     "Scalars": {                                scalar arguments as expressions of the extents,
//       "rows": "m", "pitch": "pitch(in)"         or as the pitch of a vector's rows
//     },
//     "Reference": {                              Kernel, Element, both, or File
//       "Kernel": "name",                         run once on the GPU; with Element as well,
//                                                 single elements of its answer are checked
//       "Source": "other.cu",                     with Kernel: the file that contains it
//       "Values": {"TILE": 32},                   with Kernel: parameters; else the first asked
//       "Grid": ["m / 32", "n / 32"],             with Block: blocks, 1 to 3 extents
//       "Block": ["32", "8"],                     with Grid: threads, 1 to 3 extents
//       "Element": "in[i % m * n + i // m]",      what element i of the output is (formula.hpp);
//                                                 of several outputs {"a": "…", "b": "…"}
//       "File": "expected.bin",                   raw elements of all outputs, little-endian, or .npy
//       "AbsoluteTolerance": 1e-6,
//       "RelativeTolerance": 1e-4
//     },
//     "WorkModel": {
//       "Flops": "2 * m * n * k",
//       "Bytes": "4 * (m * k + k * n + m * n)"    least that the algorithm must move
//     },
//     "AutomaticShape": {                         block and grid are left to Gridsmith
//       "Dimensions": 1,                          1 to 3
//       "BlocksPerSM": [0, 4]                     0: as many blocks as cover the problem
//     },
//     "AccessBytes": {                            of one thread's load and store
//       "Load": "4 * VECTOR",
//       "Store": "4"
//     },
//     "DynamicSharedMemory": "4 * TILE * TILE",   bytes; wins over T1's SharedMemory
//     "Launch": {
//       "Cluster": ["1", "1", "SPLIT"],           blocks along x, y, z
//       "Cooperative": true,                      all blocks are on the device at once
//       "SharedCarveout": "CARVEOUT"              percent, -1: the driver's choice
//     },
//     "Transfer": {                               measured from host memory to host memory
//       "Memory": "KIND",                         pageable, pinned, zero_copy or managed
//       "In": ["in"], "Out": ["out"],             vectors that begin and end there
//       "Elements": "n",                          scalar: what of them the kernel is given
//       "Chunks": "CHUNKS", "Streams": "STREAMS"
//     },
//     "Guesses": {"KernelSpecification.ProblemSize": "…"}   of `gridsmith init`, to be confirmed
//   }
//
// Files are read only below the folder of the definition and below folders that the user names; links
// are resolved first, and no part of a name below such a folder begins with a dot. One file outside may
// be KernelFile: see read_source. CompilerOptions are those of compiler_options.hpp; -I is relative to
// the definition.
//
// Names in expressions: parameters, extents, ProblemSize[i], device facts. In argument sizes a
// parameter stands for its largest value, which is also what max(parameter) gives. Scalars and the
// work model use no parameters; Element uses extents, arguments and nothing else.
#pragma once

#include "gridsmith/kernels/definition/definition.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace gridsmith {

/// @param include folders that it may read too, searched for headers after its own.
/// @throws InputError naming file, field and valid choices; an expression's error has its column.
KernelDefinition read_definition(const std::filesystem::path& file,
                                 const std::vector<std::filesystem::path>& include = {});

/// A definition that is no file, as one in the folder of `file`, which errors name: the source that it was drafted from.
/// @throws as read_definition()
KernelDefinition parse_definition(const std::string& text, const std::filesystem::path& file,
                                  const std::string& name,
                                  const std::vector<std::filesystem::path>& include = {});

} // namespace gridsmith
