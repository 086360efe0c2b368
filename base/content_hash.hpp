// SPDX-License-Identifier: Apache-2.0
// A short name for content: equal content, equal key. For the store's scopes, the cubin cache and what a
// page may run; and bytes as text.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gridsmith {

/// SHA-256 (FIPS 180-4) of the bytes, as 64 lower-case hex digits.
std::string sha256_hex(std::string_view content);
/// Of several parts, each with its length, so that no two lists give one text.
std::string sha256_hex_of(std::span<const std::string_view> parts);

/// SHA-256 of the bytes as a content security policy has it: "sha256-" and base64.
std::string policy_hash(std::string_view content);

/// Base64 (RFC 4648, section 4), in one line.
std::string base64_of(std::string_view bytes);

} // namespace gridsmith
