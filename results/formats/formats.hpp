// SPDX-License-Identifier: Apache-2.0
// The table of formats we write. To add one: a file here with its text function, and its row in
// formats.cpp. (Formats that we read are in readers.hpp; one file both reads and writes a format.)
#pragma once

#include "gridsmith/kernels/definition/definition.hpp"
#include "gridsmith/results/measurement/answer.hpp"
#include "gridsmith/results/measurement/recording.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// What is exported: all measurements of one kernel on one device and problem, and the answer where
/// the finalists were measured again.
struct Export {
  Recording recording;
  std::optional<Answer> answer = {};
  /// Of the kernel, for formats that say what is valid at other problems; none: why not, one line.
  std::shared_ptr<const KernelDefinition> definition = {};
  std::string lacks = "no definition of this kernel was given";
};

/// The measurement that counts as best: the answer's first, else what a tuning of these would
/// answer. @throws InputError when none is correct, or the answer is not confirmed.
const Measurement& best_of(const Export& exported);

/// Whether there is a best: something correct with a time, and an answer that is not unconfirmed.
bool has_best(const Export& exported);

/// The same without an answer of which time does not decide: what a format of times alone is written from.
Export by_time(Export exported);

/// Why there is none, one line: "no configuration is correct"; "" where there is one.
std::string why_no_best(const Export& exported);

/// Whether it comes from a recording that was replayed: nothing was measured for it.
bool is_replay(const Export& exported);

enum class Holds {
  one,          ///< one kernel, problem and device in one file
  several,      ///< any number
  several_best, ///< likewise, but only those that have a best
};

struct FormatEntry {
  std::string name; ///< the word of the command line
  std::string summary;
  /// What each of its texts has, and what others wrote has not; after '^': what they begin with. A
  /// file without it is not replaced; of a format whose mark is "" none that is not empty is.
  std::string mark;
  Holds holds = Holds::one;
  std::function<std::string(std::span<const Export>)> text;
  bool defined = false;     ///< it has use for Export::definition
  bool times_alone = false; ///< an answer by another objective has no place in it
  bool read = false;        ///< by Gridsmith too
};

/// @param mark as FormatEntry has it
bool has_mark(std::string_view text, std::string_view mark);

/// The visible table.
const std::vector<FormatEntry>& export_formats();
/// @throws InputError with the nearest name.
const FormatEntry& export_format(std::string_view name);

/// The file's content. @throws InputError: nothing to export, or several where one is possible.
std::string export_text(const FormatEntry& format, std::span<const Export> exports);
/// As write_packed() (base/file.hpp). @throws as that.
void write_export(const FormatEntry& format, std::span<const Export> exports,
                  const std::filesystem::path& file);
/// Our own format, the most common request.
void write_recording(const Recording& recording, const std::filesystem::path& file);

} // namespace gridsmith
