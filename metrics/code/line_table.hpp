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

/// From this instruction up to the next entry.
struct LineOf {
  std::uint64_t offset = 0; ///< bytes from the begin of the code
  std::string file;         ///< without folders; "": the code is of no line
  int line = 0;             ///< of the innermost function where several are in one another
};

/// By offset; empty: the cubin has no table, one of another version, or a damaged one.
/// @param section number of the code's section
std::vector<LineOf> lines_of_section(const CubinFile& file, std::size_t section);

/// nullptr: of no line.
const LineOf* line_at(const std::vector<LineOf>& lines, std::uint64_t offset);

} // namespace gridsmith
