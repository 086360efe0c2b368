// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/check/baseline.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/file.hpp"
#include "gridsmith/base/file_kind.hpp"
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/kernels/definition/problem_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace gridsmith {
namespace {

constexpr int newest_version = 1;
constexpr std::string_view format_key = "gridsmith baseline";
constexpr std::size_t largest_baseline = std::size_t{64} << 20; // thousands of counted entries

auto order_of(const BaselineEntry& entry) {
  return std::tuple(entry.kernel, extents_of(entry.problem), entry.problem,
                    entry.compute_capability, to_text(entry.configuration));
}

/// Objects with a field a line, all else on the line of its name.
std::string lines_of(const nlohmann::json& json, std::size_t indent) {
  if (!json.is_object() || json.empty())
    return json_text(json);
  std::string text;
  for (const auto& [name, held] : json.items())
    text += fmt::format("{}{:{}}{}: {}", text.empty() ? "{\n" : ",\n", "", indent + 1,
                        json_text(nlohmann::json(name)), lines_of(held, indent + 1));
  return text + fmt::format("\n{:{}}}}", "", indent);
}

/// In the order in which the fields are listed.
std::string text_of(const BaselineEntry& entry) {
  const nlohmann::json held = to_fields(entry);
  std::string text;
  for_fields(entry, [&](const char* name, const auto&) {
    if (const auto found = held.find(name); found != held.end())
      text +=
          fmt::format("{}  \"{}\": {}", text.empty() ? " {\n" : ",\n", name, lines_of(*found, 2));
  });
  return text + "\n }";
}

void check(const BaselineEntry& entry) {
  if (entry.kernel.empty())
    throw InputError("expected \"kernel\"");
  if (entry.problem.empty())
    throw InputError("expected \"problem\", such as \"8192x8192\"");
  if (entry.compute_capability < 10 || entry.compute_capability > 999)
    throw InputError("expected \"compute_capability\", such as 90 for 9.0");
  const bool launchable = entry.geometry.dynamic_shared_bytes >= 0 &&
                          std::all_of(entry.geometry.grid, entry.geometry.grid + 3,
                                      [](std::int64_t extent) { return extent > 0; }) &&
                          std::all_of(entry.geometry.block, entry.geometry.block + 3,
                                      [](int extent) { return extent > 0; });
  if (!launchable)
    throw InputError("geometry: expected extents above 0");
}

void refuse_unknown(const nlohmann::json& json) {
  std::vector<std::string> names;
  const BaselineEntry any;
  for_fields(any, [&](const char* name, const auto&) { names.emplace_back(name); });
  for (const auto& [name, held] : json.items())
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw InputError(unknown_name("field", name, names));
}

BaselineEntry entry_of(const nlohmann::json& json) {
  BaselineEntry entry;
  read_fields(json, entry);
  refuse_unknown(json);
  check(entry);
  return entry;
}

void check_version(const nlohmann::json& json) {
  const auto found = json.find(format_key);
  if (found == json.end() || !found->is_number_integer())
    throw InputError("is no baseline of Gridsmith's; 'gridsmith baseline save' writes one");
  const auto version = found->get<std::int64_t>();
  if (version < 1 || version > newest_version)
    throw InputError(
        fmt::format("is a baseline of version {}; this program knows versions up to {}", version,
                    newest_version));
}

Baseline baseline_of(const nlohmann::json& json) {
  check_version(json);
  Baseline baseline;
  for (const nlohmann::json& one : json.at("entries").get_ref<const nlohmann::json::array_t&>()) {
    const std::size_t number = baseline.entries.size() + 1;
    try {
      baseline.entries.push_back(entry_of(one));
    } catch (const std::exception& error) {
      throw InputError(fmt::format("entry {}: {}", number, plain_text(error)));
    }
    for (std::size_t i = 0; i + 1 < number; ++i)
      if (same_subject(baseline.entries[i], baseline.entries.back()))
        throw InputError(
            fmt::format("entry {}: {} appears twice", number, title_of(baseline.entries.back())));
  }
  return baseline;
}

} // namespace

std::string title_of(const BaselineEntry& entry) {
  return fmt::format("{} {} sm_{}", entry.kernel, entry.problem, entry.compute_capability);
}

bool same_subject(const BaselineEntry& one, const BaselineEntry& other) {
  return one.kernel == other.kernel && one.problem == other.problem &&
         one.compute_capability == other.compute_capability &&
         one.configuration == other.configuration;
}

std::string to_text(const Baseline& baseline) {
  std::vector<BaselineEntry> entries = baseline.entries;
  std::sort(entries.begin(), entries.end(), [](const BaselineEntry& a, const BaselineEntry& b) {
    return order_of(a) < order_of(b);
  });
  std::string text;
  for (const BaselineEntry& entry : entries)
    text += (text.empty() ? "\n" : ",\n") + text_of(entry);
  return fmt::format("{{\"{}\": {}, \"entries\": [{}\n]}}\n", format_key, newest_version, text);
}

Baseline baseline_of_text(std::string_view text, const std::string& name) {
  try {
    return baseline_of(json_of_text(text));
  } catch (const nlohmann::json::exception& error) {
    throw InputError(
        fmt::format("{}: is no baseline of Gridsmith's ({})", name, plain_text(error)));
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", name, error.what()));
  }
}

bool is_baseline(const std::filesystem::path& file) {
  constexpr std::size_t first_bytes = 64; // of one that write_baseline() wrote
  return beginning_of(file, first_bytes).find(format_key) != std::string::npos;
}

Baseline read_baseline(const std::filesystem::path& file) {
  if (std::error_code error; !std::filesystem::exists(file, error))
    throw InputError(fmt::format("{}: there is no such file; 'gridsmith baseline save' writes one",
                                 file.string()));
  return baseline_of_text(read_unpacked(file, largest_baseline), file.string());
}

void write_baseline(const std::filesystem::path& file, const Baseline& baseline) {
  write_packed(file, to_text(baseline));
}

} // namespace gridsmith
