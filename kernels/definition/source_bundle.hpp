// A kernel's source with all headers of its own, by name and content: what a compiler needs that
// does not see our files. What is not found beside the source is the toolkit's.
#pragma once

#include "gridsmith/base/fields.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace gridsmith {

struct SourceFile {
  std::string name; ///< relative to the folder of the main source: "tile.h", "../common/half.h"
  std::string text;
};

template <Like<SourceFile> T>
void for_fields(T& v, auto&& visit) {
  visit("name", v.name);
  visit("text", v.text);
}

/// Includes are resolved as nvcc does with -I of the source's folder: a quoted name is looked for
/// beside the including file first, then, as one in brackets, beside the main source.
struct SourceBundle {
  SourceFile main;
  std::vector<SourceFile> headers; ///< each once
  std::string hash;                ///< of names and texts, hex: equal content, equal hash
};

template <Like<SourceBundle> T>
void for_fields(T& v, auto&& visit) {
  visit("main", v.main);
  visit("headers", v.headers);
  visit("hash", v.hash);
}

std::shared_ptr<const SourceBundle> make_bundle(SourceFile main,
                                                std::vector<SourceFile> headers = {});

/// The file and, through all #include, the headers of its own; also inside comments and conditions
/// that are not met. Where a name is computed (#include MACRO), every header beside the source may
/// be meant and is taken. Null when the file cannot be read.
std::shared_ptr<const SourceBundle> read_bundle(const std::filesystem::path& source);

/// Main source, then headers, every include of one of them written as its name in the bundle: for
/// compilers that look headers up by the very text of the include. Lines stay.
std::vector<SourceFile> with_resolved_includes(const SourceBundle& bundle);

} // namespace gridsmith
