// SPDX-License-Identifier: Apache-2.0
// A kernel's source with all headers of its own, by name and content: what a compiler needs that
// does not see our files. What is not found on the search path is the toolkit's.
#pragma once

#include "gridsmith/base/fields.hpp"
#include "gridsmith/kernels/source/readable_files.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace gridsmith {

struct SourceFile {
  /// Relative to the folder of the main source: "tile.h", "../common/half.h"; absolute where it was
  /// asked for so.
  std::string name;
  std::string text;
};

template <Like<SourceFile> T>
void for_fields(T& v, auto&& visit) {
  visit("name", v.name);
  visit("text", v.text);
}

/// Includes are resolved as nvcc does with -I of the source's folder and then of `folders`: a quoted
/// name is looked for next to the including file first, then, as one in brackets, in those.
struct SourceBundle {
  SourceFile main;
  std::vector<SourceFile> headers;  ///< each once
  std::vector<std::string> folders; ///< named as files are
  std::vector<std::string> before;  ///< headers included before the first line of the main source
  std::string hash;                 ///< of all the above, hex: equal content, equal hash
};

template <Like<SourceBundle> T>
void for_fields(T& v, auto&& visit) {
  visit("main", v.main);
  visit("headers", v.headers);
  visit("folders", v.folders);
  visit("before", v.before);
  visit("hash", v.hash);
}

/// Where headers are looked for, after the including file and the main source.
struct HeaderSearch {
  std::vector<std::string> folders;    ///< of -I; relative ones: to the main source
  std::vector<std::string> before;     ///< of --pre-include
  std::vector<std::string> meant;      ///< what an include whose name is computed may mean
  std::vector<std::string> units = {}; ///< sources that are compiled too, in the bundle as headers
};

/// Sets the hash.
std::shared_ptr<const SourceBundle> make_bundle(SourceFile main,
                                                std::vector<SourceFile> headers = {},
                                                std::vector<std::string> folders = {},
                                                std::vector<std::string> before = {});

/// The file and, through all #include and __has_include, the headers of its own; also inside of
/// conditions that are not met. Where a name is computed (#include MACRO), every header next to the
/// source or in a folder of the search may be meant, and whatever a directive or the search names,
/// and is taken. Null when the file cannot be read.
/// @throws InputError when a file that is included is not below the readable folders, or all of them
/// are more than a compiler could be meant to read.
std::shared_ptr<const SourceBundle> read_bundle(const std::filesystem::path& source,
                                                const HeaderSearch& search = {},
                                                const ReadableFolders& readable = {"/"});

/// Main source, then headers, every include of one of them written as its name in the bundle: for
/// compilers that look headers up by the very text of the include. Lines stay. Where names are
/// computed, what a search would find has an entry of that name too, which includes it.
std::vector<SourceFile> with_resolved_includes(const SourceBundle& bundle);

} // namespace gridsmith
