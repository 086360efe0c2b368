// SPDX-License-Identifier: Apache-2.0
// What types a kernel's parameters really have, asked of the compiler: a text behind the source makes
// them the name of a function, which the compiler gives back as the linker sees it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

/// A parameter, or, of a pointer, what it points to.
struct ResolvedType {
  enum class Kind { real, signed_integer, unsigned_integer, other };

  std::string name; ///< of the parameter, without typedefs: "float const*"
  bool pointer = false, constant = false;
  Kind kind = Kind::other; ///< of an enumeration: its integers
  std::int64_t bytes = 0;
};

/// To be appended to the source. @param kernel as in a definition: "ns::scale<float>"
std::string type_probe(const std::string& kernel);
/// The function to ask the compiler for.
std::string type_probe_name(const std::string& kernel);
/// @param lowered the function's name as the linker sees it; nothing where it is another's
std::optional<std::vector<ResolvedType>> types_of_probe(const std::string& lowered);

} // namespace gridsmith
