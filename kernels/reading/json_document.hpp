// SPDX-License-Identifier: Apache-2.0
// The text of a definition as a tree, with what the tree does not show: fields that are there twice,
// and comments.
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace gridsmith {

struct JsonDocument {
  nlohmann::json root;
  std::string hash; ///< sha256_hex of the bytes
  /// Paths of fields that one object has twice, "KernelSpecification.Language"; the last counts.
  std::vector<std::string> twice;
  bool comments = false; ///< // or /* */, which JSON does not have
};

/// Whether it is named as sources are: k.cu.
bool has_source_ending(const std::filesystem::path& file);

/// Comments are skipped. @throws InputError: what cannot be read and why, what is no definition but
/// a source, a store or in UTF-16, or file:line:column of what is malformed.
JsonDocument read_document(const std::filesystem::path& file);

/// @param file that errors name @throws InputError: file:line:column of what is malformed
JsonDocument parse_document(const std::string& text, const std::filesystem::path& file);

} // namespace gridsmith
