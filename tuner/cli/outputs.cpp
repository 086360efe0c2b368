// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/cli/outputs.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/file.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/results/check/baseline.hpp"
#include "gridsmith/results/judge/candidate_verdict.hpp"
#include "gridsmith/results/profiles/profile.hpp"
#include "gridsmith/results/readers/read_recording.hpp"
#include "gridsmith/results/store/holdings.hpp"
#include "gridsmith/tuner/presentation/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

/// What a file is that somebody would miss.
struct Kept {
  std::string_view what;        ///< "a store"; "": nothing of the kind
  std::string_view format = ""; ///< that Gridsmith wrote it in, and may write it in again
};

/// By what Gridsmith alone writes into its recordings.
Kept recording_in(std::string_view text) {
  constexpr std::array<std::array<std::string_view, 2>, 4> marks{
      {{"recording", "\"gridsmith recording\""},
       {"t4", "gridsmith=="},
       {"wisdom", "\"conditions\":"},
       {"kernel-tuner", ",\n\"kernel_name\": "}}};
  for (const auto& [format, mark] : marks)
    if (text.find(mark) != text.npos)
      return {"a recording", format};
  return {"a recording"};
}

/// Instructions for building, unless they are ours.
bool is_build_file(const fs::path& file, std::string_view text) {
  std::error_code error;
  const std::string name = fs::weakly_canonical(file, error).filename().string();
  return (name == "CMakeLists.txt" || name == "Makefile") &&
         !text.starts_with("# Tuned by Gridsmith.");
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

/// What no text in this format begins without; "": anything may begin one.
std::string_view first_of(std::string_view format) {
  constexpr std::array<std::array<std::string_view, 2>, 11> starts{{{"recording", "{["},
                                                                    {"t4", "{["},
                                                                    {"kernel-tuner", "{["},
                                                                    {"json", "{["},
                                                                    {"per-device", "{["},
                                                                    {"wisdom", "{["},
                                                                    {"trace", "{["},
                                                                    {"evidence", "{"},
                                                                    {"verdict", "<"},
                                                                    {"report", "<"},
                                                                    {"plot", "<"}}};
  for (const auto& [name, start] : starts)
    if (name == format)
      return start;
  return "";
}

/// A text that cannot have been written in the format: notes, a list of one's own.
bool is_other_text(std::string_view text, std::string_view format) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos)
    return false;
  if (format == "csv") { // of names without blanks
    const std::string_view names = text.substr(0, text.find('\n'));
    return names.find(',') == names.npos || names.find(", ") != names.npos;
  }
  const std::string_view start = first_of(format);
  return !start.empty() && start.find(text[first]) == start.npos;
}

/// @param file regular and not empty
Kept kept_in(const fs::path& file, std::string_view format) {
  if (is_store(file))
    return {is_profile(file) ? "a profile" : "a store"};
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
  if (text.starts_with("// gridsmith header "))
    return {"a header", "header"};
  if (text.starts_with("<!DOCTYPE html>") && text.find(verdict_page_mark) != text.npos)
    return {"a page of a verdict", "verdict"};
  if (text.starts_with("<!DOCTYPE html>"))
    return text.find("<body data-live=") != text.npos ? Kept{"a report", "report"} : Kept{"a page"};
  if (is_source(file, text))
    return {"a source"};
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first != text.npos && (text[first] == '{' || text[first] == '['))
    return document_in(file, text);
  if (is_profile(file))
    return {"a profile"};
  return is_other_text(text, format) ? Kept{"a text of another kind"} : Kept{};
}

/// One file by two names, also where it is not there yet.
bool same_file(const fs::path& one, const fs::path& other) {
  std::error_code error;
  if (fs::equivalent(one, other, error))
    return true;
  const fs::path first =
      fs::weakly_canonical(fs::absolute(one, error), error); // of a bare name too
  return !first.empty() && first == fs::weakly_canonical(fs::absolute(other, error), error);
}

/// What SQLite and Gridsmith keep next to a store: SQLite takes such a file for its own and removes it.
bool belongs_to(const fs::path& file, const fs::path& store) {
  constexpr std::array endings{"-wal", "-shm", "-journal", "-writers"};
  return std::any_of(endings.begin(), endings.end(), [&](const char* ending) {
    return same_file(file, fs::path(store) += ending);
  });
}

