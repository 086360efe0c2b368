#include "gridsmith/base/content_hash.hpp"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>

namespace gridsmith {

std::string sha256_hex(std::string_view content) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_Digest(content.data(), content.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("OpenSSL has no SHA-256 here"); // a crippled provider configuration
  std::string text;
  for (unsigned i = 0; i < size; ++i) {
    text += "0123456789abcdef"[digest[i] >> 4];
    text += "0123456789abcdef"[digest[i] & 15];
  }
  return text;
}

std::string sha256_hex_of(std::span<const std::string_view> parts) {
  std::string all;
  for (const std::string_view part : parts) {
    all += std::to_string(part.size()) + ':';
    all += part;
  }
  return sha256_hex(all);
}

} // namespace gridsmith
