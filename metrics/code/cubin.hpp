// SPDX-License-Identifier: Apache-2.0
// What a cubin, a 64-bit ELF file, contains besides instructions: its sections, and what they tell of a
// kernel's parameters and of variables. Whatever is cut off or foreign is passed over.
#pragma once

#include "gridsmith/metrics/device/occupancy.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// Views into the cubin.
struct CubinSection {
  std::string_view name;
  std::string_view content; ///< empty where the file has none of it
  std::uint64_t size = 0;   ///< bytes, by its header
  std::uint32_t info = 0;
};

struct CubinFile {
  std::uint32_t flags = 0;            ///< the architecture
  int compute_capability = 0;         ///< as 90 for 9.0, of the flags
  bool whole = false;                 ///< every table and section lies inside the file
  std::vector<CubinSection> sections; ///< where it is whole, at their numbers
};

/// One entry of the table of symbols.
struct CubinSymbol {
  std::string_view name;
  std::uint8_t type = 0;     ///< STT_… of <elf.h>
  std::uint16_t section = 0; ///< number
  std::uint64_t value = 0;   ///< of a function: where it begins in its section
  std::uint64_t size = 0;    ///< bytes
};

/// Nothing for a file that is not a 64-bit ELF file.
std::optional<CubinFile> read_cubin(std::span<const std::uint8_t> cubin);

/// The section of this name; empty where there is none.
std::string_view content_of(const CubinFile& file, std::string_view section);

/// At their numbers, which relocations and attributes name.
std::vector<CubinSymbol> symbols_of(const CubinFile& file);

/// Bytes of each parameter of a kernel, in order; nothing where the cubin does not tell.
/// @param kernel lowered name
std::optional<std::vector<std::int64_t>> parameter_bytes(std::span<const std::uint8_t> cubin,
                                                         std::string_view kernel);

/// What a kernel takes of the device, as far as its cubin tells: registers, shared and local memory.
/// @param kernel lowered name
CompileFacts resources_of(const CubinFile& file, std::string_view kernel);

/// Threads of a block that the source's launch bounds allow; 0: it has none.
/// @param kernel lowered name
int launch_bound(std::span<const std::uint8_t> cubin, std::string_view kernel);

/// Bytes of stack that each thread has in the code of this section, its functions too; of recursion
/// one call. 0: none, or unknown.
/// @param section number of the kernel's code
std::int64_t stack_bytes(const CubinFile& file, std::size_t section);

/// Names of variables in global and constant memory, lowered.
std::vector<std::string> variables(std::span<const std::uint8_t> cubin);

/// Those in constant memory that have no values in the source, so that they are 0 until a host fills them.
std::vector<std::string> empty_constants(std::span<const std::uint8_t> cubin);

/// Bytes of the variable of this lowered name; nothing where there is none.
std::optional<std::uint64_t> variable_bytes(std::span<const std::uint8_t> cubin,
                                            std::string_view name);

} // namespace gridsmith