/// The store next to which a file of this name would be SQLite's; "": none is there.
fs::path store_of(const fs::path& file) {
  const std::string name = file.string();
  const fs::path store = name.substr(0, name.rfind('-'));
  return belongs_to(file, store) && is_store(store) ? store : fs::path();
}

/// Devices, pipes and standard output are written to and lose nothing.
bool may_lose(const std::string& file) {
  std::error_code error;
  return !takes_standard_output({file}) &&
         (!fs::exists(file, error) || fs::is_regular_file(file, error));
}

[[noreturn]] void refuse(const OutputFile& output, const std::string& why) {
  throw InputError(
      fmt::format("{} {}: {}; choose another name", output.option, printable(output.file), why));
}

/// The store, which may not be there yet, and whatever else the command line names that is there.
bool reads(const CLI::App& command, const CLI::Option& option, const std::string& value) {
  std::error_code error;
  if (option.check_name("--store"))
    return !command.get_option_no_throw("--no-store") || command.count("--no-store") == 0;
  return fs::is_regular_file(value, error);
}

/// A header is made again from the one that was shipped before.
bool made_from(const OutputFile& output, const CLI::Option& option) {
  return output.format == "header" &&
         (option.check_name("--previous") || option.check_name("shipped"));
}

void check_inputs(const CLI::App& command, const OutputFile& output,
                  const std::vector<OutputFile>& outputs) {
  for (const CLI::Option* option : command.get_options()) {
    const auto writes = [&](const OutputFile& one) { return option->check_name(one.option); };
    if (std::any_of(outputs.begin(), outputs.end(), writes) || made_from(output, *option))
      continue;
    for (const std::string& value :
         option->count() > 0 ? option->results() : std::vector{option->get_default_str()})
      if (reads(command, *option, value)) {
        if (same_file(value, output.file))
          refuse(output,
                 fmt::format("is what {} names",
                             option->get_positional() ? "the command" : option->get_name()));
        if (option->check_name("--store") && belongs_to(output.file, value))
          refuse(output, fmt::format("belongs to the store {}", printable(value)));
      }
  }
}

void check_others(const OutputFile& output, const std::vector<OutputFile>& outputs) {
  for (const OutputFile& other : outputs)
    if (&other != &output && may_lose(other.file) && same_file(other.file, output.file))
      refuse(output, "is written by " + (other.option == output.option
                                             ? other.option + " " + printable(other.format) + " too"
                                             : other.option + " too"));
}

/// A name that says another format would open in another program.
void check_ending(const OutputFile& output) {
  const std::string ending = fs::path(output.file).extension().string();
  if (output.format == "report" && !ending.empty() && ending != ".html" && ending != ".htm")
    throw InputError(fmt::format("{} {}: the report is HTML; give a name that ends in .html",
                                 output.option, printable(output.file)));
}

void check_content(const OutputFile& output) {
  std::error_code error;
  if (const fs::path store = store_of(output.file); !store.empty())
    refuse(output, fmt::format("belongs to the store {}", printable(store.string())));
  if (!fs::is_regular_file(output.file, error) || fs::file_size(output.file, error) == 0)
    return;
  const Kept kept = kept_in(output.file, output.format);
  if (!kept.what.empty() && (kept.format.empty() || kept.format != output.format))
    refuse(output, fmt::format("is {}, which is not replaced", kept.what));
}

} // namespace

std::vector<std::string> files_of(const std::vector<OutputFile>& outputs) {
  std::vector<std::string> files;
  files.reserve(outputs.size());
  for (const OutputFile& output : outputs)
    files.push_back(output.file);
  return files;
}

void check_outputs(const CLI::App& command, const std::vector<OutputFile>& outputs, bool taken) {
  const auto on_standard_output =
      std::count_if(outputs.begin(), outputs.end(),
                    [](const OutputFile& output) { return takes_standard_output({output.file}); });
  if (on_standard_output + taken > 1)
    throw InputError("only one result can go to standard output; name files for the others");
  for (const OutputFile& output : outputs) {
    if (takes_standard_output({output.file}))
      continue;
    check_writable(output.file);
    if (!may_lose(output.file))
      continue;
    check_others(output, outputs);
    check_inputs(command, output, outputs);
    check_content(output);
    check_ending(output);
  }
}

} // namespace gridsmith
