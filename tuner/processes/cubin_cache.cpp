// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/processes/cubin_cache.hpp"

#include "gridsmith/base/content_hash.hpp"
#include "gridsmith/base/folder.hpp"
#include "gridsmith/base/version.hpp"
#include "gridsmith/kernels/source/host_headers.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <utility>
#include <vector>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t checksum_length = 64; // SHA-256 in hex, in front of the document
constexpr std::size_t largest_entry = std::size_t{1} << 30; // no code object is so large

std::string checksum_of(const std::uint8_t* bytes, std::size_t count) {
  return sha256_hex({reinterpret_cast<const char*>(bytes), count});
}

/// Nothing for what is not whole, or of another version.
std::shared_ptr<CodeObject> read_entry(const Bytes& file) {
  if (file.size() < checksum_length)
    return nullptr;
  const auto body = file.begin() + checksum_length;
  if (std::string(file.begin(), body) !=
      checksum_of(file.data() + checksum_length, file.size() - checksum_length))
    return nullptr;
  try {
    auto message = decode(Bytes(body, file.end()));
    if (auto* code = std::get_if<CodeObject>(&message))
      return std::make_shared<CodeObject>(std::move(*code));
    return nullptr;
  } catch (const ProtocolError&) { // written by another version
    return nullptr;
  }
}

} // namespace

std::string compile_key(const CompileRequest& request, int compute_capability,
                        const std::string& toolkit) {
  const std::string capability = std::to_string(compute_capability);
  std::vector<std::string_view> parts{version(), toolkit, capability, request.kernel};
  if (request.source)
    parts.push_back(request.source->hash);
  parts.push_back(to_text(request.compiler));
  if (request.compiler == Compiler::nvrtc)
    parts.push_back(host_headers_hash());
  parts.push_back("units");
  parts.insert(parts.end(), request.units.begin(), request.units.end());
  parts.push_back("options");
  parts.insert(parts.end(), request.options.begin(), request.options.end());
  if (!request.parameters.empty())
    parts.push_back("parameters"); // which the source may not define
  for (const ParameterMacro& parameter : request.parameters) {
    parts.push_back(parameter.name);
    parts.push_back(parameter.varies ? "varies" : "fixed");
  }
  return sha256_hex_of(parts);
}

CubinCache::CubinCache(fs::path folder, std::uint64_t limit_bytes)
    : folder_(std::move(folder)), limit_bytes_(limit_bytes) {
  if (folder_.empty())
    return;
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error)
    folder_.clear();
  trim();
}

fs::path CubinCache::path_of(const std::string& key) const {
  return folder_ / key.substr(0, 2) / (key + ".cubin");
}

bool CubinCache::contains(const std::string& key) const {
  std::error_code error;
  return !folder_.empty() && fs::is_regular_file(path_of(key), error);
}

std::shared_ptr<CodeObject> CubinCache::find(const std::string& key) const {
  if (folder_.empty())
    return nullptr;
  const fs::path file = path_of(key);
  std::ifstream in(file, std::ios::binary);
  if (!in)
    return nullptr;
  std::error_code error;
  const auto size = fs::file_size(file, error);
  Bytes bytes(!error && size <= largest_entry ? size : 0);
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  auto code = in ? read_entry(bytes) : nullptr;
  if (code)
    fs::last_write_time(file, fs::file_time_type::clock::now(), error); // used just now
  else
    fs::remove(file, error);
  return code;
}

void CubinCache::add(const std::string& key, const CodeObject& code) {
  if (folder_.empty() || !code.cubin)
    return;
  const fs::path file = path_of(key);
  // Several sessions, of one process or of many, may add the same at once.
  const fs::path temporary = fmt::format("{}.{}.{}", file.string(), ::getpid(), ::gettid());
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  constexpr std::size_t length_bytes = 8; // the frame's length is not part of the document
  const Bytes frame = encode(code);
  const std::uint8_t* document = frame.data() + length_bytes;
  const std::size_t size = frame.size() - length_bytes;
  std::ofstream out(temporary, std::ios::binary);
  out << checksum_of(document, size);
  out.write(reinterpret_cast<const char*>(document), static_cast<std::streamsize>(size));
  out.close();
  if (out)
    fs::rename(temporary, file, error);
  if (!out || error)
    fs::remove(temporary, error);
}

void CubinCache::trim() const {
  if (folder_.empty())
    return;

  struct Entry {
    fs::file_time_type used;
    std::uint64_t bytes;
    fs::path file;
  };

  std::vector<Entry> entries;
  std::uint64_t total = 0;
  std::error_code error;
  for (const auto& file : entries_below(folder_, error)) {
    if (!file.is_regular_file(error))
      continue;
    entries.push_back({file.last_write_time(error), file.file_size(error), file.path()});
    total += entries.back().bytes;
  }
  if (total <= limit_bytes_)
    return;
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= limit_bytes_)
      break;
    if (fs::remove(entry.file, error))
      total -= entry.bytes;
  }
}

fs::path default_cache_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache)
    return fs::path(cache) / "gridsmith";
  if (const char* home = std::getenv("HOME"); home && *home)
    return fs::path(home) / ".cache" / "gridsmith";
  return {};
}

} // namespace gridsmith
