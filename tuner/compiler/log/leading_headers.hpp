// SPDX-License-Identifier: Apache-2.0
// A source that begins with headers of the toolkit, in two parts: those headers, which a compiler can
// keep compiled, and the rest, behind the macros that differ from configuration to configuration. Text
// only: no compiler in sight.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// Up to the end of the last of the `#include <…>` that a source begins with, with comments and empty
/// lines between them and nothing else; 0: it does not begin so.
/// @param own names of headers that are the source's: there the leading part ends
std::size_t leading_includes(std::string_view text, const std::set<std::string>& own);

/// What macros are given on a command line: "-DTILE=64" as "TILE" and "64".
struct Macro {
  std::string name, value;
};

/// A command line, in two.
struct MacrosApart {
  std::vector<Macro> macros;
  std::vector<std::string> others; ///< in order
};

/// Nothing where an option may change what the headers are (one that is included before them, a macro
/// with parameters or by two words).
std::optional<MacrosApart> split_options(const std::vector<std::string>& options);

/// The source with the leading part in front, a stop of the precompiled headers, the macros as
/// directives, and the rest at the lines it has in the file.
std::string with_stop(std::string_view text, std::size_t leading, const std::string& file,
                      const std::vector<Macro>& macros);

} // namespace gridsmith
