// A short name for content: equal content, equal key. For the store's scopes and the cubin cache.
#pragma once

#include <string>
#include <string_view>

namespace gridsmith {

/// SHA-256 (FIPS 180-4) of the bytes, as 64 lower-case hex digits.
std::string sha256_hex(std::string_view content);

} // namespace gridsmith
