// SPDX-License-Identifier: Apache-2.0
// Files of elements that a definition names: raw ones, little-endian, one after the other, or .npy. What a
// file says of itself agrees with what it is for, or it is refused.
#pragma once

#include "gridsmith/kernels/inputs/element_type.hpp"
#include "gridsmith/kernels/source/readable_files.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace gridsmith {

/// No more is read of such a file, in bytes: it travels to the worker in one message.
constexpr std::uint64_t longest_element_file = std::uint64_t{1} << 30;

/// By its name.
bool is_npy(const std::filesystem::path& file);

/// Looks at the head of a .npy file; a raw one says nothing. @throws InputError: another type, or
/// nothing that can be read.
void check_element_type(const std::filesystem::path& file, const ReadableFolders& folders,
                        ElementType type);
/// Looks at the head and the length. @throws InputError: another type or number of elements, or more
/// bytes than are read.
void check_elements(const std::filesystem::path& file, const ReadableFolders& folders,
                    ElementType type, std::uint64_t elements);
/// The elements alone. @throws as check_elements
std::string read_elements(const std::filesystem::path& file, const ReadableFolders& folders,
                          ElementType type, std::uint64_t elements);

} // namespace gridsmith
