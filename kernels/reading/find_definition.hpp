// SPDX-License-Identifier: Apache-2.0
// Which file a kernel's name on a command line means.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gridsmith {

/// Definitions under a folder, <name>/<name>.json, sorted by name.
std::vector<std::filesystem::path> catalogue(const std::filesystem::path& folder);

/// A name of the catalogue; else, and for whatever holds a slash or ends with .json, a file, or a
/// folder with its definition: NAME/NAME.json or the only JSON file there.
/// @param folder of the catalogue
/// @throws InputError with the nearest name, or what the path is instead
std::filesystem::path find_definition(const std::string& name_or_path,
                                      const std::filesystem::path& folder);

/// Whether it is of a catalogue, .../catalogue/NAME/NAME.json, where its name finds it.
bool is_of_catalogue(const std::filesystem::path& definition);

/// Whether it is a file that commands take. A definition that was drafted and not kept has the name of its source.
bool is_kept(const std::filesystem::path& definition);

/// What a command line calls a definition: its name if it is of a catalogue, else the path from here.
std::string kernel_word(const std::filesystem::path& definition);

} // namespace gridsmith
