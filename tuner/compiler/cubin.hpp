// What a cubin, a 64-bit ELF file, holds beside instructions: its sections, and what they tell of a
// kernel's parameters and of variables. Whatever is cut off or foreign is passed over.
#pragma once

#include "gridsmith/tuner/protocol/messages.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// Views into the cubin.
struct CubinSection {
  std::string_view name;
  std::string_view content; ///< empty where the file has none of it
  std::uint64_t size = 0;   ///< bytes that it is said to have
  std::uint32_t info = 0;
};

struct CubinFile {
  std::uint32_t flags = 0; ///< the architecture
  std::vector<CubinSection> sections;
};

/// Nothing of what is no 64-bit ELF file.
std::optional<CubinFile> read_cubin(const Bytes& cubin);

/// Bytes of each parameter of a kernel, in order; nothing where the cubin does not tell.
/// @param kernel lowered name
std::optional<std::vector<std::int64_t>> parameter_bytes(const Bytes& cubin,
                                                         std::string_view kernel);

/// Threads of a block that the source's launch bounds allow; 0: it has none.
/// @param kernel lowered name
int launch_bound(const Bytes& cubin, std::string_view kernel);

/// Names of variables in global and constant memory, lowered.
std::vector<std::string> variables(const Bytes& cubin);

} // namespace gridsmith
