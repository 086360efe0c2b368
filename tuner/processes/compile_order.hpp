// SPDX-License-Identifier: Apache-2.0
// Which of those that wait is compiled next: a decision only, without a process.
#pragma once

#include <cstddef>
#include <span>

namespace gridsmith {

/// What is expected of a compilation before it begins.
struct CompileForecast {
  double ms = 0;            ///< how long it takes; 0: not known
  bool hopeless = false;    ///< what it makes cannot be launched
  bool more_follow = false; ///< others of its source, as many as there are compilers or more
};

/// The place of the next one, of at least one, in the order asked. The one asked first, but for two
/// rules: the hopeless come after all others, and what takes as long as all others that wait take
/// together on all compilers begins at once, since in the end everybody would wait for it.
std::size_t next_to_compile(std::span<const CompileForecast> waiting, std::size_t compilers);

} // namespace gridsmith
