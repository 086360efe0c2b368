// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/presentation/kept_file.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/file.hpp"
#include "gridsmith/base/file_kind.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/results/check/baseline.hpp"
#include "gridsmith/results/formats/formats.hpp"
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/results/header/header.hpp"
#include "gridsmith/results/judge/candidate_verdict.hpp"
#include "gridsmith/results/profiles/profile.hpp"
#include "gridsmith/results/store/holdings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

/// What a file is that no output replaces.
struct Kept {
  std::string_view what;        ///< "a store"; "": nothing of the kind
  std::string_view format = ""; ///< that Gridsmith wrote it in, and may write it in again
};

/// By what Gridsmith alone writes into its recordings.
Kept recording_in(std::string_view text) {
  for (const FormatEntry& format : export_formats())
    if (has_mark(text, format.mark))
      return {"a recording", format.name};
  return {"a recording"};
}

/// Instructions for building, unless they are ours.
bool is_build_file(const fs::path& file, std::string_view text) {
  std::error_code error;
  const std::string name = fs::weakly_canonical(file, error).filename().string();
  return (name == "CMakeLists.txt" || name == "Makefile") &&
         !text.starts_with(export_format("cmake").mark);
}

/// Source code has a name that says so, or a kernel in it; macros have neither.
bool is_source(const fs::path& file, std::string_view text) {
  constexpr std::array<std::string_view, 13> endings{".cu",  ".cuh", ".c",  ".cc",  ".cpp",
                                                     ".cxx", ".h",   ".hh", ".hpp", ".hxx",
                                                     ".inl", ".ipp", ".py"};
  std::error_code error;
  const std::string ending = fs::weakly_canonical(file, error).extension().string();
  const bool named = std::find(endings.begin(), endings.end(), ending) != endings.end();
  return text.find("__global__") != text.npos || is_build_file(file, text) ||
         (named && text.find_first_of("#;{:") != text.npos);
}

Kept document_in(const fs::path& file, std::string_view text) {
  if (text.find("\"KernelSpecification\"") != text.npos ||
      text.find("\"ConfigurationSpace\"") != text.npos)
    return {"a definition"};
  if (is_baseline(file))
    return {"a baseline", "baseline"};
  return is_recording(file) ? recording_in(text) : Kept{};
}

/// Whether Gridsmith may have written a text in a format of 'gridsmith export' or of another output.
bool is_in_format(std::string_view text, std::string_view format) {
  constexpr std::array<std::array<std::string_view, 2>, 16> others{
      {{"json", "\"gridsmith check\""},
       {"junit", "<testsuites"},
       {"sarif", "sarif-2.1.0"},
       {"gitlab", "gridsmith_"},
       {"markdown", "^"}, // any text
       {"github", "^"},
       {"evidence", "^"}, // a folder
       {"summary", " moved\n\n"},
       {"ptx", "\n.target "},
       {"sass", "/*0000*/"},
       {"simulation", "recording,strategy,runs,"},
       {"trace", "\"traceEvents\""},
       {"baseline", "\"gridsmith baseline\""},
       {"plot", "<svg "},
       {"report", "^<"},
       {"verdict", "^<"}}};
  return std::ranges::any_of(export_formats(),
                             [&](const FormatEntry& one) {
                               return one.name == format && has_mark(text, one.mark);
                             }) ||
         std::ranges::any_of(
             others, [&](const auto& one) { return one[0] == format && has_mark(text, one[1]); });
}

/// A text that Gridsmith has not written in the format: notes, a list of one's own, another tool's file.
bool is_other_text(std::string_view text, std::string_view format) {
  return text.find_first_not_of(" \t\r\n") != text.npos && !is_in_format(text, format);
}

/// @param file regular and not empty
Kept kept_in(const fs::path& file, std::string_view format) {
  if (is_sqlite(file))
    return {is_store(file) ? "a store" : "a profile"};
  std::string text;
  try {
    text = read_unpacked(file);
  } catch (const InputError&) {
    return {"too large or damaged to be recognised"};
  }
  constexpr std::string_view png = "\x89PNG";
  if (text.starts_with(png))
    return {"a picture", "plot"};
  if (text.find('\0') != text.npos)
    return {"a binary file"};
  if (is_changed_header(text))
    return {"a header that was changed after Gridsmith wrote it"};
  if (text.starts_with(export_format("header").mark))
    return {"a header", "header"};
  if (text.starts_with("<!DOCTYPE html>") && text.find(verdict_page_mark) != text.npos)
    return {"a page of a verdict", "verdict"};
  if (text.starts_with("<!DOCTYPE html>"))
    return text.find("<body data-live=") != text.npos ? Kept{"a report", "report"} : Kept{"a page"};
  if (is_source(file, text))
    return {"a source"};
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first != text.npos && (text[first] == '{' || text[first] == '['))
    if (const Kept document = document_in(file, text); !document.what.empty())
      return document;
  if (is_profile(file))
    return {"a profile"};
  return is_other_text(text, format) ? Kept{"a text of another kind"} : Kept{};
}

/// The store next to which a file of this name would be SQLite's; "": none is there.
fs::path store_of(const fs::path& file) {
  const std::string name = file.string();
  const fs::path store = name.substr(0, name.rfind('-'));
  return belongs_to(file, store) && is_store(store) ? store : fs::path();
}

} // namespace

bool same_file(const fs::path& one, const fs::path& other) {
  std::error_code error;
  if (fs::equivalent(one, other, error))
    return true;
  const fs::path first =
      fs::weakly_canonical(fs::absolute(one, error), error); // of a bare name too
  return !first.empty() && first == fs::weakly_canonical(fs::absolute(other, error), error);
}

bool belongs_to(const fs::path& file, const fs::path& store) {
  constexpr std::array endings{"-wal", "-shm", "-journal", "-writers"};
  return std::any_of(endings.begin(), endings.end(), [&](const char* ending) {
    return same_file(file, fs::path(store) += ending);
  });
}

std::string why_kept(const fs::path& file, const std::string& format) {
  std::error_code error;
  if (const fs::path store = store_of(file); !store.empty())
    return fmt::format("belongs to the store {}", printable(store.string()));
  if (!fs::is_regular_file(file, error) || fs::file_size(file, error) == 0)
    return "";
  const Kept kept = kept_in(file, format);
  const bool replaced = kept.what.empty() || (!kept.format.empty() && kept.format == format);
  return replaced ? "" : fmt::format("is {}, which is not replaced", kept.what);
}

} // namespace gridsmith
