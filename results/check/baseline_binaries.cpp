// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/check/baseline_binaries.hpp"

#include "gridsmith/base/content_hash.hpp"
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <system_error>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

std::string_view characters(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The hash becomes a file's name: nothing but what sha256_hex() gives.
bool is_hash(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

fs::path file_of(const fs::path& folder, const std::string& hash) {
  return folder / (hash + ".cubin");
}

} // namespace

fs::path binaries_beside(const fs::path& baseline) {
  fs::path folder = baseline;
  if (folder.extension() == ".gz")
    folder.replace_extension();
  return folder.replace_extension(".cubins");
}

OldBinary keep_binary(const fs::path& folder, std::span<const std::uint8_t> cubin,
                      const std::string& kernel) {
  const auto bytes = static_cast<std::int64_t>(cubin.size());
  if (bytes > largest_binary)
    throw InputError(fmt::format("{}: a binary of {} bytes; at most {} are kept", kernel, bytes,
                                 largest_binary));
  OldBinary kept{sha256_hex(characters(cubin)), bytes, kernel};
  std::error_code error;
  fs::create_directories(folder, error);
  if (!find_binary({folder}, kept).cubin)
    write_packed(file_of(folder, kept.hash), std::string(characters(cubin)));
  return kept;
}

FoundBinary find_binary(const std::vector<fs::path>& folders, const OldBinary& binary) {
  if (!is_hash(binary.hash))
    return {nullptr, "the baseline names its binary by an invalid hash"};
  FoundBinary found{nullptr, "its binary is neither next to the baseline nor in the cache"};
  for (const fs::path& folder : folders) {
    const fs::path file = folder.empty() ? fs::path() : file_of(folder, binary.hash);
    std::error_code error;
    if (file.empty() || !fs::is_regular_file(file, error))
      continue;
    try {
      const std::string content = read_unpacked(file, static_cast<std::size_t>(largest_binary));
      if (sha256_hex(content) == binary.hash)
        return {std::make_shared<const std::vector<std::uint8_t>>(content.begin(), content.end()),
                ""};
      found.because = file.string() + ": is not the binary that the baseline names";
    } catch (const InputError& broken) {
      found.because = broken.what();
    }
  }
  return found;
}

} // namespace gridsmith
