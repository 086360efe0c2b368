// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/source/source_bundle.hpp"

#include "gridsmith/base/content_hash.hpp"
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/folder.hpp"
#include "gridsmith/kernels/source/includes.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>
#include <string_view>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

// More than any library for device code has (CUTLASS: 1,000 headers of 20 MB in all).
constexpr std::size_t most_headers = 5000, most_bytes = std::size_t{64} << 20;
constexpr std::size_t most_beside = 256; // headers of one folder that a computed name may mean

using Exists = std::function<bool(const std::string& name)>;
using Names = std::vector<std::string>;

std::string joined(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / name).lexically_normal().generic_string();
}

std::string folder_of(const std::string& file) {
  return fs::path(file).parent_path().generic_string();
}

/// The name in the bundle of what `includer` includes; none: not of the bundle.
/// @param folders of the search, after that of the main source
std::optional<std::string> resolve(const Include& include, const std::string& includer,
                                   const Names& folders, const Exists& exists) {
  if (include.name.empty())
    return std::nullopt;
  const auto in = [&](const std::string& folder) -> std::optional<std::string> {
    std::string name = joined(folder, include.name);
    return exists(name) ? std::optional(std::move(name)) : std::nullopt;
  };
  if (auto beside = include.quoted ? in(folder_of(includer)) : std::nullopt)
    return beside;
  if (auto below = in(""))
    return below;
  for (const std::string& folder : folders)
    if (auto below = in(folder))
      return below;
  return std::nullopt;
}

std::optional<std::string> read_text(const fs::path& file, const ReadableFolders& readable) {
  auto text = read_regular(readable_file(file, readable), longest_source);
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF"; // which NVRTC takes for code
  if (text && text->starts_with(byte_order_mark))
    text->erase(0, byte_order_mark.size());
  return text;
}

