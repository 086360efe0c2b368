#include "gridsmith/tuner/processes/cubin_cache.hpp"

#include "gridsmith/base/content_hash.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

std::string read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The text of every file included in quotes, each once, in the order met.
void gather_includes(const std::string& source, const std::vector<std::string>& directories,
                     std::set<std::string>& seen, std::string& all) {
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t hash = line.find_first_not_of(" \t");
    if (hash == std::string::npos || line[hash] != '#' ||
        line.find("include", hash) == std::string::npos)
      continue;
    const std::size_t open = line.find('"'), close = line.find('"', open + 1);
    if (open == std::string::npos || close == std::string::npos)
      continue;
    const std::string name = line.substr(open + 1, close - open - 1);
    for (const std::string& directory : directories) {
      const fs::path file = fs::path(directory) / name;
      if (!fs::is_regular_file(file) || !seen.insert(file.string()).second)
        continue;
      const std::string text = read_text(file);
      all += text;
      gather_includes(text, directories, seen, all);
      break;
    }
  }
}

} // namespace

std::string compile_key(const CompileRequest& request, int compute_capability,
                        const std::string& toolkit) {
  std::string text = request.source;
  std::set<std::string> seen;
  std::string includes;
  gather_includes(request.source, request.include_directories, seen, includes);
  text += includes;
  // A separator that no source holds keeps the fields apart.
  for (const std::string& option : request.options)
    text += '\0' + option;
  text += '\0' + request.kernel + '\0' + std::to_string(compute_capability) + '\0' + toolkit;
  return sha256_hex(text);
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

std::optional<CompileOutcome> CubinCache::find(const std::string& key) const {
  if (folder_.empty())
    return std::nullopt;
  const fs::path file = path_of(key);
  std::ifstream in(file, std::ios::binary);
  if (!in)
    return std::nullopt;
  const Bytes bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::error_code error;
  try {
    auto message = decode(bytes);
    if (auto* outcome = std::get_if<CompileOutcome>(&message)) {
      fs::last_write_time(file, fs::file_time_type::clock::now(), error); // used just now
      return std::move(*outcome);
    }
  } catch (const ProtocolError&) { // half written by a machine that lost power
  }
  fs::remove(file, error);
  return std::nullopt;
}

void CubinCache::add(const std::string& key, const CompileOutcome& outcome) {
  if (folder_.empty() || !outcome.ok)
    return;
  const fs::path file = path_of(key);
  const fs::path temporary = file.string() + "." + std::to_string(::getpid());
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  constexpr std::ptrdiff_t length_bytes = 8; // the frame's length is not part of the document
  const Bytes frame = encode(outcome);
  std::ofstream out(temporary, std::ios::binary);
  out.write(reinterpret_cast<const char*>(frame.data()) + length_bytes,
            static_cast<std::streamsize>(frame.size()) - length_bytes);
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
  for (const auto& file : fs::recursive_directory_iterator(folder_, error)) {
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
