// SPDX-License-Identifier: Apache-2.0
// The headers that a source names, found in its text as a preprocessor would: through comments, line
// continuations and digraphs, outside of literals. Conditions are not looked at, so that what any
// configuration may include is found.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

struct Include {
  enum class Kind {
    named,     ///< #include "a.h", <a.h>; also asked for by __has_include
    computed,  ///< #include MACRO: without a name
    mentioned, ///< "a.h" or <a.h> anywhere else in a directive: what a computed one may mean
  };

  Kind kind = Kind::named;
  std::size_t first = 0, last = 0; ///< of the name with its quotes or brackets, in the text
  std::string name;
  bool quoted = false;
};

/// In the order of the text.
std::vector<Include> includes_of(std::string_view text);

} // namespace gridsmith
