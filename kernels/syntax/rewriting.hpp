// SPDX-License-Identifier: Apache-2.0
// A source whose own numbers are tuned: the line that defines a name takes the value from a macro.
#pragma once

#include "gridsmith/kernels/source/source_bundle.hpp"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace gridsmith {

/// The macro that has the value of a name that is defined in the source: "GRIDSMITH_TILE".
std::string value_macro(const std::string& name);

/// Where a name gets its value: `#define TILE 16`, `constexpr int TILE = 16;`, `const int TILE{16};`.
struct ValuePlace {
  std::string file;
  int line = 0;
  std::size_t at = 0, size = 0; ///< bytes of the value
  bool host = false;            ///< of a variable of a host function
};

/// In the main source and the headers of its own, in order. `int threads = 128;` of a host function is one
/// where the name has a value nowhere else.
std::vector<ValuePlace> value_places(const SourceBundle& source, const std::string& name);

/// With value_macro() as the value of each name. Lines stay.
/// @throws InputError: a name that is defined nowhere, or at several places
std::shared_ptr<const SourceBundle> rewritten(std::shared_ptr<const SourceBundle> source,
                                              const std::set<std::string>& names);

/// What rewritten() changed, as a unified diff; "" for nothing.
std::string rewriting_diff(const SourceBundle& before, const SourceBundle& after);

} // namespace gridsmith
