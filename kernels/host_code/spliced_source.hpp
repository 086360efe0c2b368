// SPDX-License-Identifier: Apache-2.0
// The tokens of a source with those of its own headers where it includes them.
#pragma once

#include "gridsmith/kernels/source/source_bundle.hpp"
#include "gridsmith/kernels/syntax/tokens.hpp"

#include <memory>
#include <string_view>
#include <vector>

namespace gridsmith {

/// What a directive includes of with_resolved_includes(); null: none of them.
const SourceFile* included_file(const std::vector<SourceFile>& files, std::string_view directive);

struct SplicedSource {
  std::shared_ptr<const std::vector<SourceFile>> files; ///< that the tokens point into
  Tokens tokens;
};

/// Each header once, where it is included first; conditions around that are not looked at. A header that makes it
/// longer than the host code of a kernel is stays out.
SplicedSource spliced(const SourceBundle& bundle);

/// Whether a token points into a text.
bool is_of(const Token& token, std::string_view text);

} // namespace gridsmith
