// SPDX-License-Identifier: Apache-2.0
// Which source line an instruction is of, from the table that -lineinfo leaves in a cubin: the line
// program of DWARF 2 to 4 in .debug_line. CUDA 13 writes version 2.
#pragma once

#include "gridsmith/metrics/code/cubin.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

struct SourceLine {
  std::string file; ///< with the folders that the compiler says: "/build/sub/put.h"
  int line = 0;

  bool operator==(const SourceLine&) const = default;
};

/// From this instruction up to the next entry.
struct LineOf {
  std::uint64_t offset = 0; ///< bytes from the begin of the code
  /// Of inlined functions the innermost first, then where each is called; empty: of no line.
  std::vector<SourceLine> places;
};

/// By offset; empty: the cubin has no table, one of another version, or a damaged one.
/// @param section number of the code's section
std::vector<LineOf> lines_of_section(const CubinFile& file, std::size_t section);

/// Only lines of these files, each entry with the innermost of them: what a function of the toolkit
/// does is the line's that calls it.
/// @param files as they were named to the compiler, "k.cu" or "../common/put.h": the main source first,
/// whose path tells in which folder the others are looked for; in any if the table does not name it
std::vector<LineOf> lines_of_files(std::vector<LineOf> lines,
                                   const std::vector<std::string>& files);

/// The innermost; nullptr: of no line.
const SourceLine* line_at(const std::vector<LineOf>& lines, std::uint64_t offset);

} // namespace gridsmith
