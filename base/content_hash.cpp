// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/content_hash.hpp"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>

namespace gridsmith {

namespace {

std::string sha256(std::string_view content) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_Digest(content.data(), content.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("OpenSSL has no SHA-256 here"); // a crippled provider configuration
  return {digest.begin(), digest.begin() + size};
}

} // namespace

std::string sha256_hex(std::string_view content) {
  std::string text;
  for (const char byte : sha256(content)) {
    text += "0123456789abcdef"[static_cast<unsigned char>(byte) >> 4];
    text += "0123456789abcdef"[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

std::string policy_hash(std::string_view content) {
  return "sha256-" + base64_of(sha256(content));
}

std::string base64_of(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    unsigned three = 0;
    for (std::size_t i = at; i < at + 3; ++i)
      three = three << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U);
    for (unsigned digit = 0; digit < 4; ++digit)
      text += at + digit > bytes.size() ? '=' : digits[three >> (18 - 6 * digit) & 63];
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
