// A short name for content: equal content, equal key. For the store's scopes and the cubin cache.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gridsmith {

/// SHA-256 (FIPS 180-4) of the bytes, as 64 lower-case hex digits.
std::string sha256_hex(std::string_view content);
/// Of several parts, each with its length, so that no two lists give one text.
std::string sha256_hex_of(std::span<const std::string_view> parts);

} // namespace gridsmith
