#include "gridsmith/kernels/definition/source_bundle.hpp"

#include "gridsmith/base/content_hash.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <string_view>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

struct Include {
  std::size_t first = 0, last = 0; ///< of the name with its quotes or brackets, in the text
  std::string name;                ///< empty: computed by a macro
  bool quoted = false;
};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// The include that a line is, if it is one. `offset`: of the line in the text.
std::optional<Include> include_of(std::string_view line, std::size_t offset) {
  constexpr std::string_view word = "include";
  const auto past_blanks = [&](std::size_t at) {
    return std::min(line.find_first_not_of(" \t", at), line.size());
  };
  std::size_t at = past_blanks(0);
  if (at == line.size() || line[at] != '#')
    return std::nullopt;
  at = past_blanks(at + 1);
  if (line.substr(at, word.size()) != word)
    return std::nullopt;
  at += word.size();
  if (at < line.size() && is_word(line[at])) // include_next
    return std::nullopt;
  at = past_blanks(at);
  Include found;
  if (at < line.size() && (line[at] == '"' || line[at] == '<')) {
    found.quoted = line[at] == '"';
    const std::size_t close = line.find(found.quoted ? '"' : '>', at + 1);
    if (close == std::string_view::npos)
      return std::nullopt;
    found.first = offset + at;
    found.last = offset + close + 1;
    found.name = line.substr(at + 1, close - at - 1);
  }
  return found;
}

std::vector<Include> includes_of(std::string_view text) {
  std::vector<Include> includes;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (auto include = include_of(text.substr(at, end - at), at))
      includes.push_back(*std::move(include));
    at = end + 1;
  }
  return includes;
}

using Exists = std::function<bool(const std::string& name)>;

/// The name in the bundle of what `includer` includes; none: not of the bundle.
std::optional<std::string> resolve(const Include& include, const std::string& includer,
                                   const Exists& exists) {
  if (include.name.empty() || fs::path(include.name).is_absolute())
    return std::nullopt;
  const std::string beside =
      (fs::path(includer).parent_path() / include.name).lexically_normal().generic_string();
  if (include.quoted && exists(beside))
    return beside;
  std::string below = fs::path(include.name).lexically_normal().generic_string();
  return exists(below) ? std::optional(std::move(below)) : std::nullopt;
}

std::optional<std::string> read_text(const fs::path& file) {
  std::error_code error;
  std::ifstream in(file, std::ios::binary);
  if (!in || !fs::is_regular_file(file, error))
    return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

std::vector<std::string> headers_beside(const fs::path& folder) {
  constexpr std::array<std::string_view, 6> endings{".h", ".hh", ".hpp", ".cuh", ".inl", ".inc"};
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (std::find(endings.begin(), endings.end(), entry.path().extension().string()) !=
        endings.end())
      names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// Follows the includes of a source, each header once, in the order met.
class Collector {
public:
  explicit Collector(fs::path folder) : folder_(std::move(folder)) {}

  void follow(const SourceFile& file) {
    for (const Include& include : includes_of(file.text))
      if (include.name.empty())
        for (const std::string& name : headers_beside(folder_))
          take(name);
      else if (const auto name = resolve(include, file.name, [&](const std::string& tried) {
                 std::error_code error;
                 return fs::is_regular_file(folder_ / tried, error);
               }))
        take(*name);
  }

  std::vector<SourceFile> headers;

private:
  void take(const std::string& name) {
    const auto same = [&](const SourceFile& header) { return header.name == name; };
    if (std::any_of(headers.begin(), headers.end(), same))
      return;
    auto text = read_text(folder_ / name);
    if (!text)
      return;
    headers.push_back({name, *std::move(text)});
    const SourceFile header = headers.back(); // the list grows below
    follow(header);
  }

  fs::path folder_;
};

std::string hash_of(const SourceBundle& bundle) {
  std::string all;
  const auto add = [&](const std::string& part) {
    all += std::to_string(part.size()) + ':' + part; // so that no two lists give one text
  };
  add(bundle.main.name);
  add(bundle.main.text);
  for (const SourceFile& header : bundle.headers) {
    add(header.name);
    add(header.text);
  }
  return sha256_hex(all);
}

SourceFile resolved(const SourceFile& file, const Exists& exists) {
  SourceFile result{file.name, ""};
  std::size_t done = 0;
  for (const Include& include : includes_of(file.text))
    if (const auto name = resolve(include, file.name, exists)) {
      result.text += file.text.substr(done, include.first - done) + '"' + *name + '"';
      done = include.last;
    }
  result.text += file.text.substr(done);
  return result;
}

} // namespace

std::shared_ptr<const SourceBundle> make_bundle(SourceFile main, std::vector<SourceFile> headers) {
  auto bundle = std::make_shared<SourceBundle>();
  bundle->main = std::move(main);
  bundle->headers = std::move(headers);
  bundle->hash = hash_of(*bundle);
  return bundle;
}

std::shared_ptr<const SourceBundle> read_bundle(const fs::path& source) {
  auto text = read_text(source);
  if (!text)
    return nullptr;
  const SourceFile main{source.filename().string(), *std::move(text)};
  Collector collector(source.parent_path());
  collector.follow(main);
  return make_bundle(main, std::move(collector.headers));
}

std::vector<SourceFile> with_resolved_includes(const SourceBundle& bundle) {
  const Exists exists = [&](const std::string& name) {
    return std::any_of(bundle.headers.begin(), bundle.headers.end(),
                       [&](const SourceFile& header) { return header.name == name; });
  };
  std::vector<SourceFile> files{resolved(bundle.main, exists)};
  for (const SourceFile& header : bundle.headers)
    files.push_back(resolved(header, exists));
  return files;
}

} // namespace gridsmith