Names headers_in(const fs::path& folder) {
  constexpr std::array<std::string_view, 6> endings{".h", ".hh", ".hpp", ".cuh", ".inl", ".inc"};
  Names names;
  std::error_code error;
  for (const auto& entry : entries_of(folder, error))
    if (std::find(endings.begin(), endings.end(), entry.path().extension().string()) !=
        endings.end())
      names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// Follows the includes of a source, each header once, in the order met.
class Collector {
public:
  Collector(fs::path folder, const HeaderSearch& search, const ReadableFolders& readable)
      : folder_(folder.empty() ? fs::path(".") : std::move(folder)), readable_(readable),
        folders_(search.folders), meant_(search.meant) {}

  void follow(const SourceFile& file) {
    for (const Include& include : includes_of(file.text))
      if (include.kind == Include::Kind::named)
        take(include, file.name);
      else if (include.kind == Include::Kind::computed)
        computing_.insert(folder_of(file.name));
      else
        meant_.push_back(include.name);
  }

  /// The name in the bundle, or, where there is none of that name, the name.
  std::string follow_first(const std::string& name) {
    const Include include{.name = name, .quoted = true};
    take(include, "");
    return resolve(include, "", folders_, exists_).value_or(name);
  }

  /// @throws InputError: there is no such file
  void follow_unit(const std::string& name) {
    if (!exists_(name))
      throw InputError((folder_ / name).string() + ": there is no such file");
    take({.name = name, .quoted = true}, "");
  }

  /// What computed names may mean, beside who computes them and in all folders.
  void follow_computed() {
    bool more = !computing_.empty();
    while (more) {
      const std::size_t known = headers.size() + meant_.size();
      Names roots{""};
      roots.insert(roots.end(), folders_.begin(), folders_.end());
      roots.insert(roots.end(), computing_.begin(), computing_.end());
      for (const std::string& root : roots)
        take_all_of(root);
      more = known != headers.size() + meant_.size();
    }
  }

  std::vector<SourceFile> headers;

private:
  void take_all_of(const std::string& root) {
    Names names = headers_in(folder_ / root);
    if (names.size() > most_beside && !root.empty())
      names.clear();
    const Names meant = meant_; // the list grows below
    names.insert(names.end(), meant.begin(), meant.end());
    for (const std::string& name : names)
      if (!name.empty())
        take({.kind = Include::Kind::mentioned, .name = joined(root, name)}, "");
  }

  void take(const Include& include, const std::string& includer) {
    const auto name = resolve(include, includer, folders_, exists_);
    if (!name || !taken_.insert(*name).second)
      return;
    auto text = text_of(*name, include.kind);
    if (!text)
      return;
    bytes_ += text->size();
    if (headers.size() >= most_headers || bytes_ > most_bytes)
      throw InputError((folder_ / *name).string() +
                       ": includes lead to more than 5000 headers or 64 MiB; a folder of the "
                       "compiler's options holds more than this kernel needs");
    headers.push_back({*name, *std::move(text)});
    const SourceFile header = headers.back(); // the list grows below
    follow(header);
  }

  /// What is only mentioned, and may not be read, is not meant.
  std::optional<std::string> text_of(const std::string& name, Include::Kind kind) const {
    try {
      return read_text(folder_ / name, readable_);
    } catch (const InputError&) {
      if (kind == Include::Kind::named)
        throw;
      return std::nullopt;
    }
  }

  fs::path folder_;
  const ReadableFolders& readable_;
  Names folders_, meant_;
  std::set<std::string> taken_, computing_; ///< names; folders whose files compute names
  std::size_t bytes_ = 0;
  Exists exists_ = [this](const std::string& name) {
    std::error_code error;
    return taken_.contains(name) || fs::is_regular_file(folder_ / name, error);
  };
};

std::string hash_of(const SourceBundle& bundle) {
  std::vector<std::string_view> parts{bundle.main.name, bundle.main.text, "headers"};
  for (const SourceFile& header : bundle.headers) {
    parts.push_back(header.name);
    parts.push_back(header.text);
  }
  parts.push_back("folders");
  parts.insert(parts.end(), bundle.folders.begin(), bundle.folders.end());
  parts.push_back("before");
  parts.insert(parts.end(), bundle.before.begin(), bundle.before.end());
  return sha256_hex_of(parts);
}

/// Of the bundle, by the texts as they were written.
struct Resolver {
  explicit Resolver(const SourceBundle& of) : bundle(of) {
    for (const SourceFile& header : bundle.headers)
      names.insert(header.name);
  }

  SourceFile resolved(const SourceFile& file) {
    SourceFile result{file.name, ""};
    std::size_t done = 0;
    for (const Include& include : includes_of(file.text)) {
      if (include.kind == Include::Kind::computed)
        computing.push_back(folder_of(file.name));
      const auto name = include.kind == Include::Kind::named
                            ? resolve(include, file.name, bundle.folders, exists)
                            : std::nullopt;
      if (!name)
        continue;
      result.text += file.text.substr(done, include.first - done) + '"' + *name + '"';
      done = include.last;
    }
    result.text += file.text.substr(done);
    return result;
  }

  /// Names under which a computed include may ask for a header that has another one here.
  std::vector<SourceFile> other_names() {
    std::vector<SourceFile> found;
    if (computing.empty())
      return found;
    Names roots = bundle.folders;
    roots.insert(roots.end(), computing.begin(), computing.end());
    for (const std::string& root : roots)
      for (const SourceFile& header : bundle.headers)
        if (const std::string prefix = root + "/"; header.name.starts_with(prefix))
          if (std::string other = header.name.substr(prefix.size()); names.insert(other).second)
            found.push_back({std::move(other), "#include \"" + header.name + "\"\n"});
    return found;
  }

  const SourceBundle& bundle;
  std::set<std::string> names;
  Names computing; ///< folders of files that compute names
  Exists exists = [this](const std::string& name) { return names.contains(name); };
};

} // namespace

std::shared_ptr<const SourceBundle> make_bundle(SourceFile main, std::vector<SourceFile> headers,
                                                std::vector<std::string> folders,
                                                std::vector<std::string> before) {
  auto bundle = std::make_shared<SourceBundle>(
      SourceBundle{std::move(main), std::move(headers), std::move(folders), std::move(before), ""});
  bundle->hash = hash_of(*bundle);
  return bundle;
}

std::shared_ptr<const SourceBundle> read_bundle(const fs::path& source, const HeaderSearch& search,
                                                const ReadableFolders& readable) {
  auto text = source.empty() ? std::nullopt : read_text(source, readable);
  if (!text)
    return nullptr;
  SourceFile main{source.filename().string(), *std::move(text)};
  Collector collector(source.parent_path(), search, readable);
  Names before;
  for (const std::string& name : search.before)
    before.push_back(collector.follow_first(name));
  collector.follow(main);
  for (const std::string& unit : search.units)
    collector.follow_unit(unit);
  collector.follow_computed();
  return make_bundle(std::move(main), std::move(collector.headers), search.folders,
                     std::move(before));
}

std::vector<SourceFile> with_resolved_includes(const SourceBundle& bundle) {
  Resolver resolver(bundle);
  std::vector<SourceFile> files{resolver.resolved(bundle.main)};
  for (const SourceFile& header : bundle.headers)
    files.push_back(resolver.resolved(header));
  for (SourceFile& other : resolver.other_names())
    files.push_back(std::move(other));
  return files;
}

} // namespace gridsmith
